import { isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import { badRequest } from './bad-patch.ts';
import { goType } from './go-text.ts';
import { withoutNulls } from './without.ts';

/** RFC 7386 for whole objects: null removes, maps merge, all else replaces. */
export function applyMergePatch(object: JsonMap, patch: unknown): JsonMap {
  if (isRecord(patch)) return mergeMaps(object, patch);
  const problem = `cannot unmarshal ${goType(patch)} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding patch: json: ${problem}`);
}

function mergeMaps(target: JsonMap, patch: JsonMap): JsonMap {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergeValue(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergeValue(target: unknown, patch: unknown): unknown {
  return isRecord(target) && isRecord(patch) ? mergeMaps(target, patch) : withoutNulls(patch);
}
