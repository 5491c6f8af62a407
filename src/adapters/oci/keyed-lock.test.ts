import { describe, expect, it } from 'vitest';
import { KeyedLock } from './keyed-lock.ts';

function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('a keyed lock', () => {
  it('lets one at a time in, in the order of asking, and other keys freely', async () => {
    const lock = new KeyedLock();
    const first = gate();
    const order: string[] = [];
    const enter = (key: string, name: string, until?: Promise<void>): Promise<void> =>
      lock.run(key, async () => {
        order.push(`${name} in`);
        await until;
        order.push(`${name} out`);
      });
    const one = enter('a', 'one', first.opened);
    const two = enter('a', 'two');
    await enter('b', 'other');
    first.open();
    await Promise.all([one, two]);
    expect(order).toEqual(['one in', 'other in', 'other out', 'one out', 'two in', 'two out']);
  });

  it('goes on after a failure, which only its own caller sees', async () => {
    const lock = new KeyedLock();
    const failing = lock.run('a', () => Promise.reject(new Error('broken')));
    const next = lock.run('a', () => Promise.resolve('fine'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('fine');
  });

  it('ends the waiting of an aborted caller at once, and never begins its work', async () => {
    const lock = new KeyedLock();
    const first = gate();
    const abort = new AbortController();
    let begun = false;
    const one = lock.run('a', () => first.opened);
    const two = lock.run(
      'a',
      () => {
        begun = true;
        return Promise.resolve();
      },
      abort.signal,
    );
    abort.abort(new Error('enough'));
    await expect(two).rejects.toThrow('enough');
    first.open();
    await one;
    await lock.run('a', () => Promise.resolve());
    expect(begun).toBe(false);
  });

  it('does not even wait for a caller that was aborted before', async () => {
    const aborted = AbortSignal.abort(new Error('before'));
    await expect(new KeyedLock().run('a', () => Promise.resolve(), aborted)).rejects.toThrow('before');
  });
});
