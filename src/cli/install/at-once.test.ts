import { describe, expect, it } from 'vitest';
import { atOnce } from './at-once.ts';

/** Work that ends when it is told to, so that a test chooses the order. */
function byHand() {
  const running = new Map<number, (error?: Error) => void>();
  const begun: number[] = [];
  const work = (item: number): Promise<string> => {
    begun.push(item);
    return new Promise((resolve, reject) => {
      running.set(item, (error) => {
        running.delete(item);
        if (error === undefined) resolve(`done ${String(item)}`);
        else reject(error);
      });
    });
  };
  const end = async (item: number, error?: Error): Promise<void> => {
    running.get(item)?.(error);
    await new Promise(setImmediate);
  };
  return { work, begun, running, end };
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

describe('work on many items', () => {
  it('gives what it gives in the order of the items, whichever ends first', async () => {
    const { work, end } = byHand();
    const results = atOnce(numbers(3), work);
    for (const item of [2, 0, 1]) await end(item);
    expect(await results).toEqual(['done 0', 'done 1', 'done 2']);
  });

  it('is bounded, and goes on with the next one as soon as one has ended', async () => {
    const { work, begun, running, end } = byHand();
    const results = atOnce(numbers(20), work);
    expect(begun).toEqual(numbers(8));
    await end(7);
    expect(begun).toEqual(numbers(9));
    while (running.size > 0) for (const item of [...running.keys()]) await end(item);
    expect(await results).toHaveLength(20);
  });

  it('fails with the first failure in that order, and begins nothing after one', async () => {
    const { work, begun, running, end } = byHand();
    const results = atOnce(numbers(20), work);
    const failed = expect(results).rejects.toThrow('of 3');
    await end(6, new Error('of 6'));
    await end(3, new Error('of 3'));
    for (const item of [...running.keys()]) await end(item);
    await failed;
    expect(begun).toEqual(numbers(8));
  });

  it('is done at once where there is nothing to do', async () => {
    expect(await atOnce([], () => Promise.reject(new Error('no')))).toEqual([]);
  });
});
