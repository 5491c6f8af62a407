import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { at } from '../../src/lib/json.ts';
import { HOLD, type BackendWorld, presentOf } from './backend-world.ts';
import type { HelmHarness } from './helm-harness.ts';

type World = BackendWorld & {
  readonly helm: HelmHarness;
  records(namespace: string): Promise<readonly KubeObject[]>;
};

/** What only a removal with helm promises. */
export function helmRemovalCases(world: World): void {
  describe('removal', () => {
    recordCases(world);
    dependentCases(world);
    hookCases(world);
  });
}

function recordCases(world: World): void {
  it('P20 is known from the record until the end, then no record is left', async () => {
    const target = await world.target();
    await world.delivered(await world.release(target));
    const observed = await world.delivered(await world.release(target, { values: { color: 'red' } }));
    const letGo = await world.hold('ConfigMap', 'web', target.namespace);
    await world.beginUninstall(target, observed);
    const statuses = (await world.records(target.namespace)).map(({ metadata }) => metadata.labels?.['status']);
    expect(statuses).toEqual(['superseded', 'uninstalled']);
    await letGo();
    await world.removed(target);
    expect(await world.records(target.namespace)).toEqual([]);
  });

  it('P20 starts helm once, and no process to look or to end', async () => {
    const target = await world.target();
    const observed = await world.delivered(await world.release(target));
    const before = world.helm.started.length;
    await world.uninstall(target, observed);
    const commands = world.helm.started.slice(before).map(({ args }) => args[0]);
    expect(commands).toEqual(['version', 'uninstall']);
  });

  it('a release of ours that somebody uninstalled, keeping its history, is removed to the end', async () => {
    const target = await world.target();
    await world.delivered(await world.release(target));
    await world.helm.helm('uninstall', 'web', '--namespace', target.namespace, '--keep-history');
    await world.removed(target);
    expect(await world.records(target.namespace)).toEqual([]);
    expect((await world.delivered(await world.release(target))).revision).toBe(1);
  });

  it('P21 I6 the history of a release that was never ours stays, and is taken over only when told to', async () => {
    const target = await world.target();
    await world.harness.createForeign(target);
    await world.helm.helm('uninstall', 'web', '--namespace', target.namespace, '--keep-history');
    const before = await world.records(target.namespace);
    expect((await world.observe(target)).state).toBe('foreign');
    const assumed = { state: 'present', revision: 1, token: undefined, digest: undefined } as const;
    const pretended = { ...assumed, delivery: 'removing', everDelivered: false, message: '' } as const;
    expect(await world.beginUninstall(target, pretended)).toMatchObject({
      kind: 'refused',
      error: { code: 'OwnershipConflict' },
    });
    expect(await world.records(target.namespace)).toEqual(before);
    const adopted = await world.delivered(await world.release(target, { adopt: true }));
    expect(await world.uninstall(target, adopted)).toEqual({ kind: 'accepted' });
    expect(await world.records(target.namespace)).toEqual([]);
  });
}

function dependentCases(world: World): void {
  it('P16 P20 the pods of a Job and of a Deployment are gone before it is', async () => {
    const target = await world.target();
    const task = await world.release(target, {
      chart: { name: 'task', files: { 'templates/server.yaml': SERVER } },
      values: { runFor: '300s' },
    });
    const observed = await world.delivered(task);
    await expect.poll(() => podsIn(world, target.namespace), { timeout: 30_000 }).toHaveLength(2);
    const pods = await podsIn(world, target.namespace);
    const letGo = await Promise.all(pods.map((name) => world.hold('Pod', name, target.namespace)));
    await world.beginUninstall(target, observed);
    const held = await heldBy(world, target);
    expect(pods.some((name) => held.startsWith(`Pod ${target.namespace}/${name} is held`))).toBe(true);
    expect(await world.read('Job', 'web', target.namespace)).toBeDefined();
    expect(await world.read('Deployment', 'server', target.namespace)).toBeDefined();
    for (const release of letGo) await release();
    await world.removed(target);
    expect(await podsIn(world, target.namespace)).toEqual([]);
  });

  it('P20 the claims that a StatefulSet made stay', async () => {
    const target = await world.target();
    const files = { 'templates/store.yaml': STORE };
    const observed = await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
    const claim = (): Promise<KubeObject | undefined> =>
      world.read('PersistentVolumeClaim', 'data-store-0', target.namespace);
    await expect.poll(claim, { timeout: 30_000 }).toBeDefined();
    await world.uninstall(target, observed);
    expect(at(await claim(), 'metadata', 'deletionTimestamp')).toBeUndefined();
    expect(await claim()).toBeDefined();
    expect(await podsIn(world, target.namespace)).toEqual([]);
  });
}

function hookCases(world: World): void {
  it('runs the hooks of the chart, the last one after its objects were deleted', async () => {
    const target = await world.target();
    const files = {
      'templates/before.yaml': hook('before', 'pre-delete'),
      'templates/after.yaml': hook('after', 'post-delete'),
    };
    const observed = await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
    await world.uninstall(target, observed);
    for (const name of ['before', 'after']) {
      expect(at(await world.read('Job', name, target.namespace), 'status', 'succeeded')).toBe(1);
    }
  });

  it('P16 a hook that was still running when helm was stopped does not run on', async () => {
    const target = await world.target();
    const release = await world.release(target, { chart: { name: 'hooked' }, values: { runFor: '300s' } });
    const controller = new AbortController();
    const action = { kind: 'install', release, observed: { state: 'absent' } } as const;
    const running = world.harness.createBackend().submit(action, controller.signal);
    await expect.poll(() => podsIn(world, target.namespace), { timeout: 30_000 }).toHaveLength(1);
    controller.abort();
    await running;
    const [pod = ''] = await podsIn(world, target.namespace);
    const letGo = await world.hold('Pod', pod, target.namespace);
    const stopped = presentOf(await world.observe(target));
    expect(await world.beginUninstall(target, stopped)).toEqual({ kind: 'accepted' });
    const removing = presentOf(await world.observe(target));
    expect(removing).toMatchObject({ delivery: 'removing' });
    await world.beginUninstall(target, removing);
    expect(await heldBy(world, target)).toContain(`Pod ${target.namespace}/${pod} is held`);
    await letGo();
    await world.removed(target);
    expect(await world.read('Job', 'web-install', target.namespace)).toBeUndefined();
  });

  it('14 that is stopped at its deadline, in a hook, ends and goes on when it is driven again', async () => {
    const target = await world.target();
    const files = { 'templates/before.yaml': hook('before', 'pre-delete', '3s') };
    const observed = await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
    const controller = new AbortController();
    const action = { kind: 'uninstall', target, observed } as const;
    const running = world.harness.createBackend().submit(action, controller.signal);
    const job = (): Promise<KubeObject | undefined> => world.read('Job', 'before', target.namespace);
    await expect.poll(job, { timeout: 30_000, interval: 20 }).toBeDefined();
    controller.abort();
    expect(await running).toMatchObject({ kind: 'failed', error: { code: 'HelmKilled', class: 'transient' } });
    expect(await world.read('ConfigMap', 'web', target.namespace)).toBeDefined();
    await world.uninstall(target, presentOf(await world.observe(target)));
    expect(await world.read('ConfigMap', 'web', target.namespace)).toBeUndefined();
  });

  it('P20 F61 in a namespace that is being deleted no hook can run, and none is waited for', async () => {
    const target = await world.target();
    const files = { 'templates/before.yaml': hook('before', 'pre-delete') };
    const observed = await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
    const record = (await world.records(target.namespace))[0]?.metadata.name ?? '';
    const letGo = await world.hold('Secret', record, target.namespace);
    await world.harness.cluster.write({
      verb: 'delete',
      ref: { apiVersion: 'v1', kind: 'Namespace', name: target.namespace },
    });
    expect(await world.beginUninstall(target, observed)).toEqual({ kind: 'accepted' });
    expect(presentOf(await world.observe(target)).delivery).not.toBe('delivered');
    await letGo();
    await world.removed(target);
  });
}

/** What a removal waits for, once that is an object of somebody else's finalizer. */
async function heldBy(world: World, target: Parameters<World['observe']>[0]): Promise<string> {
  const message = async (): Promise<string> => presentOf(await world.observe(target)).message;
  await expect.poll(message, { timeout: 30_000 }).toContain(HOLD);
  return (await message()).replace(/^.* is uninstalled: /, '');
}

async function podsIn(world: World, namespace: string): Promise<readonly string[]> {
  const { items } = await world.harness.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });
  return items.map(({ metadata }) => metadata.name);
}

function hook(name: string, event: string, runFor = '0.1s'): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  annotations:
    helm.sh/hook: ${event}
spec:
  template:
    metadata:
      annotations:
        sim.kubepkg.dev/run-for: ${runFor}
    spec:
      restartPolicy: Never
      containers:
        - name: job
          image: example.com/job:1
`;
}

const TEMPLATE = `  selector:
    matchLabels:
      app: server
  template:
    metadata:
      labels:
        app: server
    spec:
      containers:
        - name: server
          image: example.com/server:1
`;

const SERVER = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: server
spec:
  replicas: 1
${TEMPLATE}`;

const STORE = `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: store
spec:
  serviceName: store
  replicas: 1
${TEMPLATE}  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        resources:
          requests:
            storage: 1Mi
`;
