import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stableJson } from './stable-json.ts';

describe('canonical JSON', () => {
  it.each<[string, unknown, string]>([
    ['keys are sorted at every depth', { b: { d: 1, c: 2 }, a: [] }, '{"a":[],"b":{"c":2,"d":1}}'],
    [
      'keys are sorted by code units, not by language',
      { é: 1, z: 2, B: 3, a: 4, '1': 5, '': 6 },
      '{"":6,"1":5,"B":3,"a":4,"z":2,"é":1}',
    ],
    [
      'a key above the basic plane sorts by its surrogates',
      { '\u{1F600}': 1, '\uFB33': 2 },
      '{"\u{1F600}":1,"\uFB33":2}',
    ],
    ['the order of lists stays', [3, 1, 2], '[3,1,2]'],
    ['undefined keys are left out', { a: undefined, b: null }, '{"b":null}'],
    ['numbers are as JavaScript writes them', [1e21, 1e-7, 0.1, 100], '[1e+21,1e-7,0.1,100]'],
    ['minus zero is zero', -0, '0'],
    ['texts are escaped as JSON has it', 'a"\\\n\u0001/é', '"a\\"\\\\\\n\\u0001/é"'],
    ['scalars', [true, false, null], '[true,false,null]'],
  ])('%s', (_say, value, text) => {
    expect(stableJson(value)).toBe(text);
  });

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['an infinite number', [Number.POSITIVE_INFINITY]],
    ['undefined in a list', [undefined]],
    ['a bigint', 1n],
    ['a function', (): void => undefined],
    ['a lone high surrogate', 'a\uD800'],
    ['a lone low surrogate', '\uDC00a'],
    ['a lone surrogate in a key', { '\uD800': 1 }],
  ])('refuses %s, of which it would make two digests of one thing', (_say, value) => {
    expect(() => stableJson(value)).toThrow(TypeError);
  });

  it('does not depend on the order of keys, and is read back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = stableJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(stableJson(reversed(value))).toBe(text);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reversed(item)] as const);
  return Object.fromEntries(entries.reverse());
}
