import { describe, expect, it } from 'vitest';
import { didYouMean, editDistance } from './did-you-mean.ts';

describe('editDistance', () => {
  it.each([
    ['equal words', 'version', 'version', 0],
    ['one missing letter', 'verson', 'version', 1],
    ['one letter too many', 'versiion', 'version', 1],
    ['one wrong letter', 'varient', 'variant', 1],
    ['two swapped neighbours count once', 'naem', 'name', 1],
    ['an empty word', '', 'abc', 3],
    ['an empty other word', 'abc', '', 3],
    ['nothing in common', 'abc', 'xyz', 3],
    ['swap at the end', 'chatr', 'chart', 1],
  ])('counts %s', (_, a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe('didYouMean', () => {
  const fields = ['variant', 'version', 'components', 'upgrade', 'crdPolicy'];

  it.each([
    ['varient', 'variant'],
    ['vresion', 'version'],
    ['Components', 'components'],
    ['crdpolicy', 'crdPolicy'],
    ['component', 'components'],
  ])('finds what %s stands for', (word, meant) => {
    expect(didYouMean(word, fields)).toBe(meant);
  });

  it.each(['values', 'x', '', 'namespace'])('has no guess for %j', (word) => {
    expect(didYouMean(word, fields)).toBeUndefined();
  });

  it('prefers the nearest candidate, then the first', () => {
    expect(didYouMean('nane', ['name', 'names', 'nine'])).toBe('name');
    expect(didYouMean('bat', ['cat', 'hat'])).toBe('cat');
  });

  it.each([
    ['x', 'y'],
    ['ab', 'ac'],
  ])('does not take %s for %s: too short to tell', (word, candidate) => {
    expect(didYouMean(word, [candidate])).toBeUndefined();
  });

  it('has no guess without candidates', () => {
    expect(didYouMean('name', [])).toBeUndefined();
  });
});
