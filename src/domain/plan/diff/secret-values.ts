import { at, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { stableJson } from '../../../lib/stable-json.ts';

/** Shorter numbers are ports, counts and sizes. */
const MIN_DIGITS = 6;

/** Every value among these, at any depth, that tells something; for `DiffOptions.secretValues`. */
export function leavesOf(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return String(value).replaceAll(/\D/g, '').length < MIN_DIGITS ? [] : [String(value)];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => leavesOf(item));
  return isJsonObject(value) ? Object.values(value).flatMap((item) => leavesOf(item)) : [];
}

/**
 * Of the values that were delivered, those that none of the Packages says in the same place. They come from the
 * platform, whose values are a Secret, or from a Package that is no more.
 */
export function unsaidLeaves(delivered: JsonObject, said: readonly unknown[]): readonly string[] {
  return Object.entries(delivered).flatMap(([key, value]) => {
    const below = said.map((each) => at(each, key));
    if (isJsonObject(value)) return unsaidLeaves(value, below);
    return below.some((each) => each !== undefined && stableJson(each) === stableJson(value)) ? [] : leavesOf(value);
  });
}
