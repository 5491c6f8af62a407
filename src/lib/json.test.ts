import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asArray, asNumber, asString, at, isRecord, type JsonObject, mergeValues } from './json.ts';

describe('a look at what may be anything', () => {
  it.each([
    ['an object', {}, true],
    ['null', null, false],
    ['a list', [], false],
    ['a text', 'a', false],
    ['nothing', undefined, false],
  ])('%s: is it a record?', (_say, value, answer) => {
    expect(isRecord(value)).toBe(answer);
  });

  it.each<[string, unknown, readonly string[], unknown]>([
    ['follows a path', { a: { b: 1 } }, ['a', 'b'], 1],
    ['gives the whole for no path', 'whole', [], 'whole'],
    ['ends where a step is missing', { a: {} }, ['a', 'b', 'c'], undefined],
    ['ends at what is no object', { a: 'text' }, ['a', 'length'], undefined],
    ['does not go into lists', { a: ['x'] }, ['a', '0'], undefined],
    ['finds nothing in nothing', undefined, ['a'], undefined],
  ])('%s', (_say, value, path, found) => {
    expect(at(value, ...path)).toEqual(found);
  });

  it('takes a value only as what it is', () => {
    expect([asString('a'), asString(1), asNumber(1), asNumber('1')]).toEqual(['a', undefined, 1, undefined]);
    expect([asArray([1]), asArray('ab'), asArray(undefined)]).toEqual([[1], [], []]);
  });
});

describe("Helm's merge of values", () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['maps merge deeply', { a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }, { a: { b: 1, c: 3, d: 4 } }],
    ['lists are replaced', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['null is kept: to helm it means that the key goes', { a: 1 }, { a: null }, { a: null }],
    ['a map gives way to a scalar', { a: { b: 1 } }, { a: 2 }, { a: 2 }],
    ['a scalar gives way to a map', { a: 2 }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['a list gives way to a map', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('%s', (_say, base, over, merged) => {
    expect(mergeValues(base, over)).toEqual(merged);
  });

  it('changes neither of the two', () => {
    const base = Object.freeze({ a: Object.freeze({ b: 1 }) });
    const over = Object.freeze({ a: Object.freeze({ c: 2 }) });
    mergeValues(base, over);
    expect([base, over]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });

  const values = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(fc.integer(), fc.dictionary(fc.constantFrom('a', 'b'), fc.integer())),
  );

  it('of a thing with itself, or with nothing, is the thing', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(mergeValues(value, value)).toEqual(value);
        expect(mergeValues(value, {})).toEqual(value);
        expect(mergeValues({}, value)).toEqual(value);
      }),
    );
  });
});
