import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tagOfVersion, versionOfTag } from './chart-tag.ts';

describe('the codec of versions and tags', () => {
  it.each([
    ['1.2.3', '1.2.3'],
    ['1.2.3+up4', '1.2.3_up4'],
    ['v1.2.3-rc.1+up4.1', 'v1.2.3-rc.1_up4.1'],
  ])('F85 stores %s as %s', (version, tag) => {
    expect(tagOfVersion(version)).toBe(tag);
    expect(versionOfTag(tag)).toBe(version);
  });

  it('F85 gives every version back', () => {
    const part = fc.stringMatching(/^[0-9A-Za-z.-]{1,12}$/);
    fc.assert(
      fc.property(part, part, part, (core, pre, build) => {
        const version = `1.0.${core}-${pre}+${build}`;
        expect(versionOfTag(tagOfVersion(version))).toBe(version);
        expect(tagOfVersion(version)).not.toContain('+');
      }),
    );
  });
});
