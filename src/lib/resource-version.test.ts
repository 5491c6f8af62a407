import { describe, expect, it } from 'vitest';
import { isOlderVersion } from './resource-version.ts';

describe('a resource version', () => {
  it.each<[string | undefined, string | undefined, boolean]>([
    ['1', '2', true],
    ['2', '2', false],
    ['3', '2', false],
    ['9', '10', true],
    ['10', '9', false],
    ['9007199254740992', '9007199254740993', true],
    ['abc', '2', false],
    ['1', 'abc', false],
    ['', '2', false],
    ['1x', '2', false],
    [undefined, '2', false],
    ['1', undefined, false],
  ])('%s compared with the known %s: older is %s', (candidate, known, older) => {
    expect(isOlderVersion(candidate, known)).toBe(older);
  });
});
