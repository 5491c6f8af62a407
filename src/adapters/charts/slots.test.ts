import { describe, expect, it } from 'vitest';
import { rest } from '../../../test/fakes/clock.ts';
import { Slots } from './slots.ts';

/** Work that ends when the test says so. */
function piece(begun: string[], name: string) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = () => {
    begun.push(name);
    return ended;
  };
  return { work, end };
}

describe('slots', () => {
  it('let so many begin, and the others in turn, also after a failure', async () => {
    const begun: string[] = [];
    const slots = new Slots(2);
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => piece(begun, name));
    const run = (each: typeof a) => slots.run(() => each?.work() ?? Promise.resolve());
    const failing = slots.run(() => (a?.work() ?? Promise.resolve()).then(() => Promise.reject(new Error('no'))));
    for (const each of [b, c, d]) void run(each);
    await rest();
    expect(begun).toEqual(['a', 'b']);
    a?.end();
    await expect(failing).rejects.toThrow('no');
    void run(e);
    await rest();
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const each of [b, c, d, e]) each?.end();
    await rest();
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await slots.run(() => Promise.resolve('free again'))).toBe('free again');
  });
});
