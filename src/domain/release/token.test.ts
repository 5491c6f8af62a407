import { describe, expect, it } from 'vitest';
import { type Attempt, attemptToken, labelDigest } from './token.ts';

const ATTEMPT: Attempt = { packageUid: 'p-1', revisionUid: 'r-1', component: 'app', attempt: 1 };
const LABEL_VALUE = /^[a-z0-9]{1,63}$/;

describe('a token', () => {
  it('is the same for the same attempt, whoever asks, and fits into a label', () => {
    expect(attemptToken({ attempt: 1, component: 'app', revisionUid: 'r-1', packageUid: 'p-1' })).toBe(
      attemptToken(ATTEMPT),
    );
    expect(attemptToken(ATTEMPT)).toMatch(LABEL_VALUE);
  });

  it.each<[string, Partial<Attempt>]>([
    ['attempt', { attempt: 2 }],
    ['component', { component: 'store' }],
    ['revision, even one of the same number that was made anew', { revisionUid: 'r-2' }],
    ['package, even one of the same name that was made anew', { packageUid: 'p-2' }],
  ])('is another for another %s', (_what, change) => {
    expect(attemptToken({ ...ATTEMPT, ...change })).not.toBe(attemptToken(ATTEMPT));
  });

  it('does not run its parts together', () => {
    expect(attemptToken({ ...ATTEMPT, packageUid: 'p-1r', revisionUid: '-1' })).not.toBe(attemptToken(ATTEMPT));
  });
});

describe('a digest for a label', () => {
  it('fits into one and does not depend on the order of keys', () => {
    expect(labelDigest({ a: 1, b: [2] })).toBe(labelDigest({ b: [2], a: 1 }));
    expect(labelDigest({ a: 1, b: [2] })).toMatch(LABEL_VALUE);
    expect(labelDigest({ a: 1 })).not.toBe(labelDigest({ a: 2 }));
  });
});
