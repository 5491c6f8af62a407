import { beforeEach, describe, expect, it } from 'vitest';
import { rest, VirtualClock } from '../../test/fakes/clock.ts';
import { type ErrorCode, KubepkgError } from '../api/errors.ts';
import type { SubmitOutcome } from '../ports/backend.ts';
import { Deliveries } from './deliveries.ts';

const APP = { package: 'shop', component: 'app', releaseName: 'app', namespace: 'shop' };
const OTHER = { ...APP, component: 'other', releaseName: 'other' };
/** The same release, wanted by another package. */
const RIVAL = { ...APP, package: 'front' };
const ACCEPTED: SubmitOutcome = { kind: 'accepted' };

describe('deliveries', () => {
  let clock: VirtualClock;
  let deliveries: Deliveries;
  let ended: string[];

  beforeEach(() => {
    clock = new VirtualClock();
    deliveries = new Deliveries(clock);
    ended = [];
  });

  function start(work: (signal: AbortSignal) => Promise<SubmitOutcome>, token = 'token-1', target = APP): boolean {
    const tell = (awaitedBy: readonly string[]): void => {
      const { releaseName, namespace } = target;
      ended.push([`${namespace}/${releaseName}`, deliveries.view(target).kind, ...awaitedBy].join(' '));
    };
    return deliveries.start({ target, token, ends: true, work, onEnd: tell });
  }

  function failing(code: ErrorCode, details = {}): () => Promise<SubmitOutcome> {
    return () => Promise.resolve({ kind: 'failed', error: new KubepkgError(code, 'it did not work', details) });
  }

  /** Work that lasts until it is aborted. */
  function lasting(signal: AbortSignal): Promise<SubmitOutcome> {
    return new Promise((resolve) => {
      const stopped: SubmitOutcome = { kind: 'failed', error: new KubepkgError('HelmKilled', 'stopped') };
      signal.addEventListener('abort', () => {
        resolve(stopped);
      });
    });
  }

  describe('how an attempt failed that a controller carries out', () => {
    const OUTSIDE = { code: 'ComponentFailed', message: 'an action failed' } as const;
    const told = (): unknown => deliveries.view(APP);

    it('is learned, once', () => {
      deliveries.learn(APP, 'token-1', OUTSIDE);
      const first = told();
      expect(first).toMatchObject({ kind: 'failed', token: 'token-1', code: 'ComponentFailed' });
      deliveries.learn(APP, 'token-1', OUTSIDE);
      expect(told()).toBe(first);
    });

    it('P9 takes nothing from the next attempt, which failed before its controller was told', async () => {
      deliveries.learn(APP, 'token-1', OUTSIDE);
      start(failing('ApiInvalid'), 'token-2');
      await rest();
      deliveries.learn(APP, 'token-1', OUTSIDE);
      expect(told()).toMatchObject({ token: 'token-2', code: 'ApiInvalid' });
    });

    it('P9 waits for the pause of a stop that failed', async () => {
      const work = failing('ApiTimeout');
      deliveries.start({
        target: APP,
        token: undefined,
        ends: true,
        stops: 'token-1',
        work,
        onEnd: () => ended.push(''),
      });
      await rest();
      deliveries.learn(APP, 'token-1', OUTSIDE);
      expect(told()).toMatchObject({ token: undefined, code: 'ApiTimeout' });
      await clock.advance(60_000);
      deliveries.learn(APP, 'token-1', OUTSIDE);
      expect(told()).toMatchObject({ token: 'token-1' });
    });
  });

  describe('P21 two packages that want one release', () => {
    let end: () => void;

    beforeEach(async () => {
      start(
        () =>
          new Promise((resolve) => {
            end = () => {
              resolve(ACCEPTED);
            };
          }),
      );
      await rest();
    });

    it('are not at work on it at once, whatever the second one saw', async () => {
      let begun = false;
      const work = (): Promise<SubmitOutcome> => {
        begun = true;
        return Promise.resolve(ACCEPTED);
      };
      expect(start(work, 'token-2', RIVAL)).toBe(false);
      await rest();
      expect([begun, deliveries.running()]).toEqual([false, 1]);
    });

    it('the second one is told who has it, and when that has ended', async () => {
      expect([deliveries.rivalOf(RIVAL), deliveries.rivalOf(APP), deliveries.rivalOf(OTHER)]).toEqual([
        'shop',
        undefined,
        undefined,
      ]);
      end();
      await rest();
      expect(ended).toEqual(['shop/app accepted front']);
      expect(deliveries.rivalOf(RIVAL)).toBeUndefined();
    });

    it('what one of them runs is not stopped for the other, and goes on when that one is forgotten', async () => {
      expect(deliveries.view(RIVAL)).toEqual({ kind: 'none' });
      deliveries.stop(RIVAL);
      deliveries.forget('front');
      await rest();
      expect(deliveries.view(APP).kind).toBe('running');
    });

    it('how it ended for one says nothing of the other', async () => {
      end();
      await rest();
      start(failing('ApiConflict'), 'token-2', RIVAL);
      await rest();
      expect(deliveries.view(APP)).toEqual({ kind: 'accepted', token: 'token-1' });
      expect(deliveries.view(RIVAL)).toMatchObject({ kind: 'failed', token: 'token-2' });
      deliveries.forget('shop');
      expect([deliveries.view(APP).kind, deliveries.view(RIVAL).kind]).toEqual(['none', 'failed']);
    });

    it('a drain awaits what runs, though the other one came to it meanwhile', async () => {
      start(lasting, 'token-2', RIVAL);
      let drained = false;
      const drain = deliveries.drain().then(() => {
        drained = true;
      });
      await rest();
      expect(drained).toBe(false);
      end();
      await drain;
    });
  });

  describe('a delivery', () => {
    it('runs from the moment it is started, though its work begins later', () => {
      start(() => Promise.resolve(ACCEPTED));
      expect([deliveries.view(APP).kind, deliveries.running()]).toEqual(['running', 1]);
    });

    it('P9 that is stopped while a chart is fetched, say, ended for a reason that may pass', async () => {
      start(
        (signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(new Error('This operation was aborted'));
            });
          }),
      );
      await rest();
      deliveries.stop(APP);
      await rest();
      expect(deliveries.view(APP)).toMatchObject({ kind: 'failed', code: 'HelmKilled', transient: true });
    });

    it('that ended well says which attempt it was, and is known when its end is told', async () => {
      start(() => Promise.resolve(ACCEPTED));
      await rest();
      expect(deliveries.view(APP)).toEqual({ kind: 'accepted', token: 'token-1' });
      expect(ended).toEqual(['shop/app accepted']);
      expect(deliveries.running()).toBe(0);
    });

    it('of nothing is none', () => {
      expect(deliveries.view(OTHER)).toEqual({ kind: 'none' });
    });

    it.each<[ErrorCode, boolean]>([
      ['ApiConflict', true],
      ['HelmKilled', true],
      ['WebhookNotAnswering', true],
      ['NamespaceTerminating', true],
      ['ImmutableField', false],
      ['HelmFailed', false],
      ['DigestMismatch', false],
      ['Internal', false],
    ])('R11 that ended with %s may be tried again: %s', async (code, transient) => {
      start(failing(code));
      await rest();
      const view = deliveries.view(APP);
      expect(view).toMatchObject({ kind: 'failed', token: 'token-1', code, message: 'it did not work', transient });
    });

    it('that throws has failed with our code, and its end is told', async () => {
      start(() => Promise.reject(new KubepkgError('ApiThrottled', 'slow down')));
      await rest();
      expect(deliveries.view(APP)).toMatchObject({ kind: 'failed', code: 'ApiThrottled' });
      start(() => {
        throw new Error('a fault of ours');
      });
      await rest();
      expect(deliveries.view(APP)).toMatchObject({ kind: 'failed', code: 'Internal', transient: false });
      expect(ended).toHaveLength(2);
    });
  });

  describe('R11 the pause after a failure', () => {
    async function pauseAfter(code: ErrorCode, details = {}): Promise<number> {
      start(failing(code, details));
      await rest();
      const view = deliveries.view(APP);
      if (view.kind !== 'failed') throw new Error(`it is ${view.kind}`);
      return view.retryAt - clock.now();
    }

    it('grows with every failure of the same release, up to half a minute', async () => {
      const pauses: number[] = [];
      for (let failure = 0; failure < 7; failure += 1) pauses.push(await pauseAfter('ApiConflict'));
      expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    });

    it('is at least what the other side asked for', async () => {
      expect(await pauseAfter('ApiThrottled', { retryAfterMs: 45_000 })).toBe(45_000);
      expect(await pauseAfter('ApiThrottled', { retryAfterMs: 500 })).toBe(2000);
    });

    it('begins anew after a success', async () => {
      await pauseAfter('ApiConflict');
      start(() => Promise.resolve(ACCEPTED));
      await rest();
      expect(await pauseAfter('ApiConflict')).toBe(1000);
    });

    it('of one release is not that of another', async () => {
      await pauseAfter('ApiConflict');
      start(failing('ApiConflict'), 'token-1', OTHER);
      await rest();
      expect(deliveries.view(OTHER)).toMatchObject({ retryAt: clock.now() + 1000 });
    });
  });

  describe('the end of deliveries', () => {
    it('one that is stopped ends, and no other', async () => {
      start(lasting);
      start(lasting, 'token-2', OTHER);
      await rest();
      deliveries.stop(APP);
      await rest();
      expect(ended).toEqual(['shop/app failed']);
      expect(deliveries.view(OTHER).kind).toBe('running');
    });

    it('a drain waits for what runs, and stops nothing', async () => {
      let finish: (outcome: SubmitOutcome) => void = () => undefined;
      start(() => new Promise((resolve) => (finish = resolve)));
      let drained = false;
      const drain = deliveries.drain().then(() => {
        drained = true;
      });
      await rest();
      expect(drained).toBe(false);
      finish(ACCEPTED);
      await drain;
      expect(ended).toEqual(['shop/app accepted']);
    });

    it('an abort stops all that runs and waits until it is gone', async () => {
      start(lasting);
      start(lasting, 'token-2', OTHER);
      await rest();
      await deliveries.abort();
      expect(ended.sort()).toEqual(['shop/app failed', 'shop/other failed']);
      expect(deliveries.running()).toBe(0);
    });

    it('what is started after an abort is stopped at once: a turn may have been under way', async () => {
      await deliveries.abort();
      let aborted = false;
      start((signal) => {
        aborted = signal.aborted;
        return Promise.resolve(ACCEPTED);
      });
      await rest();
      expect(aborted).toBe(true);
    });

    it('what has ended can be forgotten, what runs cannot', async () => {
      start(lasting);
      deliveries.forget('shop');
      expect(deliveries.view(APP).kind).toBe('running');
      await rest();
      deliveries.stop(APP);
      await rest();
      deliveries.forget('shop');
      expect(deliveries.view(APP)).toEqual({ kind: 'none' });
      start(failing('ApiConflict'));
      await rest();
      expect(deliveries.view(APP)).toMatchObject({ retryAt: clock.now() + 1000 });
    });
  });
});
