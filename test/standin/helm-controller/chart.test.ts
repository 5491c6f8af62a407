import { describe, expect, it } from 'vitest';
import { versionFor } from './chart.ts';
import type { SourceKind } from './source.ts';

const DIGEST = 'sha256:3d058a0a854d025822e394bab732954e10128f4faa6537925a5b290553d2d3ea';

describe('the version of a chart', () => {
  it.each<[string, string, SourceKind, string, string]>([
    ['[01] gets the digest of its manifest', '1.0.0', 'OCIRepository', `1.0.0@${DIGEST}`, '1.0.0+3d058a0a854d'],
    ['gets it also when it is pinned by digest alone', '1.0.0', 'OCIRepository', DIGEST, '1.0.0+3d058a0a854d'],
    [
      'F85 gets it in place of its own metadata',
      '1.2.3+up4',
      'OCIRepository',
      `1.2.3_up4@${DIGEST}`,
      '1.2.3+3d058a0a854d',
    ],
    ['keeps its pre-release', '1.0.0-rc.1', 'OCIRepository', `1.0.0-rc.1@${DIGEST}`, '1.0.0-rc.1+3d058a0a854d'],
    ['loses its v', 'v1.0.0', 'OCIRepository', `1.0.0@${DIGEST}`, '1.0.0+3d058a0a854d'],
    ['[26] stays as it is in a repository of charts', '1.2.3+up4', 'HelmChart', '1.2.3+up4', '1.2.3+up4'],
  ])('%s', (_, version, kind, revision, expected) => {
    expect(versionFor(version, revision, kind)).toBe(expected);
  });

  it.each([
    ['is another one than the tag says', '1.0.0', `1.1.0@${DIGEST}`],
    ['has a tag that is none', '1.0.0', `latest@${DIGEST}`],
  ])('is refused when it %s', (_, version, revision) => {
    expect(() => versionFor(version, revision, 'OCIRepository')).toThrow();
  });
});
