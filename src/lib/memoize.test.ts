import { describe, expect, it } from 'vitest';
import { memoize, memoizeAsync, memoizeLatest } from './memoize.ts';

describe('a function of two that is memoized', () => {
  it('is asked again when the second one is another', () => {
    const asked: unknown[] = [];
    const answerFor = memoizeLatest((key: { readonly name: string }, other: string) => {
      asked.push([key.name, other]);
      return `${key.name}${other}`;
    });
    const key = { name: 'a' };
    expect(['1', '1', '2', '1'].map((other) => answerFor(key, other))).toEqual(['a1', 'a1', 'a2', 'a1']);
    expect(asked).toEqual([
      ['a', '1'],
      ['a', '2'],
      ['a', '1'],
    ]);
  });
});

describe('a memoized function', () => {
  it('is asked once for each object, also where it answers nothing', () => {
    const asked: object[] = [];
    const answerFor = memoize((key: { readonly name: string }): string | undefined => {
      asked.push(key);
      return key.name === '' ? undefined : key.name;
    });
    const [named, nameless, twin] = [{ name: 'a' }, { name: '' }, { name: 'a' }];
    const answers = [named, nameless, named, nameless, twin].map(answerFor);
    expect(answers).toEqual(['a', undefined, 'a', undefined, 'a']);
    expect(asked).toEqual([named, nameless, twin]);
  });

  it('is asked again where it failed', () => {
    const asked: object[] = [];
    const answerFor = memoize((key: object): number => {
      asked.push(key);
      if (asked.length === 1) throw new RangeError('not yet');
      return asked.length;
    });
    const key = {};
    expect(() => answerFor(key)).toThrow(RangeError);
    expect([answerFor(key), answerFor(key)]).toEqual([2, 2]);
  });
});

describe('a memoized function that takes its time', () => {
  it('is asked once for each object, and again where it failed', async () => {
    const asked: object[] = [];
    const answerFor = memoizeAsync((key: object): Promise<number> => {
      asked.push(key);
      return asked.length === 1 ? Promise.reject(new RangeError('not yet')) : Promise.resolve(asked.length);
    });
    const key = {};
    await expect(Promise.all([answerFor(key), answerFor(key)])).rejects.toThrow('not yet');
    expect(asked).toHaveLength(1);
    expect(await Promise.all([answerFor(key), answerFor(key), answerFor({})])).toEqual([2, 2, 3]);
  });
});
