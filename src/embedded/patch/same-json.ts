import { isRecord } from '../../lib/json.ts';

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  const isSameSize = keys.length === Object.keys(b).length;
  return isSameSize && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}
