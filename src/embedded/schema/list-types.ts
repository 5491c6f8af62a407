import { isRecord } from '../../lib/json.ts';
import { stableJson } from '../../lib/stable-json.ts';
import { duplicate, invalidValue } from '../model/causes.ts';
import type { Schema } from '../model/schema.ts';
import type { StatusCause } from '../model/status-error.ts';
import { childField, keyField } from './field-path.ts';

/** Items that a list of type set or map has twice. */
export function validateLists(value: unknown, schema: Schema, path: string): readonly StatusCause[] {
  if (Array.isArray(value)) return validateList(value, schema, path);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const property = schema.properties?.get(key);
    if (property !== undefined) return validateLists(inner, property, childField(path, key));
    const { additionalProperties } = schema;
    return additionalProperties === undefined ? [] : validateLists(inner, additionalProperties, keyField(path, key));
  });
}

function validateList(list: readonly unknown[], schema: Schema, path: string): readonly StatusCause[] {
  const { items } = schema;
  const inner = list.flatMap((item, index) => {
    return items === undefined ? [] : validateLists(item, items, `${path}[${String(index)}]`);
  });
  return [...duplicatesOf(list, schema, path), ...inner];
}

function duplicatesOf(list: readonly unknown[], schema: Schema, path: string): readonly StatusCause[] {
  const { listType, listMapKeys: keys = [] } = schema;
  if (listType === 'set') return repetitions(list).map((index) => duplicate(`${path}[${String(index)}]`, list[index]));
  if (listType !== 'map') return [];
  const wrong = list.findIndex((item) => item !== null && !isRecord(item));
  if (wrong >= 0) {
    return [invalidValue(`${path}[${String(wrong)}]`, list[wrong], 'must be an object for an array of list-type map')];
  }
  const identities = list.map((item) => identityOf(item, keys));
  return repetitions(identities).map((index) => duplicate(`${path}[${String(index)}]`, identities[index]));
}

function identityOf(item: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> {
  const given = isRecord(item) ? keys.filter((key) => Object.hasOwn(item, key)) : [];
  return Object.fromEntries(given.map((key) => [key, isRecord(item) ? item[key] : undefined]));
}

/** Where something stands for the second time; the third time says no more. */
function repetitions(values: readonly unknown[]): readonly number[] {
  const seen = new Map<string, number>();
  return values.flatMap((value, index) => {
    const key = stableJson(value);
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    return times === 1 ? [index] : [];
  });
}
