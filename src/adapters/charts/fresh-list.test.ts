import { describe, expect, it } from 'vitest';
import { rest, VirtualClock } from '../../../test/fakes/clock.ts';
import { FreshList } from './fresh-list.ts';

/** Lists that end when the test says so, numbered from 1. */
function lists() {
  const clock = new VirtualClock();
  const ends: (() => void)[] = [];
  const read = () =>
    new Promise<number>((resolve) => {
      const number = ends.length + 1;
      ends.push(() => {
        resolve(number);
      });
    });
  return { clock, ends, fresh: new FreshList(read, clock) };
}

describe('a fresh list', () => {
  it('begins at once, and is shared by those who asked before it began', async () => {
    const { fresh, ends } = lists();
    const answers = Promise.all([fresh.next(), fresh.next()]);
    await rest();
    ends[0]?.();
    expect(await answers).toEqual([1, 1]);
  });

  it('is not given to those who asked after it began: they get the next one', async () => {
    const { fresh, ends, clock } = lists();
    const first = fresh.next();
    await rest();
    const later = [fresh.next(), fresh.next()];
    ends[0]?.();
    expect(await first).toBe(1);
    await clock.advance(999);
    expect(ends).toHaveLength(1);
    await clock.advance(1);
    ends[1]?.();
    expect(await Promise.all(later)).toEqual([2, 2]);
  });

  it('that took long is followed by a longer pause', async () => {
    const { fresh, ends, clock } = lists();
    const first = fresh.next();
    await clock.advance(2000);
    ends[0]?.();
    await first;
    const later = fresh.next();
    await clock.advance(17_999);
    expect(ends).toHaveLength(1);
    await clock.advance(1);
    ends[1]?.();
    expect(await later).toBe(2);
  });

  it('that failed is followed by another one', async () => {
    const clock = new VirtualClock();
    const answers = [() => Promise.reject(new Error('no')), () => Promise.resolve('yes')];
    const fresh = new FreshList(() => answers.shift()?.() ?? Promise.resolve('end'), clock);
    await expect(fresh.next()).rejects.toThrow('no');
    const later = fresh.next();
    await clock.advance(1000);
    expect(await later).toBe('yes');
  });
});
