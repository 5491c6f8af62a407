import { describe, expect, it } from 'vitest';
import { compareQuantities } from './quantity.ts';

describe('two quantities', () => {
  it.each<readonly [unknown, unknown, number | undefined]>([
    ['1', '1000m', 0],
    [1, '1', 0],
    ['1.5', '1500m', 0],
    ['0.5', '.5', 0],
    ['1Gi', '1024Mi', 0],
    ['1G', '1e9', 0],
    ['1E3', '1000', 0],
    ['1E', '1e18', 0],
    ['100n', '0.0001m', 0],
    ['1Gi', '1G', 1],
    ['500m', '1', -1],
    ['-1', '1', -1],
    ['2Gi', '10Gi', -1],
    ['one', '1', undefined],
    ['', '0', undefined],
    ['1Xi', '1', undefined],
    ['1e999999', '1', undefined],
    [undefined, '1', undefined],
    [true, '1', undefined],
  ])('%j and %j compare as %j', (a, b, expected) => {
    expect(compareQuantities(a, b)).toBe(expected);
  });
});
