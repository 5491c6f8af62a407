import { beforeEach, describe, expect, it } from 'vitest';
import { atPhase, NOW, synced, withStatus, written } from '../../../test/build/argocd.ts';
import { ArgoCdWorld } from '../../../test/build/argocd-world.ts';
import { releaseSecret, TARGET } from '../../../test/build/helm-release.ts';
import { type KubeObject, type ObjectMeta, refOf } from '../../api/kube.ts';
import { FINALIZER } from '../../api/names.ts';
import { at } from '../../lib/json.ts';
import { applicationName } from './application-name.ts';
import { SILENCE_MS } from './interpret.ts';

const CASCADE = 'resources-finalizer.argocd.argoproj.io';
const HOOKS = 'post-delete-finalizer.argocd.argoproj.io';
const TRACKED = { 'argocd.argoproj.io/tracking-id': `${applicationName(TARGET)}:/x:shop-ns/x` };
const THEIRS = { 'argocd.argoproj.io/tracking-id': 'other:/x:shop-ns/x' };
const OPTIONS = 'argocd.argoproj.io/sync-options';
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const HELD = { deletionTimestamp: '2026-01-01T00:00:05Z', finalizers: ['example.org/x'] };

interface Thing {
  readonly kind: string;
  readonly metadata?: Partial<ObjectMeta>;
  /** Of its entry in the list of the Application. */
  readonly listed?: Readonly<Record<string, unknown>>;
}

function withoutRequest({ operation: _operation, ...application }: KubeObject): KubeObject {
  return application;
}

describe('P20 a release that Argo CD removes', () => {
  let world: ArgoCdWorld;
  /** Of the API server. */
  let time: number;

  beforeEach(() => {
    world = new ArgoCdWorld();
    time = NOW - 60_000;
    world.cluster.now = () => time;
  });

  function put(things: readonly Thing[], application = synced()): void {
    const resources = things.map(({ kind, listed }) => ({
      kind,
      name: 'it',
      namespace: 'shop-ns',
      version: 'v1',
      ...listed,
    }));
    for (const { kind, metadata } of things) {
      world.put({
        apiVersion: 'v1',
        kind,
        metadata: { name: 'it', namespace: 'shop-ns', annotations: TRACKED, ...metadata },
      });
    }
    world.put(withStatus(application, { resources }));
  }

  async function uninstall(keepData = false): Promise<string> {
    const observed = await world.present();
    time = NOW;
    return world.submit({ kind: 'uninstall', target: TARGET, observed, keepData });
  }

  const read = (kind: string): KubeObject | undefined =>
    world.get({ apiVersion: 'v1', kind, namespace: 'shop-ns', name: 'it' });

  it('goes object by object, and its Application last', async () => {
    put([{ kind: 'ConfigMap' }]);
    expect(await uninstall()).toBe('accepted');
    expect(read('ConfigMap')).toBeUndefined();
    expect(world.cluster.writes().at(-1)).toBe('delete ConfigMap shop-ns/it');
    expect(await world.present()).toMatchObject({ delivery: 'removing', everDelivered: false, revision: 1 });
    expect(await uninstall()).toBe('accepted');
    expect(world.application()?.metadata.deletionTimestamp).toBeDefined();
    expect(await world.present()).toMatchObject({ delivery: 'removing' });
    expect(await uninstall()).toBe('accepted');
    expect(world.application()).toBeUndefined();
  });

  it('I13 is not over while something is there that was made in its name after all', async () => {
    put([{ kind: 'ConfigMap' }]);
    await uninstall();
    await uninstall();
    put([{ kind: 'ConfigMap' }], world.application());
    expect(await world.present()).toMatchObject({
      delivery: 'removing',
      message: expect.stringContaining('ConfigMap') as string,
    });
    await uninstall();
    expect(read('ConfigMap')).toBeUndefined();
    expect(world.application()).toBeDefined();
    await uninstall();
    expect(world.application()).toBeUndefined();
  });

  it.each<[string, (application: KubeObject) => KubeObject]>([
    ['that goes on all the same', (application) => atPhase(application, 'Running')],
    ['that its controller would never look at again', (application) => withoutRequest(atPhase(application, 'Running'))],
  ])('P20 ends an operation %s', async (_, change) => {
    put([{ kind: 'ConfigMap', metadata: HELD }], atPhase(written(), 'Running'));
    await uninstall();
    world.put(change(world.application() ?? synced()));
    expect(await world.present()).toMatchObject({ delivery: 'removing' });
    expect(await uninstall()).toBe('accepted');
    const ended = world.application();
    expect(at(ended, 'status', 'operationState', 'phase')).toBe('Terminating');
    expect(ended?.['operation']).toBeDefined();
    expect(await world.present()).toMatchObject({ delivery: 'draining' });
  });

  it('I13 goes on though somebody deletes the Application meanwhile', async () => {
    put([{ kind: 'ConfigMap', metadata: HELD }]);
    await uninstall();
    await world.cluster.write({ verb: 'delete', ref: refOf(world.application() ?? synced()) });
    expect(await world.present()).toMatchObject({ delivery: 'draining' });
    world.cluster.remove({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop-ns', name: 'it' });
    await uninstall();
    expect(world.application()).toBeUndefined();
  });

  it.each([
    ['before it is marked', 1],
    ['after it was marked', 2],
  ])('I6 leaves another Application alone that takes its name %s', async (_, nth) => {
    put([{ kind: 'PersistentVolumeClaim' }]);
    const ref = refOf(world.application() ?? synced());
    const theirs = { ...synced(), metadata: { name: ref.name, namespace: 'argocd', uid: 'uid-theirs' } };
    let left = nth;
    const observed = await world.present();
    world.cluster.before = ({ line }) => {
      const isProtected = read('PersistentVolumeClaim')?.metadata.annotations?.[OPTIONS] !== undefined;
      if (!isProtected || !line.startsWith('read Application')) return;
      left -= 1;
      if (left > 0) return;
      world.cluster.before = () => undefined;
      world.cluster.remove(ref);
      world.put(theirs);
    };
    expect(await world.submit({ kind: 'uninstall', target: TARGET, observed, keepData: true })).toBe('accepted');
    expect(world.application()?.metadata).toMatchObject({ uid: 'uid-theirs' });
    expect(world.application()?.metadata).not.toHaveProperty('annotations');
    expect(world.application()?.metadata).not.toHaveProperty('deletionTimestamp');
  });

  it.each([{ 'argocd.argoproj.io/hook': 'PostSync,PostDelete' }, { 'helm.sh/hook': 'post-delete' }])(
    'leaves a hook that runs then to Argo CD: %j',
    async (annotations) => {
      put([{ kind: 'Job', metadata: { annotations: { ...TRACKED, ...annotations } }, listed: { hook: true } }]);
      await uninstall();
      expect(read('Job')).toBeDefined();
      await uninstall();
      expect(world.application()).toBeUndefined();
    },
  );

  it('I7 is not left to Argo CD, which deletes what its cache takes for the objects, nor made again by it', async () => {
    const application = synced();
    const spec = { ...(application['spec'] as object), syncPolicy: { automated: { selfHeal: true }, retry: {} } };
    put([{ kind: 'ConfigMap', metadata: HELD }], {
      ...application,
      spec,
      metadata: { ...application.metadata, finalizers: [CASCADE, `${CASCADE}/background`, 'example.org/theirs'] },
    });
    await uninstall();
    expect(world.application()?.metadata.finalizers).toEqual(['example.org/theirs', FINALIZER]);
    expect(at(world.application()?.['spec'], 'syncPolicy')).toEqual({ retry: {} });
    expect(world.application()?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('goes wave by wave, the last one first', async () => {
    const wave = (number: string, more: Partial<ObjectMeta> = {}): Partial<ObjectMeta> => ({
      annotations: { ...TRACKED, 'argocd.argoproj.io/sync-wave': number },
      ...more,
    });
    put([
      { kind: 'ConfigMap' },
      { kind: 'Secret', metadata: wave('2') },
      { kind: 'Service', metadata: wave('2', HELD) },
    ]);
    await uninstall();
    expect([read('Secret'), read('ConfigMap')?.kind]).toEqual([undefined, 'ConfigMap']);
    expect(await world.present()).toMatchObject({ delivery: 'draining', uninstalling: true });
    world.cluster.remove({ apiVersion: 'v1', kind: 'Service', namespace: 'shop-ns', name: 'it' });
    await uninstall();
    expect(read('ConfigMap')).toBeUndefined();
  });

  it('that was never there is removed', async () => {
    const observed = { state: 'present', revision: 1, token: 't', digest: 'd', delivery: 'delivered' } as const;
    const action = {
      kind: 'uninstall',
      target: TARGET,
      observed: { ...observed, everDelivered: true, message: '' },
    } as const;
    expect(await world.submit(action)).toBe('accepted');
    world.put(releaseSecret({ labels: {} }));
    expect(await world.submit(action)).toBe('refused OwnershipConflict');
  });

  it.each<[string, KubeObject, string | undefined]>([
    ['is at work is told to stop', atPhase(written(), 'Running'), 'Terminating'],
    ['has not begun is told nothing more', written(), undefined],
  ])('while Argo CD %s', async (_, application, phase) => {
    put([], application);
    expect(await uninstall()).toBe('accepted');
    expect(at(world.application()?.['status'], 'operationState', 'phase')).toBe(phase);
    expect(world.application()?.['operation'] !== undefined).toBe(phase !== undefined);
  });

  it.each<[string, Thing, boolean, string | undefined]>([
    ['a claim goes', { kind: 'PersistentVolumeClaim' }, false, undefined],
    ['a claim stays when data is to be kept', { kind: 'PersistentVolumeClaim' }, true, 'Delete=false'],
    [
      'a claim that an earlier version had stays',
      { kind: 'PersistentVolumeClaim', listed: { requiresPruning: true, status: 'OutOfSync' } },
      false,
      'Delete=false',
    ],
    [
      'a claim goes though the chart cannot be rendered any more',
      { kind: 'PersistentVolumeClaim', listed: { requiresPruning: true, status: 'Unknown' } },
      false,
      undefined,
    ],
    [
      'a claim of others is left as it is',
      { kind: 'PersistentVolumeClaim', metadata: { annotations: THEIRS } },
      true,
      undefined,
    ],
    ['what holds no data is left as it is', { kind: 'ConfigMap' }, true, undefined],
  ])('%s', async (_, thing, keepData, options) => {
    put([thing]);
    await uninstall(keepData);
    expect(read(thing.kind)?.metadata.annotations?.[OPTIONS]).toBe(options);
  });

  it('F62 its namespaces stay', async () => {
    world.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'owned', annotations: TRACKED } });
    world.put(withStatus(synced(), { resources: [{ kind: 'Namespace', name: 'owned', version: 'v1' }] }));
    await uninstall();
    const owned = world.get({ apiVersion: 'v1', kind: 'Namespace', name: 'owned' });
    expect(owned?.metadata.annotations?.[OPTIONS]).toBe('Delete=false');
  });

  it('its CRDs stay, and are known when it is installed again', async () => {
    world.put({ ...CRD, metadata: { name: 'a.example.com' } });
    world.put({ ...CRD, metadata: { name: 'b.example.com', annotations: { 'meta.helm.sh/release-name': 'heir' } } });
    const entry = { group: 'apiextensions.k8s.io', version: 'v1', kind: CRD.kind };
    const resources = ['a', 'b'].map((name) => ({ ...entry, name: `${name}.example.com` }));
    world.put(withStatus(synced(), { resources }));
    await uninstall();
    const nameOn = (name: string): string | undefined =>
      world.get({ ...CRD, name })?.metadata.annotations?.['meta.helm.sh/release-name'];
    expect([nameOn('a.example.com'), nameOn('b.example.com')]).toEqual(['web', 'heir']);
  });

  describe('tells what it waits for', () => {
    it('F60 an object that is held, by what, since when', async () => {
      put([{ kind: 'ConfigMap', metadata: HELD }]);
      await uninstall();
      const { message, delivery, uninstalling } = await world.present();
      expect([delivery, uninstalling]).toEqual(['draining', undefined]);
      expect(message).toContain('ConfigMap shop-ns/it is held by finalizer example.org/x since 2026-01-01T00:00:05Z');
    });

    const withFinalizer = (application: KubeObject): KubeObject => ({
      ...application,
      metadata: { ...application.metadata, finalizers: [HOOKS] },
    });

    it.each<[string, KubeObject, string]>([
      ['an operation that the controller does not end', atPhase(written(), 'Running'), 'has not ended its operation'],
      ['a controller that does not let go', withFinalizer(synced()), 'has not let go of it'],
      [
        'what Argo CD says, when it gets nowhere',
        withStatus(withFinalizer(synced()), { conditions: [{ type: 'DeletionError', message: 'no project' }] }),
        'Argo CD says: no project',
      ],
    ])('%s, after as long as a controller may take', async (_, application, text) => {
      put([], application);
      await uninstall();
      expect((await world.present()).message).not.toContain(text);
      await world.clock.advance(SILENCE_MS);
      const { message, delivery } = await world.present();
      expect({ message, delivery }).toEqual({ message: expect.stringContaining(text) as string, delivery: 'draining' });
    });

    it('an annotation that keeps the controller away', async () => {
      const application = atPhase(written(), 'Running');
      const annotations = { ...application.metadata.annotations, 'argocd.argoproj.io/skip-reconcile': 'true' };
      put([], { ...application, metadata: { ...application.metadata, annotations } });
      await uninstall();
      expect((await world.present()).message).toContain('skip-reconcile');
    });

    it('what somebody let Argo CD delete, and it does not', async () => {
      const application = synced();
      const metadata = { ...application.metadata, finalizers: [CASCADE], deletionTimestamp: '2026-01-01T00:00:00Z' };
      put([{ kind: 'ConfigMap' }], { ...application, metadata });
      await uninstall();
      await world.clock.advance(SILENCE_MS);
      expect((await world.present()).message).toContain(
        'has not removed ConfigMap shop-ns/it since 2026-01-01T00:00:00Z: is it running?',
      );
    });
  });

  it('removes an object that came back while another is held', async () => {
    put([{ kind: 'ConfigMap', metadata: HELD }, { kind: 'Secret' }]);
    await uninstall();
    expect((await world.present()).delivery).toBe('draining');
    world.cluster.remove({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop-ns', name: 'it' });
    world.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'it', namespace: 'shop-ns', annotations: TRACKED },
    });
    expect(await world.present()).toMatchObject({
      delivery: 'removing',
      message: expect.stringContaining('Secret shop-ns/it is to be removed') as string,
    });
    await uninstall();
    expect(read('Secret')).toBeUndefined();
    expect((await world.present()).delivery).toBe('draining');
  });
});
