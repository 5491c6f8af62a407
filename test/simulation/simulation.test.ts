import { describe, expect, it } from 'vitest';
import { minimise } from './minimise.ts';
import { Rng } from './prng.ts';
import { simulate } from './simulation.ts';

const BATCH = 20;
const FIXED = 200;
const FRESH = 40;
const TIMEOUT_MS = 120_000;

/** Another one every second, and in the name of its test, so that what it finds can be found again. */
const fresh = 1_000_000 + (Math.floor(Date.now() / 1000) % 100_000_000);

/** What broke, and how to see it. */
async function failuresOf(from: number, count: number): Promise<readonly string[]> {
  const failures: string[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    const { violations } = await simulate({ seed });
    for (const { invariant, message } of violations) {
      failures.push(`${invariant}: ${message} (make simulate SEEDS=1 FROM=${String(seed)})`);
    }
  }
  return failures;
}

describe('I1 to I13 hold while the operator dies, requests fail and people edit', () => {
  const batches = Array.from({ length: FIXED / BATCH }, (_, index) => 1 + index * BATCH);
  it.each(batches)(
    'in the 20 simulations from %i on',
    async (from) => {
      expect(await failuresOf(from, BATCH)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    `in ${String(FRESH)} fresh ones from ${String(fresh)} on`,
    async () => {
      expect(await failuresOf(fresh, FRESH)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('a simulation', { timeout: TIMEOUT_MS }, () => {
  it('is the same every time', async () => {
    const first = await simulate({ seed: 2, traced: true });
    const second = await simulate({ seed: 2, traced: true });
    expect(first.trace.length).toBeGreaterThan(50);
    expect(second.trace).toEqual(first.trace);
  });

  it('can be repeated without any trouble', async () => {
    const { struck, lives } = await simulate({ seed: 2, only: [] });
    expect({ struck, lives }).toEqual({ struck: [], lives: 2 });
  });

  it('keeps all of its trouble when it cannot do without', async () => {
    const failure = { ...(await simulate({ seed: 2 })), violations: [{ invariant: 'none', message: '' }] };
    expect(await minimise(failure, 3)).toEqual(failure.struck);
  });
});

describe('chance', () => {
  it('is decided by the seed', () => {
    const draw = (seed: string): readonly number[] => {
      const rng = new Rng(seed);
      return [rng.int(1, 6), rng.int(1, 6), rng.int(1, 6), rng.int(1, 6), rng.int(1, 6), rng.int(1, 6)];
    };
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });
});
