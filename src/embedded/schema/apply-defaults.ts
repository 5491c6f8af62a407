import { isRecord } from '../../lib/json.ts';
import type { Schema } from '../model/schema.ts';

/**
 * What becomes of a null that the schema allows none of and has no default for: it goes when a request is read, and stays
 * in what server-side apply has merged.
 */
export type ForbiddenNulls = 'go' | 'stay';

/**
 * The value with the defaults of its schema: as the API server makes custom objects. The same value when nothing changes.
 */
export function applyDefaults(value: unknown, schema: Schema, nulls: ForbiddenNulls = 'go'): unknown {
  if (Array.isArray(value)) return defaultList(value, schema, nulls);
  return isRecord(value) ? defaultMap(value, schema, nulls) : value;
}

function defaultList(list: readonly unknown[], { items }: Schema, nulls: ForbiddenNulls): unknown {
  if (items === undefined) return list;
  const defaulted = list.map((item) =>
    applyDefaults(isForbiddenNull(item, items) ? (items.default ?? null) : item, items, nulls),
  );
  return defaulted.every((item, index) => item === list[index]) ? list : defaulted;
}

function defaultMap(map: Readonly<Record<string, unknown>>, schema: Schema, nulls: ForbiddenNulls): unknown {
  const defaulted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(map)) {
    const child = schema.properties?.get(key) ?? schema.additionalProperties;
    const kept = child === undefined ? value : defaultField(value, child, nulls);
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

/** Undefined: a null that goes. */
function defaultField(value: unknown, schema: Schema, nulls: ForbiddenNulls): unknown {
  const instead = nulls === 'go' ? undefined : null;
  const given = isForbiddenNull(value, schema) ? (schema.default ?? instead) : value;
  return given === undefined ? undefined : applyDefaults(given, schema, nulls);
}

function isForbiddenNull(value: unknown, schema: Schema): boolean {
  return value === null && schema.nullable !== true;
}

function isSame(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
