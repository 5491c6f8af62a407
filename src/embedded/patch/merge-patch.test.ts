import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import { applyMergePatch } from './merge-patch.ts';

describe('applyMergePatch', () => {
  it.each<[string, JsonMap, JsonMap, JsonMap]>([
    ['sets a field', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ['replaces a field', { a: 1 }, { a: 2 }, { a: 2 }],
    ['removes a field', { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ['merges maps', { a: { b: 1, c: 2 } }, { a: { b: null, d: 3 } }, { a: { c: 2, d: 3 } }],
    ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['puts a map in the place of a list', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    [
      'leaves nulls out of what is new',
      {},
      { a: { b: null, c: [{ d: null, e: 1 }, null] } },
      { a: { c: [{ e: 1 }, null] } },
    ],
    ['changes nothing when empty', { a: 1 }, {}, { a: 1 }],
  ])('%s', (_what, object, patch, expected) => {
    const before = structuredClone(object);
    expect(applyMergePatch(object, patch)).toEqual(expected);
    expect(object).toEqual(before);
  });

  it.each([
    [[1], 'array'],
    ['x', 'string'],
  ])('refuses %j', (patch, type) => {
    expect(() => applyMergePatch({}, patch)).toThrow(
      `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  });

  it('makes any object of any other by their difference', () => {
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom('x', 'y'), fc.array(fc.integer(), { maxLength: 2 })),
      map: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('map'))),
    })).map;
    fc.assert(
      fc.property(value, value, (from, to) => {
        expect(applyMergePatch(from as JsonMap, difference(from as JsonMap, to as JsonMap))).toEqual(to);
      }),
    );
  });
});

function difference(from: JsonMap, to: JsonMap): JsonMap {
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const patch: Record<string, unknown> = Object.fromEntries(removed.map((key) => [key, null]));
  for (const [key, value] of Object.entries(to)) {
    const old = from[key];
    patch[key] = isRecord(value) && isRecord(old) ? difference(old, value) : value;
  }
  return patch;
}
