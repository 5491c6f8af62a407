import { memoizeLatest } from '../../lib/memoize.ts';
import { createFieldCollector, type FieldCollector } from './field-collector.ts';
import { type FieldSet, isEmptySet, recursiveDifference, union } from './field-set.ts';
import type { Path, PathElement } from './path-element.ts';
import { shapeOf, type Type } from './type.ts';
import { handleForm } from './walk.ts';

/**
 * Who owned anything below what has become atomic since then owns all of it now. Kept, as schemas change far less often
 * than objects do.
 */
export const reconcile = memoizeLatest((set: FieldSet, type: Type): FieldSet => {
  const atomic = createFieldCollector();
  visit({ set, type, path: [], isLeaf: false }, atomic);
  const owned = atomic.set();
  return isEmptySet(owned) ? set : union(recursiveDifference(set, owned), owned);
});

interface Place {
  /** Undefined: nothing below is owned. */
  readonly set: FieldSet | undefined;
  readonly type: Type;
  readonly path: Path;
  readonly isLeaf: boolean;
}

function visit(place: Place, atomic: FieldCollector): void {
  handleForm(shapeOf(place.type), {
    scalar: () => undefined,
    list: (list) => {
      if (list.atomic) takeWhole(place, atomic);
      else descend(place, atomic, () => list.item);
    },
    map: (map) => {
      if (map.other?.kind === 'deduced' && !map.declaresAny) return;
      if (map.atomic) takeWhole(place, atomic);
      else {
        descend(place, atomic, (element) =>
          element.kind === 'field' ? (map.declared(element.name) ?? map.other) : map.other,
        );
      }
    },
  });
}

function takeWhole({ set, path, isLeaf }: Place, atomic: FieldCollector): void {
  if (!isLeaf && set !== undefined && !isEmptySet(set)) atomic.add(path);
}

function descend(place: Place, atomic: FieldCollector, typeOf: (element: PathElement) => Type | undefined): void {
  const set = place.set;
  if (set === undefined) return;
  const elements = new Map(set.members);
  for (const [key, node] of set.children) elements.set(key, node.element);
  for (const [key, element] of elements) {
    const type = typeOf(element);
    const below = set.children.get(key)?.set;
    if (type === undefined) continue;
    visit({ set: below, type, path: [...place.path, element], isLeaf: below === undefined }, atomic);
  }
}
