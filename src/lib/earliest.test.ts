import { describe, expect, it } from 'vitest';
import { earliest } from './earliest.ts';

describe('the earliest of some moments', () => {
  it.each([
    [[], undefined],
    [[undefined, undefined], undefined],
    [[5, undefined], 5],
    [[undefined, 7, 3], 3],
    [[0, 1], 0],
  ])('of %j is %s', (moments, expected) => {
    expect(earliest(...moments)).toBe(expected);
  });
});
