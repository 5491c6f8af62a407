import { escapeName } from '../../lib/cel/field-name.ts';
import { isRecord } from '../../lib/json.ts';
import type { Schema } from '../model/schema.ts';

/** A value with its fields under the names that rules have for them; keys of maps are data and stay. */
export function escapeNames(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => escapeNames(item, schema.items ?? {}));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const property = schema.properties?.get(key);
      if (property !== undefined) return [escapeName(key), escapeNames(inner, property)];
      return [key, escapeNames(inner, schema.additionalProperties ?? {})];
    }),
  );
}
