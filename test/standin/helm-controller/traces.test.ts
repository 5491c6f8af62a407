import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ground, openGround } from './traces/ground.ts';
import { replay } from './traces/replay.ts';
import { readTrace, traceNames } from './traces/trace-file.ts';

/** Pauses and ticks are a tenth, so that a run takes minutes; deadlines have to leave pods some time to get ready. */
const TIMING = { pauses: 0.1, deadlines: 0.4, intervals: 1 };
/** "Idle controller: 40 ms after the change"; longer here, so that two requests of a driver come before it. */
const NOTICE_MS = 300;

interface Tolerated {
  readonly trace: RegExp;
  readonly state: RegExp;
  readonly because: string;
}

/**
 * What can be seen in one run and not in another, of the real controller as well; it is left out on both sides. All else
 * is equal, but for times, the digests of charts, and what helm says in its own words.
 */
const TOLERATED: readonly Tolerated[] = [
  {
    trace: /^(?:02|10|35)-/,
    state: /Ready=False\/SourceNotReady/,
    because: 'whether a new source is looked at before it was fetched is a race; retries come ten times as often here',
  },
  {
    trace: /^23-/,
    state: /^MODIFIED pending-/,
    because: 'helm 4.1.4 notes in the record that a hook has begun; the library of the real controller does not',
  },
];

/** In these, a source and values change at once, and the source-controller must not be the faster one. */
const SLOW_SOURCE = /^25-/;

describe('the stand-in for helm-controller, driven through the steps of a trace of the real one,', () => {
  let ground: Ground;

  beforeAll(async () => {
    ground = await openGround({ timing: TIMING, modes: { noticeMs: NOTICE_MS } });
  });

  afterAll(async () => {
    await ground.close();
  });

  it.concurrent.each(traceNames())('%s: goes through the same states', { timeout: 180_000 }, async (name) => {
    const { plane } = ground;
    const world = await ground.world(name);
    const tolerated = TOLERATED.filter(({ trace }) => trace.test(name));
    const sourceController = {
      freeze: (): void => plane.pause('source-controller'),
      thaw: (): void => plane.resume('source-controller'),
    };
    const { expected, actual } = await replay(readTrace(name), world, {
      isTolerated: (text) => tolerated.some(({ state }) => state.test(text)),
      ...(SLOW_SOURCE.test(name) ? { sourceController } : {}),
    });
    world.recorder.stop();
    expect(actual).toEqual(expected);
    expect(ground.errors).toEqual([]);
  });
});
