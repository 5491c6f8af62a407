import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rest, VirtualClock } from '../../test/fakes/clock.ts';
import { KubepkgError } from '../api/errors.ts';
import type { TurnResult } from '../engine/engine.ts';
import { WorkQueue } from './work-queue.ts';

const SETTLED: TurnResult = { kind: 'settled' };
const FAILED: TurnResult = { kind: 'failed', error: new KubepkgError('ApiUnreachable', 'no answer') };

function again(afterMs: number): TurnResult {
  return { kind: 'again', afterMs };
}

/** A queue whose turns end as a script says; after the script they settle. */
function scripted(script: readonly (TurnResult | Error)[], workers = 1) {
  const clock = new VirtualClock();
  const started = clock.now();
  const turns: { key: string; at: number }[] = [];
  const left = [...script];
  const queue = new WorkQueue({
    clock,
    workers,
    work: (key) => {
      turns.push({ key, at: clock.now() - started });
      const next = left.shift() ?? SETTLED;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
  });
  return { clock, queue, turns, times: () => turns.map(({ at }) => at) };
}

/** A queue whose turns last until the test ends them. */
function held(workers: number) {
  const clock = new VirtualClock();
  const begun: string[] = [];
  const ends = new Map<string, (result: TurnResult) => void>();
  const queue = new WorkQueue({
    clock,
    workers,
    work: (key) => {
      begun.push(key);
      return new Promise((resolve) => {
        ends.set(key, resolve);
      });
    },
  });
  const end = async (key: string, result = SETTLED): Promise<void> => {
    ends.get(key)?.(result);
    await rest();
  };
  return { clock, queue, begun, end };
}

describe('the queue', () => {
  it('runs keys in the order in which they came, each once however often it was added', async () => {
    const { queue, turns } = scripted([]);
    for (const key of ['b', 'a', 'b', 'c', 'a']) queue.add(key);
    await rest();
    expect(turns.map(({ key }) => key)).toEqual(['b', 'a', 'c']);
  });

  it('gives a key that was added during its turn one more, and no more than one', async () => {
    const { queue, begun, end } = held(2);
    queue.add('a');
    await rest();
    for (let times = 0; times < 3; times += 1) queue.add('a');
    await rest();
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'a']);
    await end('a');
    expect(begun).toEqual(['a', 'a']);
  });

  it('R12 goes on with the others while one key is stuck', async () => {
    const { queue, begun, end } = held(2);
    for (const key of ['stuck', 'a', 'b', 'c']) queue.add(key);
    await rest();
    for (const key of ['a', 'b', 'c']) await end(key);
    expect(begun).toEqual(['stuck', 'a', 'b', 'c']);
  });

  it.each([1, 2, 3])('never runs more than %i turns at once', async (workers) => {
    const { queue, begun } = held(workers);
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await rest();
    expect(begun).toHaveLength(workers);
    expect(queue.depth).toBe(4 - workers);
  });

  it('looks again after the time that a turn names', async () => {
    const { clock, queue, times } = scripted([again(500), again(0), again(2000)]);
    queue.add('a');
    await clock.advance(10_000);
    expect(times()).toEqual([0, 500, 500, 2500]);
  });

  it('lets an event come before that time, and forgets the time then', async () => {
    const { clock, queue, times } = scripted([again(1000)]);
    queue.add('a');
    await clock.advance(400);
    queue.add('a');
    await clock.advance(10_000);
    expect(times()).toEqual([0, 400]);
  });

  it('keeps the time that the newer turn named, not that of the older one', async () => {
    const { clock, queue, times } = scripted([again(1000), again(5000)]);
    queue.add('a');
    await clock.advance(400);
    queue.add('a');
    await clock.advance(10_000);
    expect(times()).toEqual([0, 400, 5400]);
  });

  it('doubles the pause with every failure in a row, up to a minute', async () => {
    const { clock, queue, times } = scripted(Array.from({ length: 11 }, () => FAILED));
    queue.add('a');
    await clock.advance(600_000);
    const pauses = times()
      .slice(1)
      .map((time, index) => time - (times()[index] ?? 0));
    expect(pauses).toEqual([200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000]);
  });

  it.each<[string, TurnResult, number[]]>([
    ['settled', SETTLED, [1000]],
    ['is to be looked at again', again(400), []],
  ])('begins with short pauses anew after a turn that %s', async (_what, result, added) => {
    const { clock, queue, times } = scripted([FAILED, FAILED, result, FAILED]);
    for (const ms of [0, ...added]) clock.after(ms, () => queue.add('a'));
    await clock.advance(5000);
    expect(times()).toEqual([0, 200, 600, 1000, 1200]);
  });

  it('waits as long as the other side asked for', async () => {
    const error = new KubepkgError('ApiThrottled', 'slow down', { retryAfterMs: 7000 });
    const { clock, queue, times } = scripted([{ kind: 'failed', error }]);
    queue.add('a');
    await clock.advance(20_000);
    expect(times()).toEqual([0, 7000]);
  });

  it('takes a turn that throws for a failed one', async () => {
    const { clock, queue, times } = scripted([new RangeError('bug')]);
    queue.add('a');
    await clock.advance(1000);
    expect(times()).toEqual([0, 200]);
  });

  it('drains: begins nothing more, cancels what was to come, and waits for what runs', async () => {
    const { clock, queue, begun, end } = held(2);
    for (const key of ['a', 'b']) queue.add(key);
    await rest();
    await end('b', again(10));
    queue.add('c');
    await rest();
    let drained = 0;
    queue.add('d');
    for (let times = 0; times < 2; times += 1) void queue.drain().then(() => (drained += 1));
    expect(clock.pending()).toEqual([]);
    queue.add('e');
    await end('a', FAILED);
    expect(drained).toBe(0);
    await end('c');
    expect(drained).toBe(2);
    await clock.advance(100_000);
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(clock.pending()).toEqual([]);
    expect(queue.depth).toBe(0);
  });
});

const deeds = fc.array(
  fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), atMs: fc.integer({ min: 0, max: 2000 }) }),
  { minLength: 1, maxLength: 40 },
);

/** How turns go: what each ends with, and how long each lasts. */
const turnPlans = fc.array(
  fc.record({
    result: fc.oneof(
      { weight: 3, arbitrary: fc.constant(SETTLED) },
      { weight: 2, arbitrary: fc.constant(FAILED) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 500 }).map(again) },
    ),
    throws: fc.boolean(),
    lastsMs: fc.integer({ min: 0, max: 300 }),
  }),
  { maxLength: 60 },
);

describe('whatever happens', () => {
  it('a key never runs twice at once, its last change is seen, and turns come to an end', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, turnPlans, fc.integer({ min: 1, max: 4 }), async (adds, plans, workers) => {
        const clock = new VirtualClock();
        const plan = [...plans];
        const running = new Set<string>();
        const written = new Map<string, number>();
        const seen = new Map<string, number>();
        let turns = 0;
        const queue = new WorkQueue({
          clock,
          workers,
          work: async (key) => {
            expect(running).not.toContain(key);
            expect(running.size).toBeLessThan(workers);
            running.add(key);
            turns += 1;
            const version = written.get(key) ?? 0;
            const { result, throws, lastsMs } = plan.shift() ?? { result: SETTLED, throws: false, lastsMs: 1 };
            await new Promise<void>((resolve) => void clock.after(lastsMs, resolve));
            running.delete(key);
            if (result.kind !== 'failed') seen.set(key, version);
            if (result.kind === 'failed' && throws) throw new Error('bug');
            return result;
          },
        });
        for (const { key, atMs } of adds) {
          clock.after(atMs, () => {
            written.set(key, (written.get(key) ?? 0) + 1);
            queue.add(key);
          });
        }
        await clock.advance(600_000);
        expect(running.size).toBe(0);
        expect([...seen].sort()).toEqual([...written].sort());
        expect(clock.pending()).toEqual([]);
        expect(turns).toBeLessThanOrEqual(adds.length + plans.length);
      }),
      { numRuns: 150 },
    );
  });

  it('many adds cost little: 200,000 over 5,000 keys give each key its turn', async () => {
    const { queue, turns } = scripted([], 4);
    for (let count = 0; count < 200_000; count += 1) queue.add(String(count % 5000));
    await rest();
    expect(turns).toHaveLength(5000);
  });
});
