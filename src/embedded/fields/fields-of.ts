import { isRecord } from '../../lib/json.ts';
import { createFieldCollector, type FieldCollector } from './field-collector.ts';
import type { FieldSet } from './field-set.ts';
import { fieldElement, type Path, printElement } from './path-element.ts';
import { fieldType, type ListShape, type MapShape, type Type } from './type.ts';
import { formsFor, handleForm, listOf, mapOf, namedItems } from './walk.ts';

/** Every leaf field and every item that a value mentions. */
export function fieldsOf(type: Type, value: unknown): FieldSet {
  const collector = createFieldCollector();
  collect({ type, value, path: [] }, collector);
  return collector.set();
}

interface Node {
  readonly type: Type;
  readonly value: unknown;
  readonly path: Path;
}

function collect(node: Node, collector: FieldCollector): void {
  handleForm(formsFor(node.type, node.value), {
    scalar: () => {
      collector.add(node.path);
    },
    list: (list) => {
      collectList(list, node, collector);
    },
    map: (map) => {
      collectMap(map, node, collector);
    },
  });
}

/** Items of one name are one field that nobody looks into. */
function collectList(list: ListShape, { value, path }: Node, collector: FieldCollector): void {
  if (list.atomic) {
    collector.add(path);
    return;
  }
  const items = namedItems(list, listOf(value) ?? []);
  const repeated = repeatedNames(items.map(({ element }) => printElement(element)));
  for (const { element, item } of items) {
    const below = [...path, element];
    collector.add(below);
    if (!repeated.has(printElement(element))) collect({ type: list.item, value: item, path: below }, collector);
  }
}

function repeatedNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}

function collectMap(map: MapShape, { value, path }: Node, collector: FieldCollector): void {
  if (map.atomic) {
    collector.add(path);
    return;
  }
  for (const [name, item] of Object.entries(mapOf(value) ?? {})) {
    const below = [...path, fieldElement(name)];
    collect({ type: fieldType(map, name), value: item, path: below }, collector);
    const isBareMap = isRecord(item) && Object.keys(item).length === 0;
    if (item === null || isBareMap || map.declared(name) === undefined) collector.add(below);
  }
}
