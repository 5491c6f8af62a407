import { describe, expect, it } from 'vitest';
import { tagOfVersion } from './chart-tag.ts';

describe('the tag of a version', () => {
  it.each([
    ['1.2.3', '1.2.3'],
    ['1.2.3+up4', '1.2.3_up4'],
    ['v1.2.3-rc.1+up4.1', 'v1.2.3-rc.1_up4.1'],
  ])('F85 stores %s as %s', (version, tag) => {
    expect(tagOfVersion(version)).toBe(tag);
  });
});
