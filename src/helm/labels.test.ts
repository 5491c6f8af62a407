import { describe, expect, it } from 'vitest';
import { desiredRelease } from '../../test/build/helm-release.ts';
import { digestLabel, digestOfLabel, nameLabel, releaseLabels } from './labels.ts';

const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

describe('nameLabel', () => {
  it.each(['web', 'a', 'x'.repeat(63), 'my.package-1'])('leaves %s as it is', (name) => {
    expect(nameLabel(name)).toBe(name);
  });

  it.each(['x'.repeat(64), `${'y'.repeat(200)}.z`, 'ends-', '-', ''])('makes a label of "%s"', (name) => {
    expect(nameLabel(name)).toMatch(LABEL_VALUE);
    expect(nameLabel(name)).toBe(nameLabel(name));
  });

  it('keeps long names apart that begin alike', () => {
    const [a, b] = ['a', 'b'].map((end) => nameLabel('x'.repeat(100) + end));
    expect(a).not.toBe(b);
  });
});

describe('a digest on a release', () => {
  it.each([`sha256:${'00'.repeat(32)}`, `sha256:${'ff'.repeat(32)}`, `sha256:${'0f1e'.repeat(16)}`, 'a1b2c3'])(
    '%s fits into a label and comes back as it was',
    (digest) => {
      expect(digestLabel(digest)).toMatch(LABEL_VALUE);
      expect(digestOfLabel(digestLabel(digest))).toBe(digest);
    },
  );
});

describe('releaseLabels', () => {
  it('sets all four each time', () => {
    expect(releaseLabels(desiredRelease())).toEqual({
      'kubepkg.dev/package': 'shop',
      'kubepkg.dev/component': 'web',
      'kubepkg.dev/attempt': 'token-2',
      'kubepkg.dev/digest': 'digest-2',
    });
  });

  it.each([{ token: 'not/a label' }, { token: 'x'.repeat(64) }, { digest: 'sha256:short' }])(
    'refuses what does not fit: %o',
    (shape) => {
      expect(() => releaseLabels(desiredRelease(shape))).toThrow(expect.objectContaining({ code: 'Internal' }));
    },
  );
});
