import { isRecord } from '../../lib/json.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { Schema } from '../model/schema.ts';

/** For each item the one that it was before: only lists that are maps by their keys tell. */
export function correlateItems(list: readonly unknown[], old: unknown, schema: Schema): readonly unknown[] {
  const { listType, listMapKeys: keys = [] } = schema;
  if (listType !== 'map' || !Array.isArray(old)) return [];
  const before = new Map<string, unknown>(old.map((item: unknown) => [keyOf(item, keys), item]));
  return list.map((item) => before.get(keyOf(item, keys)));
}

function keyOf(item: unknown, keys: readonly string[]): string {
  return stableJson(keys.map((key) => (isRecord(item) ? (item[key] ?? null) : null)));
}
