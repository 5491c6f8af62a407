import { isRecord } from '../../lib/json.ts';

/** The name of a JSON value's type in messages of decoding. */
export function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isRecord(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A value as messages with `%v` show it. */
export function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return value === null || value === undefined ? '<nil>' : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goValue(item)}`).join(' ')}]`;
}

/** The type of a value as messages with `%s` of its reflection show it. */
export function reflectType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isRecord(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (value === null) return '<nil>';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
