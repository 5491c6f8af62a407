import { isRecord } from '../../lib/json.ts';

/**
 * The same JSON, in which every part that is as it was before is the very one from before: whatever compares the two then
 * sees at a glance where they cannot differ.
 */
export function withSharedParts<T>(next: T, before: unknown): T {
  return shared(next, before) as T;
}

function shared(next: unknown, before: unknown): unknown {
  if (next === before) return next;
  if (Array.isArray(next)) return Array.isArray(before) ? sharedList(next, before) : next;
  return isRecord(next) && isRecord(before) ? sharedMap(next, before) : next;
}

function sharedList(next: readonly unknown[], before: readonly unknown[]): readonly unknown[] {
  const items = next.map((item, index) => shared(item, before[index]));
  return items.length === before.length && items.every((item, index) => item === before[index]) ? before : items;
}

type Map = Readonly<Record<string, unknown>>;

/** Keys in another order make another text. */
function sharedMap(next: Map, before: Map): Map {
  const keys = Object.keys(next);
  const keysBefore = Object.keys(before);
  const map: Record<string, unknown> = {};
  let isSame = keys.length === keysBefore.length;
  for (const [index, key] of keys.entries()) {
    map[key] = shared(next[key], before[key]);
    isSame &&= key === keysBefore[index] && map[key] === before[key];
  }
  return isSame ? before : map;
}
