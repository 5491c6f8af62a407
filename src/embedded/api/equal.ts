import { isRecord } from '../../lib/json.ts';

/** The same JSON; keys whose value is undefined count as missing. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b);
  return isRecord(a) && isRecord(b) && sameMap(a, b);
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
}

function sameMap(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  for (const key of Object.keys(a)) if (!sameJson(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}
