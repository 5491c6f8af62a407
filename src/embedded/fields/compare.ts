import { createFieldCollector, type FieldCollector } from './field-collector.ts';
import { type FieldSet, isEmptySet, recursiveDifference } from './field-set.ts';
import { fieldElement, type Path, type PathElement, printElement } from './path-element.ts';
import { sameJson } from '../model/same-json.ts';
import { fieldType, type ListShape, type MapShape, type Type } from './type.ts';
import { formsFor, handleForm, isBare, listOf, mapOf, namedItems, sameForms } from './walk.ts';

/** No field is in more than one of the three. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(type: Type, before: unknown, after: unknown): Comparison {
  const found = {
    added: createFieldCollector(),
    modified: createFieldCollector(),
    removed: createFieldCollector(),
  };
  visit({ type, before, after, path: [], found });
  return { added: found.added.set(), modified: found.modified.set(), removed: found.removed.set() };
}

/** Without the given fields and all that is below them. */
export function without(comparison: Comparison, fields: FieldSet): Comparison {
  if (isEmptySet(fields)) return comparison;
  return {
    added: recursiveDifference(comparison.added, fields),
    modified: recursiveDifference(comparison.modified, fields),
    removed: recursiveDifference(comparison.removed, fields),
  };
}

interface Pair {
  readonly type: Type;
  /** Undefined: not there. */
  readonly before: unknown;
  readonly after: unknown;
  readonly path: Path;
  readonly found: Readonly<Record<keyof Comparison, FieldCollector>>;
}

/** Answers whether the place was looked at as a whole: nothing below it counts then. */
type IsLeaf = boolean;

function visit(pair: Pair): void {
  // What is shared with the object before cannot differ from it.
  if (pair.before === pair.after && pair.before !== undefined) return;
  const before = formsFor(pair.type, pair.before);
  const after = formsFor(pair.type, pair.after);
  const forms = pair.after === undefined ? before : after;
  const isTwofold = pair.before !== undefined && pair.after !== undefined && !sameForms(before, after);
  if (isTwofold) handleForm(before, handler(pair));
  const isLeaf = handleForm(forms, handler(pair));
  if (isLeaf) return;
  if (pair.before === undefined) pair.found.added.add(pair.path);
  else if (pair.after === undefined) pair.found.removed.add(pair.path);
}

function handler(pair: Pair): Parameters<typeof handleForm<IsLeaf>>[1] {
  return {
    scalar: () => visitLeaf(pair),
    list: (list) => visitList(list, pair),
    map: (map) => visitMap(map, pair),
  };
}

function visitLeaf({ before, after, path, found }: Pair): IsLeaf {
  if (before === undefined) found.added.add(path);
  else if (after === undefined) found.removed.add(path);
  else if (!sameJson(before, after)) found.modified.add(path);
  return true;
}

function visitMap(map: MapShape, pair: Pair): IsLeaf {
  const before = mapOf(pair.before);
  const after = mapOf(pair.after);
  if (map.atomic || (isBare(before) && isBare(after))) return visitLeaf(pair);
  visitFields(map, pair, { before: before ?? {}, after: after ?? {} });
  return false;
}

type Fields = Readonly<Record<string, unknown>>;

function visitFields(
  map: MapShape,
  { path, found }: Pair,
  fields: { readonly before: Fields; readonly after: Fields },
): void {
  for (const name of new Set([...Object.keys(fields.before), ...Object.keys(fields.after)])) {
    const [before, after] = [fields.before[name], fields.after[name]];
    if (before !== after)
      visit({ type: fieldType(map, name), before, after, path: [...path, fieldElement(name)], found });
  }
}

function visitList(list: ListShape, pair: Pair): IsLeaf {
  const before = listOf(pair.before);
  const after = listOf(pair.after);
  if (list.atomic || (isBare(before) && isBare(after))) return visitLeaf(pair);
  const olds = byName(list, before ?? []);
  const news = byName(list, after ?? []);
  for (const [key, { element }] of new Map([...olds, ...news])) {
    const items = { before: itemsOf(olds, key), after: itemsOf(news, key) };
    visitItems({ ...pair, type: list.item, path: [...pair.path, element] }, items);
  }
  return false;
}

function itemsOf(named: ReadonlyMap<string, Named>, key: string): readonly unknown[] {
  return named.get(key)?.items ?? [];
}

interface Items {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

/** Items that share a name are compared as one value. */
function visitItems(pair: Pair, { before, after }: Items): void {
  if (before.length < 2 && after.length < 2) {
    visit({ ...pair, before: before[0], after: after[0] });
  } else if (before.length >= 2 && after.length >= 2) {
    if (!sameJson(before, after)) pair.found.modified.add(pair.path);
  } else if (before.length >= 2) {
    if (after.length > 0) visit({ ...pair, before: undefined, after: after[0] });
    pair.found.removed.add(pair.path);
  } else {
    if (before.length > 0) visit({ ...pair, before: before[0], after: undefined });
    pair.found.added.add(pair.path);
  }
}

interface Named {
  readonly element: PathElement;
  readonly items: unknown[];
}

function byName(list: ListShape, items: readonly unknown[]): ReadonlyMap<string, Named> {
  const named = new Map<string, Named>();
  for (const { element, item } of namedItems(list, items)) {
    const key = printElement(element);
    const known = named.get(key);
    if (known === undefined) named.set(key, { element, items: [item] });
    else known.items.push(item);
  }
  return named;
}
