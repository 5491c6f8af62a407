import { describe, expect, it } from 'vitest';
import { compareVersions, parseVersion } from './version.ts';

function compare(a: string, b: string): number | string {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left.kind === 'invalid') return left.message;
  return right.kind === 'invalid' ? right.message : compareVersions(left.version, right.version);
}

describe('F87 a number in a pre-release', () => {
  it('that is glued to a word is compared as text', () => {
    expect(compare('1.0.0-alpha99', '1.0.0-alpha100')).toBe(1);
  });

  it('that stands alone is compared as a number', () => {
    expect(compare('1.0.0-alpha.99', '1.0.0-alpha.100')).toBe(-1);
  });
});
