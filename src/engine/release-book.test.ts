import { beforeEach, describe, expect, it, vi } from 'vitest';
import { aRevisionComponent } from '../../test/build/objects.ts';
import { condition, deployment, widget } from '../../test/build/readiness-objects.ts';
import { rest, VirtualClock } from '../../test/fakes/clock.ts';
import { MemoryBackend, recordRef } from '../../test/fakes/memory-backend.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, refOf } from '../api/kube.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import type { ReleaseTarget } from '../ports/backend.ts';
import { ObjectTracker } from './object-tracker.ts';
import { type ReleaseAnswer, ReleaseBook, type ReleaseQuestion } from './release-book.ts';

const TARGET: ReleaseTarget = { package: 'shop', component: 'app', releaseName: 'app', namespace: 'shop' };
const APP = aRevisionComponent('app');
const READY = deployment();
const WAITING = deployment({}, { availableReplicas: 0, readyReplicas: 0 });
const FAILED = deployment(
  {},
  { conditions: [condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded' })] },
);

describe('the book of releases', () => {
  let cluster: MemoryCluster;
  let backend: MemoryBackend;
  let clock: VirtualClock;
  let tracker: ObjectTracker;
  let book: ReleaseBook;
  let woken: string[];

  beforeEach(() => {
    cluster = new MemoryCluster();
    cluster.serve('example.dev/v1', 'Widget');
    cluster.serve('example.dev/v1', 'Realm', false);
    backend = new MemoryBackend(cluster);
    clock = new VirtualClock();
    woken = [];
    tracker = new ObjectTracker(cluster, (key) => woken.push(key));
    book = new ReleaseBook({ cluster, tracker, clock });
  });

  const ask = (parts: Partial<ReleaseQuestion> = {}): Promise<ReleaseAnswer> =>
    book.ask({ backend, target: TARGET, component: APP, awaited: true, ...parts });

  /** A record of the release that owns these objects. */
  function leave(objects: readonly KubeObject[], parts: Parameters<MemoryBackend['leave']>[1] = {}): void {
    for (const object of objects) cluster.put(object);
    backend.leave(TARGET, { inventory: objects.map((object) => refOf(object)), ...parts });
  }

  async function statusOf(parts: Partial<ReleaseQuestion> = {}): Promise<string> {
    return (await ask(parts)).health.status;
  }

  describe('a release', () => {
    it('is looked at once, until something may have changed', async () => {
      leave([]);
      await ask();
      await ask();
      expect(backend.observations).toBe(1);
      book.markRelease('shop/other');
      await ask();
      expect(backend.observations).toBe(1);
      book.markRelease('shop/app');
      await ask();
      expect(backend.observations).toBe(2);
    });

    it('P16 that is gone is known by the token that it had', async () => {
      expect((await ask()).lastToken).toBeUndefined();
      leave([], { token: 'token-1' });
      book.markRelease('shop/app');
      expect((await ask()).lastToken).toBe('token-1');
      cluster.remove(recordRef(TARGET));
      book.markRelease('shop/app');
      expect(await ask()).toMatchObject({ observation: { state: 'absent' }, lastToken: 'token-1' });
    });

    it('P9 is read again when nobody looked for a while, and has not failed all that time', async () => {
      leave([FAILED]);
      const { failedSince } = (await ask()).health;
      await clock.advance(29_000);
      book.lookAway();
      expect((await ask()).health.failedSince).toBe((failedSince ?? 0) + 29_000);
      expect(backend.observations).toBe(2);
    });

    it('P9 is read again once its deadline has passed, before anything is given up on what was seen', async () => {
      leave([WAITING]);
      const deadline = clock.now() + 5000;
      expect(await statusOf({ deadline })).toBe('progressing');
      cluster.hold();
      cluster.put(READY);
      await clock.advance(4999);
      expect(await statusOf({ deadline })).toBe('progressing');
      await clock.advance(1);
      expect([await statusOf({ deadline }), await statusOf({ deadline })]).toEqual(['ready', 'ready']);
      expect(backend.observations).toBe(2);
    });

    it('P21 that is not there, or not ours, is looked for again when told, and one that is there is not', async () => {
      expect((await ask()).observation).toEqual({ state: 'absent' });
      leave([]);
      book.markUnlessPresent('shop/app');
      expect((await ask()).observation.state).toBe('present');
      book.markUnlessPresent('shop/app');
      await ask();
      expect(backend.observations).toBe(2);
    });

    it('R5 that changed is seen as it is now', async () => {
      expect((await ask()).observation).toEqual({ state: 'absent' });
      leave([], { revision: 4 });
      expect((await ask()).observation).toEqual({ state: 'absent' });
      book.markRelease('shop/app');
      expect((await ask()).observation).toMatchObject({ state: 'present', revision: 4 });
    });

    it.each([
      ['once', 1, 2],
      ['again and again', 99, 3],
    ])(
      'P16 that changes %s while it is looked at is looked at again, and not for ever',
      async (_often, times, looks) => {
        leave([], { revision: 4 });
        const observe = backend.observe.bind(backend);
        let changes = 0;
        const looked = vi.spyOn(backend, 'observe').mockImplementation((target) => {
          changes += 1;
          if (changes > times) return observe(target);
          // Between its requests the release was made.
          book.markRelease('shop/app');
          return Promise.resolve({ state: 'foreign', message: 'half of it is from before' });
        });
        const { observation } = await ask();
        expect(looked).toHaveBeenCalledTimes(looks);
        expect(observation.state).toBe(times === 1 ? 'present' : 'foreign');
      },
    );

    it('F98 that is awaited is read anew every minute, so that no lost event blocks for ever', async () => {
      leave([WAITING]);
      await ask();
      await clock.advance(59_999);
      await ask();
      expect(backend.observations).toBe(1);
      await clock.advance(1);
      cluster.hold();
      cluster.put(READY);
      expect(await statusOf()).toBe('ready');
      expect(backend.observations).toBe(2);
    });

    it('P22 that nobody waits for is not read again, however much time passes', async () => {
      leave([READY]);
      await ask({ awaited: false });
      const requests = cluster.requests.length;
      await clock.advance(3_600_000);
      await ask({ awaited: false });
      expect([backend.observations, cluster.requests.length]).toEqual([1, requests]);
    });

    it('that cannot be read at the moment is unknown, and read again in the next turn', async () => {
      leave([READY]);
      backend.failure = new KubepkgError('ApiUnreachable', 'nobody is there');
      expect(await ask()).toMatchObject({ observation: { state: 'unknown' }, health: { status: 'unobserved' } });
      backend.failure = undefined;
      expect((await ask()).observation.state).toBe('present');
    });

    it('that cannot be read for good is an error', async () => {
      backend.failure = new KubepkgError('ApiForbidden', 'cannot list secrets');
      await expect(ask()).rejects.toMatchObject({ code: 'ApiForbidden' });
    });

    it('of the same name that another package wants is another entry', async () => {
      leave([]);
      expect((await ask()).observation.state).toBe('present');
      expect((await ask({ target: { ...TARGET, package: 'other' } })).observation.state).toBe('foreign');
    });
  });

  describe('I11 the health of a release', () => {
    it('is judged on a live read after the delivery, not on what a watch had delivered before', async () => {
      leave([READY]);
      expect(await statusOf()).toBe('ready');
      cluster.hold();
      leave([WAITING], { revision: 2 });
      book.markRelease('shop/app');
      expect(await statusOf()).toBe('progressing');
    });

    it('I12 is unobserved while that read fails, says why, and the turn goes on', async () => {
      leave([READY]);
      cluster.before = ({ line }) => {
        if (line.startsWith('read Deployment')) throw new KubepkgError('ApiUnreachable', 'nobody is there');
      };
      expect((await ask()).health).toMatchObject({
        status: 'unobserved',
        message: 'its objects cannot be read: nobody is there',
      });
      cluster.before = () => undefined;
      expect(await statusOf()).toBe('ready');
    });

    it('follows its objects, and its package is woken by them', async () => {
      leave([WAITING]);
      expect(await statusOf()).toBe('progressing');
      await rest();
      woken.length = 0;
      cluster.put(READY);
      await rest();
      expect(woken.map((key) => book.packageOf(key))).toEqual(['shop']);
      expect(await statusOf()).toBe('ready');
      expect(backend.observations).toBe(1);
    });

    it('is unobserved when nobody says how to judge it: only whether it is there is asked', async () => {
      leave([READY]);
      expect(await statusOf({ component: undefined })).toBe('unobserved');
      expect(cluster.watched()).toEqual([]);
    });

    it('is unobserved while it was never delivered', async () => {
      leave([READY], { delivery: 'pending', everDelivered: false });
      expect(await statusOf()).toBe('unobserved');
    });

    it('P3 is that of the last completed record while a newer one is pending or has failed', async () => {
      leave([READY]);
      await ask();
      leave([], { revision: 2, delivery: 'pending', inventory: [refOf(READY)] });
      book.markRelease('shop/app');
      expect(await statusOf()).toBe('ready');
      cluster.put(WAITING);
      await rest();
      expect(await statusOf()).toBe('progressing');
    });

    it('is judged after a restart even though the newest record has failed', async () => {
      leave([READY], { revision: 2, delivery: 'failed' });
      expect(await statusOf()).toBe('ready');
    });

    it('follows other objects when a new record has others', async () => {
      leave([READY]);
      await ask();
      leave([widget({ status: {} })], { revision: 2 });
      book.markRelease('shop/app');
      await ask();
      expect(cluster.watched()).toEqual(['Widget']);
    });

    it('follows nothing any more once the release is gone', async () => {
      leave([READY]);
      await ask();
      cluster.remove({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'release.app' });
      book.markRelease('shop/app');
      expect((await ask()).observation).toEqual({ state: 'absent' });
      expect(cluster.watched()).toEqual([]);
    });

    it('knows since when it has been failed without a break', async () => {
      leave([FAILED]);
      const since = clock.now();
      expect((await ask()).health.failedSince).toBe(since);
      await clock.advance(10_000);
      expect((await ask()).health.failedSince).toBe(since);
      cluster.put(READY);
      await rest();
      expect((await ask()).health.failedSince).toBeUndefined();
      cluster.put(FAILED);
      await rest();
      expect((await ask()).health.failedSince).toBe(since + 10_000);
    });
  });

  describe('P7 what a component waits for besides', () => {
    const entry = {
      apiVersion: 'example.dev/v1',
      kind: 'Widget',
      name: 'web',
      condition: 'Ready',
      status: 'True' as const,
    };
    const waitingFor = (change: object = {}): RevisionComponent => ({ ...APP, readyWhen: [{ ...entry, ...change }] });
    const holding = (kind: string, namespace?: string): KubeObject => ({
      apiVersion: 'example.dev/v1',
      kind,
      metadata: { name: 'web', ...(namespace === undefined ? {} : { namespace }) },
      status: { conditions: [condition('Ready', 'True')] },
    });

    it.each<[string, RevisionComponent, KubeObject]>([
      ['is in the namespace of the component', waitingFor(), holding('Widget', 'shop')],
      ['is in the namespace that it names', waitingFor({ namespace: 'other' }), holding('Widget', 'other')],
      ['has none where its kind has none', waitingFor({ kind: 'Realm', namespace: 'other' }), holding('Realm')],
    ])('%s', async (_say, component, object) => {
      leave([]);
      expect(await statusOf({ component })).toBe('progressing');
      cluster.put(object);
      await rest();
      expect(woken).toEqual(['shop/app']);
      expect(await statusOf({ component })).toBe('ready');
    });

    it('is another when the component declares another, though its release is the same', async () => {
      leave([]);
      cluster.put(holding('Widget', 'shop'));
      expect(await statusOf({ component: waitingFor() })).toBe('ready');
      expect(await statusOf({ component: waitingFor({ name: 'absent' }) })).toBe('progressing');
      expect(await statusOf({ component: APP })).toBe('ready');
      expect(cluster.watched()).toEqual([]);
    });

    it('F29 turns out to have no namespace when its kind is served late: no namespace is waited for in vain', async () => {
      const component = waitingFor({ apiVersion: 'late.dev/v1', kind: 'Realm', namespace: 'other' });
      leave([]);
      expect(await statusOf({ component })).toBe('progressing');
      cluster.hold();
      cluster.serve('late.dev/v1', 'Realm', false);
      cluster.put({ ...holding('Realm'), apiVersion: 'late.dev/v1' });
      expect(await statusOf({ component })).toBe('ready');
      cluster.release();
      await rest();
      cluster.remove({ apiVersion: 'late.dev/v1', kind: 'Realm', name: 'web' });
      await rest();
      expect(await statusOf({ component })).toBe('progressing');
    });
  });

  describe('rule 4.10 what is awaited', () => {
    it.each<[string, () => void, string]>([
      ['is absent', () => undefined, 'absent'],
      ['is pending', () => leave([], { delivery: 'pending', everDelivered: false }), 'present'],
      ['belongs to someone else', () => leave([], { owner: 'somebody' }), 'foreign'],
    ])('F40 is read anew every minute though it %s', async (_say, arrange, state) => {
      arrange();
      expect((await ask()).observation.state).toBe(state);
      cluster.hold();
      leave([READY], { revision: 2 });
      await clock.advance(59_999);
      expect((await ask()).observation.state).toBe(state);
      await clock.advance(1);
      expect((await ask()).observation).toMatchObject({ state: 'present', delivery: 'delivered' });
    });

    it('and could not be read when it was looked at is ready once the permission is there', async () => {
      leave([READY]);
      cluster.before = ({ line }) => {
        if (line.startsWith('read Deployment')) throw new KubepkgError('ApiForbidden', 'cannot get deployments');
      };
      cluster.hold();
      expect((await ask()).health).toMatchObject({
        status: 'progressing',
        message: 'Deployment shop/web: cannot get deployments',
      });
      cluster.before = () => undefined;
      await clock.advance(60_000);
      expect(await statusOf()).toBe('ready');
    });

    it('I12 keeps what was seen of it while its release cannot be read', async () => {
      leave([FAILED]);
      const since = clock.now();
      await ask();
      await clock.advance(10_000);
      backend.failure = new KubepkgError('ApiUnreachable', 'nobody is there');
      book.markRelease('shop/app');
      expect(await ask()).toMatchObject({
        observation: { state: 'unknown', message: 'its release cannot be read: nobody is there' },
        health: { status: 'unobserved' },
      });
      backend.failure = undefined;
      expect((await ask()).health.failedSince).toBe(since);
    });
  });

  it('F22 tells since when it fails, in words that time does not change', async () => {
    leave([FAILED]);
    const { message } = (await ask()).health;
    expect(message).toContain(', since 2030-01-01T00:00:00Z');
    await clock.advance(10_000);
    expect((await ask()).health.message).toBe(message);
  });

  describe('I11 rule 4.1 at the beginning of a revision', () => {
    const held = (): KubeObject =>
      widget({ status: { observedGeneration: 2, conditions: [condition('Ready', 'True')] } });

    beforeEach(async () => {
      cluster.now = () => clock.now();
      leave([held()]);
      await clock.advance(60_000);
    });

    it('a component whose requirement was delivered anew waits for its controller, and tells until when', async () => {
      const controllerReadyAt = clock.now();
      expect((await ask({ controllerReadyAt })).health).toMatchObject({
        status: 'progressing',
        until: controllerReadyAt + 60_000,
      });
      await clock.advance(60_000);
      expect(await statusOf({ controllerReadyAt })).toBe('ready');
    });

    it('rule 4.12 without a delivery is what is said now', async () => {
      expect(await statusOf({ awaited: false })).toBe('ready');
    });

    it('follows the objects that its health checks are about, when they are declared', async () => {
      const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'config', namespace: 'shop' } };
      const healthCheckExprs = [{ apiVersion: 'v1', kind: 'ConfigMap', current: 'false' }];
      leave([config], { revision: 2 });
      book.markRelease('shop/app');
      expect(await statusOf()).toBe('ready');
      expect(await statusOf({ component: { ...APP, healthCheckExprs } })).toBe('progressing');
    });
  });

  it('forgets a package with all that it follows', async () => {
    leave([READY]);
    await ask();
    book.forgetPackage('other');
    expect(cluster.watched()).toEqual(['Deployment']);
    book.forgetPackage('shop');
    expect(cluster.watched()).toEqual([]);
    expect(book.packageOf('shop/app')).toBeUndefined();
  });
});
