import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffDelay } from './backoff.ts';

const POLICY = { baseMs: 1000, maxMs: 30_000 };

describe('R11 the pause before a retry', () => {
  it.each([
    [0, 1000],
    [1, 1000],
    [2, 2000],
    [3, 4000],
    [5, 16_000],
    [6, 30_000],
    [60, 30_000],
    [5000, 30_000],
  ])('after %d failures is %d ms without jitter', (failures, ms) => {
    expect(backoffDelay(POLICY, failures, 0)).toBe(ms);
  });

  it('jitter takes off at most a fifth, and adds nothing', () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), chance, (failures, random) => {
        const full = backoffDelay(POLICY, failures, 0);
        const delay = backoffDelay(POLICY, failures, random);
        expect(delay).toBeGreaterThanOrEqual(full * 0.8);
        expect(delay).toBeLessThanOrEqual(full);
        expect(Number.isInteger(delay)).toBe(true);
      }),
    );
    expect(backoffDelay(POLICY, 1, 0.5)).toBe(900);
  });
});
