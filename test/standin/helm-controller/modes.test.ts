import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../../src/api/kube.ts';
import { asArray, at } from '../../../src/lib/json.ts';
import { SOURCE_API } from './source.ts';
import { type Ground, openGround } from './traces/ground.ts';
import type { TraceWorld } from './traces/world.ts';
import { HELM_RELEASE } from './turn.ts';
import { FINALIZER } from './working-copy.ts';

const TIMING = { pauses: 0.05, deadlines: 0.3, intervals: 1 };
const SPEC = { interval: '1h', timeout: '10s', chartRef: { kind: 'OCIRepository', name: 'web' } };
const QUICK = { install: { disableWait: true }, upgrade: { disableWait: true }, uninstall: { disableWait: true } };

describe('the stand-in for helm-controller', () => {
  let ground: Ground;
  const worlds: TraceWorld[] = [];

  beforeAll(async () => {
    ground = await openGround({ timing: TIMING });
  });

  afterAll(async () => {
    expect(ground.errors).toEqual([]);
    for (const { recorder } of worlds) recorder.stop();
    await ground.close();
  });

  /** A namespace with a source of the chart `web`. */
  async function scene(): Promise<TraceWorld> {
    const world = await ground.world(`mode-${String(worlds.length)}`);
    worlds.push(world);
    await createSource(world);
    return world;
  }

  function createSource(world: TraceWorld, name = 'web'): Promise<void> {
    const layerSelector = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy' };
    const url = world.local('oci://127.0.0.1:5002/charts/web');
    return world.create(SOURCE_API, 'OCIRepository', {
      name,
      spec: { interval: '1h', url, ref: { tag: '1.0.0' }, layerSelector },
    });
  }

  function release(world: TraceWorld, name = 'app'): ObjectRef {
    return world.ref(HELM_RELEASE.apiVersion, HELM_RELEASE.kind, name);
  }

  async function createRelease(world: TraceWorld, spec: object = {}, metadata: object = {}): Promise<void> {
    const object = {
      ...HELM_RELEASE,
      metadata: { name: 'app', namespace: world.namespace, ...metadata },
      spec: { ...SPEC, ...QUICK, values: { msg: 'one', replicas: 0 }, ...spec },
    };
    await ground.cluster.write({ verb: 'create', object });
  }

  /** It has ended well, for the generation that it has, as its newest release of that number. */
  function delivered(world: TraceWorld, version: number): Promise<void> {
    return world.until(release(world), (object) => {
      const isObserved = at(object, 'status', 'observedGeneration') === object.metadata.generation;
      return isObserved && ready(object) === 'True' && at(historyOf(object)[0], 'version') === version;
    });
  }

  function token(world: TraceWorld, annotations: Readonly<Record<string, string>>): Promise<void> {
    const prefixed = Object.entries(annotations).map(([name, value]) => [`reconcile.fluxcd.io/${name}`, value]);
    return world.patch(release(world), { metadata: { annotations: Object.fromEntries(prefixed) as object } });
  }

  it('does nothing while it is frozen, and goes on from there', async () => {
    const world = await scene();
    ground.standin.pause();
    try {
      await createRelease(world);
      // That takes the source-controller longer than a turn would take.
      await createSource(world, 'later');
      await world.until(world.ref(SOURCE_API, 'OCIRepository', 'later'), (object) => ready(object) === 'True');
      expect((await ground.cluster.read(release(world)))?.metadata.finalizers).toBeUndefined();
    } finally {
      ground.standin.resume();
    }
    await delivered(world, 1);
  });

  it('[16] leaves a pending record when it dies in the middle, unlocks it after the start, and upgrades', async () => {
    const world = await scene();
    const crashed = ground.standin.crashAt('pending', { namespace: world.namespace, name: 'app' });
    await createRelease(world);
    await crashed;
    expect(world.recorder.records).toEqual(['ADDED sh.helm.release.v1.app.v1 pending-install']);
    await delivered(world, 2);
    expect(world.recorder.states('app').some((state) => state.includes('False/PendingRelease@1'))).toBe(true);
    expect(world.recorder.records).toContain('MODIFIED sh.helm.release.v1.app.v1 failed');
  });

  it.each(['recorded', 'conditions'] as const)(
    'releases once more when it dies before it has noted a release (%s)',
    async (moment) => {
      const world = await scene();
      await createRelease(world);
      await delivered(world, 1);
      const crashed = ground.standin.crashAt(moment, { namespace: world.namespace, name: 'app' });
      await world.patch(release(world), { spec: { values: { msg: 'two' } } });
      await crashed;
      await world.until(release(world), (object) => at(object, 'status', 'observedGeneration') === 2);
      const versions = historyOf(await ground.cluster.read(release(world))).map((entry) => at(entry, 'version'));
      expect(versions).toEqual([3]);
    },
  );

  it('writes conditions again when somebody else was faster', async () => {
    const world = await scene();
    ground.standin.set({ lateStatusMs: 5000 });
    await createRelease(world);
    const recorded = 'MODIFIED sh.helm.release.v1.app.v1 deployed';
    await world.recorder.until(() => world.recorder.records.includes(recorded), 30_000);
    ground.standin.set({ lateStatusMs: 0, conflicts: 4 });
    await delivered(world, 1);
    // Ready, history, Reconciling gone, observedGeneration: no turn more.
    const last = (): readonly string[] => world.recorder.states('app').filter((state) => state.includes('Ready=True'));
    await world.recorder.until(() => last().length >= 4, 30_000);
    expect(last()).toHaveLength(4);
  });

  it('[04] stalls after a first attempt that failed, with the record that it left', async () => {
    const world = await scene();
    ground.standin.set({ sabotage: { action: 'install', where: 'objects', message: 'no', times: 1 } });
    await createRelease(world);
    await world.until(release(world), (object) => conditionOf(object, 'Stalled') !== undefined);
    await world.patch(release(world), { spec: { values: { msg: 'two' } } });
    await delivered(world, 2);
  });

  it('[08] tries again without end when nothing was recorded', async () => {
    const world = await scene();
    ground.standin.set({ sabotage: { action: 'install', where: 'before', message: 'no', times: 3 } });
    await createRelease(world);
    await delivered(world, 1);
    const failures = world.recorder.states('app').filter((state) => /failures=3\/-\/-/.test(state));
    expect(failures).not.toEqual([]);
  });

  it('takes a token for handled with the first turn, which only sets the finalizer', async () => {
    const world = await scene();
    await createRelease(world, {}, { annotations: { 'reconcile.fluxcd.io/requestedAt': 't-1' } });
    await delivered(world, 1);
    const first = world.recorder.states('app').find((state) => state.includes('handled=t-1'));
    expect(first).toMatch(/og=-1 lag=- Ready=- Reconciling=-/);
  });

  it('forgets forceAt when the turn that handles the token has to wait for the source', async () => {
    const world = await scene();
    const source = world.ref(SOURCE_API, 'OCIRepository', 'web');
    await createRelease(world);
    await delivered(world, 1);
    await world.remove(source);
    await world.untilGone(source);
    await token(world, { requestedAt: 't-1', forceAt: 't-1' });
    await world.until(release(world), (object) => at(object, 'status', 'lastHandledReconcileAt') === 't-1');
    await createSource(world);
    await world.until(release(world), (object) => ready(object) === 'True');
    await token(world, { requestedAt: 't-2' });
    await world.until(release(world), (object) => at(object, 'status', 'lastHandledReconcileAt') === 't-2');
    expect(historyOf(await ground.cluster.read(release(world)))).toHaveLength(1);
  });

  it('keeps the record of an uninstalled release when it is told to, and deletes in the foreground', async () => {
    const world = await scene();
    await createRelease(world, {
      uninstall: { keepHistory: true, deletionPropagation: 'foreground', disableWait: true },
    });
    await delivered(world, 1);
    const gone = world.recorder.until(() => world.recorder.states('app').includes('gone'), 30_000);
    await world.remove(release(world));
    expect(await gone).toBe(true);
    expect(world.recorder.records.at(-1)).toBe('MODIFIED sh.helm.release.v1.app.v1 uninstalled');
  });

  it('takes an object over from others, and not when it may not', async () => {
    const world = await scene();
    await world.create('v1', 'ConfigMap', { name: 'app', data: { msg: 'theirs' } });
    const disableTakeOwnership = true;
    await createRelease(world, { install: { disableWait: true, disableTakeOwnership } });
    await world.until(release(world), (object) => at(object, 'status', 'failures') !== undefined);
    expect(historyOf(await ground.cluster.read(release(world)))).toEqual([]);
    await world.patch(release(world), { spec: { install: { disableTakeOwnership: false } } });
    await delivered(world, 1);
    const taken = await ground.cluster.read(world.ref('v1', 'ConfigMap', 'app'));
    expect(at(taken, 'data', 'msg')).toBe('one');
  });

  it('F90 shortens a release name that helm would refuse', async () => {
    const world = await scene();
    const name = 'a-helm-release-whose-name-is-longer-than-the-fifty-three-that-helm-takes';
    await createRelease(world, {}, { name });
    await world.until(release(world, name), (object) => ready(object) === 'True' && historyOf(object).length === 1);
    const history = historyOf(await ground.cluster.read(release(world, name)));
    expect(at(history[0], 'name')).toMatch(/^a-helm-release-whose-name-is-longer-than-[0-9a-f]{12}$/);
  });

  it('stalls on what it does not model, rather than do something else', async () => {
    const world = await scene();
    await createRelease(world, { serviceAccountName: 'somebody' });
    await world.until(release(world), (object) => at(conditionOf(object, 'Stalled'), 'reason') === 'Unsupported');
  });

  it('[13, 15] does nothing for one that is suspended by hand, but to let it go with its release left', async () => {
    const world = await scene();
    await createRelease(world);
    await delivered(world, 1);
    await world.patch(release(world), { spec: { suspend: true, values: { msg: 'two' } } });
    await world.until(release(world), (object) => at(object, 'status', 'observedGeneration') === 2);
    const gone = world.recorder.until(() => world.recorder.states('app').includes('gone'), 30_000);
    await world.remove(release(world));
    expect(await gone).toBe(true);
    expect(world.recorder.records).toHaveLength(2);
  });

  it('makes a HelmRelease its own, and its helm writes as helm-controller', async () => {
    const world = await scene();
    await createRelease(world);
    await delivered(world, 1);
    const deployment = await ground.cluster.read(world.ref('apps/v1', 'Deployment', 'app'));
    const live = await ground.cluster.read(release(world));
    const managers = (object: KubeObject | undefined, subresource?: string): readonly unknown[] =>
      (object?.metadata.managedFields ?? [])
        .filter((entry) => entry.subresource === subresource)
        .map(({ manager }) => manager);
    expect(live?.metadata.finalizers).toEqual([FINALIZER]);
    expect(managers(live, 'status')).toEqual(['helm-controller']);
    expect(managers(deployment)).toEqual(['helm-controller']);
  });
});

function historyOf(object: KubeObject | undefined): readonly unknown[] {
  return asArray(at(object, 'status', 'history'));
}

function conditionOf(object: KubeObject, type: string): unknown {
  return asArray(at(object, 'status', 'conditions')).find((condition) => at(condition, 'type') === type);
}

function ready(object: KubeObject): unknown {
  return at(conditionOf(object, 'Ready'), 'status');
}
