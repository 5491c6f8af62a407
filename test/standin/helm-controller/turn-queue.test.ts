import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../fakes/clock.ts';
import { type TurnOutcome, TurnQueue } from './turn-queue.ts';

const REST: TurnOutcome = { kind: 'settled' };

interface Trial {
  readonly clock: VirtualClock;
  readonly queue: TurnQueue;
  /** Keys and times of the turns that were begun. */
  readonly begun: string[];
  /** Ends the turn of a key that runs. */
  readonly end: (key: string, outcome: TurnOutcome) => Promise<void>;
}

function trial(workers = 10): Trial {
  const clock = new VirtualClock();
  const start = clock.now();
  const running = new Map<string, (outcome: TurnOutcome) => void>();
  const begun: string[] = [];
  const turn = (key: string): Promise<TurnOutcome> => {
    begun.push(`${key}@${String(clock.now() - start)}`);
    return new Promise((resolve) => running.set(key, resolve));
  };
  const queue = new TurnQueue({ clock, workers, baseMs: 750, maxMs: 5000, turn });
  return {
    clock,
    queue,
    begun,
    end: async (key, outcome) => {
      running.get(key)?.(outcome);
      await clock.advance(0);
    },
  };
}

describe('the queue of turns', () => {
  it('takes one turn of an object at a time, and the next one at once when it is asked for meanwhile', async () => {
    const { queue, begun, end } = trial();
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect(begun).toEqual(['a@0', 'b@0']);
    await end('a', REST);
    expect(begun).toEqual(['a@0', 'b@0', 'a@0']);
    await end('a', REST);
    expect(begun).toHaveLength(3);
  });

  it('has no more turns at once than it has workers', async () => {
    const { queue, begun, end } = trial(2);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    expect(begun).toEqual(['a@0', 'b@0']);
    await end('b', REST);
    expect(begun).toEqual(['a@0', 'b@0', 'c@0']);
  });

  it('[08] tries again with pauses that double, and forgets them when a turn has ended well', async () => {
    const { clock, queue, begun, end } = trial();
    queue.add('a');
    for (const pause of [750, 1500, 3000, 5000, 5000]) {
      await end('a', { kind: 'retry' });
      await clock.advance(pause);
    }
    expect(begun).toEqual(['a@0', 'a@750', 'a@2250', 'a@5250', 'a@10250', 'a@15250']);
    await end('a', { kind: 'settled', afterMs: 100 });
    await clock.advance(100);
    await end('a', { kind: 'retry' });
    await clock.advance(750);
    expect(begun.slice(-2)).toEqual(['a@15350', 'a@16100']);
  });

  it("[10] an event takes a retry's place", async () => {
    const { clock, queue, begun, end } = trial();
    queue.add('a');
    await end('a', { kind: 'retry' });
    queue.add('a');
    await end('a', REST);
    await clock.advance(10_000);
    expect(begun).toEqual(['a@0', 'a@0']);
  });

  it('a later time puts nothing off', async () => {
    const { clock, queue, begun, end } = trial();
    queue.add('a', 100);
    queue.add('a', 500);
    await clock.advance(1000);
    expect(begun).toEqual(['a@100']);
    await end('a', { kind: 'stopped' });
    expect(clock.pending()).toEqual([]);
  });

  it('leaves a turn out that is not wanted any more when it could begin, unless something else wants one', async () => {
    const { clock, queue, begun, end } = trial();
    queue.add('a');
    queue.addIf('a', () => false);
    await end('a', { kind: 'settled', afterMs: 100 });
    expect(begun).toEqual(['a@0']);
    await clock.advance(100);
    queue.addIf('a', () => false);
    queue.add('a');
    await end('a', REST);
    queue.addIf('a', () => true);
    await end('a', REST);
    expect(begun).toEqual(['a@0', 'a@100', 'a@100', 'a@100']);
  });

  it('starts nothing more once it has stopped', async () => {
    const { clock, queue, begun, end } = trial(1);
    for (const key of ['a', 'b']) queue.add(key);
    queue.add('c', 100);
    queue.stop();
    await end('a', { kind: 'retry' });
    await clock.advance(1000);
    expect(begun).toEqual(['a@0']);
  });
});
