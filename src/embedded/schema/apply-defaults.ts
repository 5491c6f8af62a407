import { isRecord } from '../../lib/json.ts';
import type { Schema } from '../model/schema.ts';

/**
 * The value with the defaults of its schema, and without nulls where the schema allows none: as the API server makes
 * custom objects. The same value when nothing changes.
 */
export function applyDefaults(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return defaultList(value, schema);
  return isRecord(value) ? defaultMap(value, schema) : value;
}

function defaultList(list: readonly unknown[], { items }: Schema): unknown {
  if (items === undefined) return list;
  const defaulted = list.map((item) =>
    applyDefaults(isForbiddenNull(item, items) ? (items.default ?? null) : item, items),
  );
  return defaulted.every((item, index) => item === list[index]) ? list : defaulted;
}

function defaultMap(map: Readonly<Record<string, unknown>>, schema: Schema): unknown {
  const defaulted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(map)) {
    const child = schema.properties?.get(key) ?? schema.additionalProperties;
    const kept = child === undefined ? value : defaultField(value, child);
    if (kept !== undefined) defaulted[key] = kept;
  }
  const all = { ...defaulted, ...missingDefaults(defaulted, schema) };
  return isSame(all, map) ? map : all;
}

function missingDefaults(map: Readonly<Record<string, unknown>>, schema: Schema): Readonly<Record<string, unknown>> {
  const missing = Array.from(schema.properties ?? []).filter(([name, property]) => {
    return property.default !== undefined && !Object.hasOwn(map, name);
  });
  return Object.fromEntries(missing.map(([name, property]) => [name, applyDefaults(property.default, property)]));
}

/** Undefined: a null that may not be, and goes. */
function defaultField(value: unknown, schema: Schema): unknown {
  const given = isForbiddenNull(value, schema) ? schema.default : value;
  return given === undefined ? undefined : applyDefaults(given, schema);
}

function isForbiddenNull(value: unknown, schema: Schema): boolean {
  return value === null && schema.nullable !== true;
}

function isSame(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
