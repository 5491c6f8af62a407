import { isRecord } from '../../lib/json.ts';
import type { Schema } from '../model/schema.ts';

const RESERVED =
  /^(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/;

/** The name by which rules know a field that CEL could not read: `__namespace__`, `foo__dash__bar`. */
export function escapeName(name: string): string {
  if (RESERVED.test(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

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
