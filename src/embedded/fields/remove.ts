import { below, type FieldSet, hasPath, isEmptySet } from './field-set.ts';
import { fieldElement } from './path-element.ts';
import { fieldType, type ListShape, type MapShape, type Type } from './type.ts';
import { formsFor, handleForm, itemElement, listOf, mapOf } from './walk.ts';

/** The value without the given fields and items; lists and maps that lose all they had become null. */
export function removeFields(type: Type, value: unknown, fields: FieldSet): unknown {
  return handleForm<unknown>(formsFor(type, value), {
    scalar: () => value,
    list: (list) => (list.atomic ? null : removeFromList(list, value, fields)),
    map: (map) => (map.atomic ? null : removeFromMap(map, value, fields)),
  });
}

function removeFromList(list: ListShape, value: unknown, fields: FieldSet): unknown {
  const kept: unknown[] = [];
  for (const item of listOf(value) ?? []) {
    const named = itemElement(list, item);
    if (!('element' in named)) {
      kept.push(item);
      continue;
    }
    if (hasPath(fields, [named.element])) continue;
    const inner = below(fields, named.element);
    kept.push(isEmptySet(inner) ? item : removeFields(list.item, item, inner));
  }
  return kept.length > 0 ? kept : null;
}

function removeFromMap(map: MapShape, value: unknown, fields: FieldSet): unknown {
  const kept: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(mapOf(value) ?? {})) {
    const element = fieldElement(name);
    if (hasPath(fields, [element])) continue;
    const inner = below(fields, element);
    kept[name] = isEmptySet(inner) ? item : removeFields(fieldType(map, name), item, inner);
  }
  return Object.keys(kept).length > 0 ? kept : null;
}
