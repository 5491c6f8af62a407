import { isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import type { Schema } from '../model/schema.ts';

/**
 * A built-in object as it comes back from the storage: lists and maps that are always written are null there when they
 * have no items. Answers the same object when nothing changes.
 */
export function storedForm(object: JsonMap, schema: Schema): JsonMap {
  const changed = Object.entries(object).flatMap(([name, value]) => {
    const field = schema.properties?.get(name);
    const stored = field === undefined ? value : storedValue(value, field);
    return stored === value ? [] : [[name, stored] as const];
  });
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
}

function storedValue(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return storedList(value, schema);
  if (!isRecord(value)) return value;
  if (schema.properties !== undefined) return storedForm(value, schema);
  return schema.whenEmpty === 'null' && Object.keys(value).length === 0 ? null : value;
}

function storedList(items: readonly unknown[], { whenEmpty, items: item }: Schema): unknown {
  if (items.length === 0) return whenEmpty === 'null' ? null : items;
  if (item?.properties === undefined) return items;
  const stored = items.map((one) => storedValue(one, item));
  return stored.every((one, index) => one === items[index]) ? items : stored;
}
