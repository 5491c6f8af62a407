import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BackendCapabilities } from '../../src/ports/backend.ts';
import { type BackendWorld, HOLD, presentOf } from './backend-world.ts';

const NO_ABORT = new AbortController().signal;

export function removalCases(world: BackendWorld, capabilities: BackendCapabilities): void {
  describe('removal', () => {
    drainingCases(world);
    keepingCases(world);
    if (capabilities.runsProcesses) interruptionCases(world);

    it('9 P20 uninstalls, leaves no orphan, and finds nothing the second time', async () => {
      const target = await world.target();
      const observed = await world.delivered(await world.release(target, { values: { extra: true } }));
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      for (const [kind, name] of [
        ['ConfigMap', 'web'],
        ['ConfigMap', 'web-extra'],
        ['Secret', 'web'],
        ['Deployment', 'web'],
      ] as const) {
        await world.gone(kind, name, target.namespace);
      }
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
    });

    it('9 F67 removes what only a failed upgrade had created, and what it no longer had', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target, { values: { extra: true } }));
      await world.deliver(await world.release(target, { chart: { name: 'broken' } }));
      const observed = presentOf(await world.observe(target));
      const isLeft = (await world.read('ConfigMap', 'web-extra', target.namespace)) !== undefined;
      expect(isLeft || world.harness.prunesFirst === true).toBe(true);
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      for (const name of ['web', 'web-extra', 'web-first']) await world.gone('ConfigMap', name, target.namespace);
    });

    it('9 removes a first install that failed', async () => {
      const target = await world.target();
      const { observed } = await world.deliver(await world.release(target, { chart: { name: 'broken' } }));
      expect(await world.uninstall(target, presentOf(observed))).toEqual({ kind: 'accepted' });
      await world.gone('ConfigMap', 'web-first', target.namespace);
    });

    it('9 P20 keeps the CRDs that a chart has among its templates', async () => {
      const target = await world.target();
      const group = `g${randomUUID().slice(0, 8)}.example.com`;
      const observed = await world.delivered(
        await world.release(target, { chart: { name: 'custom' }, values: { group } }),
      );
      const before = await world.read('CustomResourceDefinition', `gadgets.${group}`);
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      await world.gone('ConfigMap', 'web', target.namespace);
      const after = await world.read('CustomResourceDefinition', `gadgets.${group}`);
      expect(after?.metadata.uid).toBe(before?.metadata.uid);
      expect(after?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('I7 an upgrade that drops a CRD keeps it', async () => {
      const target = await world.target();
      const group = `g${randomUUID().slice(0, 8)}.example.com`;
      await world.delivered(await world.release(target, { chart: { name: 'custom' }, values: { group } }));
      await world.delivered(await world.release(target, { chart: { name: 'custom' }, values: { group, crd: false } }));
      const crd = await world.read('CustomResourceDefinition', `gadgets.${group}`);
      expect(crd).toBeDefined();
      expect(crd?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('I7 an upgrade that drops a claim keeps it, and its data', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target, { chart: { name: 'volume' } }));
      await world.delivered(await world.release(target, { chart: { name: 'volume' }, values: { claim: false } }));
      const claim = await world.read('PersistentVolumeClaim', 'web', target.namespace);
      expect(claim).toBeDefined();
      expect(claim?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('9 P21 leaves an object that has passed to another release', async () => {
      const target = await world.target();
      const observed = await world.delivered(await world.release(target));
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: target.namespace, name: 'web' };
      const annotations = world.harness.heirMarks?.(ref) ?? { 'meta.helm.sh/release-name': 'heir' };
      await world.harness.cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { annotations } } });
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      await world.gone('Secret', 'web', target.namespace);
      expect(await world.read('ConfigMap', 'web', target.namespace)).toBeDefined();
    });

    it('9 removes a release with objects whose kind is gone', async () => {
      const target = await world.target();
      const group = `g${randomUUID().slice(0, 8)}.example.com`;
      const crds = await world.target({ namespace: target.namespace, releaseName: 'crds', component: 'crds' });
      await world.delivered(await world.release(crds, { chart: { name: 'custom' }, values: { group } }));
      const values = { group, crd: false, object: true };
      const observed = await world.delivered(await world.release(target, { chart: { name: 'custom' }, values }));
      const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `gadgets.${group}` };
      await world.harness.cluster.write({ verb: 'delete', ref });
      await world.gone('CustomResourceDefinition', ref.name);
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      await world.gone('ConfigMap', 'web', target.namespace);
    });

    it('9 an uninstall of what never was succeeds', async () => {
      const target = await world.target();
      const observed = {
        state: 'present',
        revision: 1,
        token: 't',
        digest: 'd',
        delivery: 'delivered',
        everDelivered: true,
        message: '',
      } as const;
      const outcome = await world.harness.createBackend().submit({ kind: 'uninstall', target, observed }, NO_ABORT);
      expect(outcome).toEqual({ kind: 'accepted' });
    });
  });
}

function drainingCases(world: BackendWorld): void {
  it('9 P20 F60 is not over while a finalizer holds an object, says which since when, and ends once it is let go', async () => {
    const target = await world.target();
    const observed = await world.delivered(await world.release(target));
    const letGo = await world.hold('ConfigMap', 'web', target.namespace);
    expect(await world.beginUninstall(target, observed)).toEqual({ kind: 'accepted' });
    await world.deleted('ConfigMap', 'web', target.namespace);
    const draining = await world.draining(target);
    const held = await world.read('ConfigMap', 'web', target.namespace);
    const since = held?.metadata.deletionTimestamp ?? 'never';
    expect(draining.message).toContain(`ConfigMap ${target.namespace}/web is held by finalizer ${HOLD} since ${since}`);
    expect(draining).toMatchObject({ revision: observed.revision, everDelivered: false });
    await world.gone('Deployment', 'web', target.namespace);
    expect(await world.beginUninstall(target, draining)).toEqual({ kind: 'accepted' });
    expect(await world.observe(target)).toEqual(draining);
    await letGo();
    await world.removed(target);
    await world.gone('ConfigMap', 'web', target.namespace);
  });

  it('9 P20 its objects are known until they are gone', async () => {
    const target = await world.target();
    const observed = await world.delivered(await world.release(target));
    const letGo = await world.hold('ConfigMap', 'web', target.namespace);
    await world.beginUninstall(target, observed);
    await world.draining(target);
    const inventory = await world.harness.createBackend().inventory(target, 'newest');
    expect(inventory).toContainEqual({ apiVersion: 'v1', kind: 'ConfigMap', namespace: target.namespace, name: 'web' });
    await letGo();
    await world.removed(target);
    expect(await world.harness.createBackend().inventory(target, 'newest')).toEqual([]);
  });

  it('9 P20 an object that came back is removed too', async () => {
    const target = await world.target();
    const observed = await world.delivered(await world.release(target));
    const metadata = (await world.read('ConfigMap', 'web', target.namespace))?.metadata;
    const letGo = await world.hold('Secret', 'web', target.namespace);
    await world.beginUninstall(target, observed);
    await world.draining(target);
    await world.gone('ConfigMap', 'web', target.namespace);
    const { name, namespace = '', annotations = {}, labels = {} } = metadata ?? { name: 'web' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, annotations, labels } };
    await world.harness.cluster.write({ verb: 'create', object });
    const removing = presentOf(await world.observe(target));
    expect(removing.delivery).toBe('removing');
    expect(removing.message).toContain(`ConfigMap ${target.namespace}/web`);
    expect(await world.beginUninstall(target, removing)).toEqual({ kind: 'accepted' });
    await world.gone('ConfigMap', 'web', target.namespace);
    expect((await world.draining(target)).message).toContain(`Secret ${target.namespace}/web`);
    await letGo();
    await world.removed(target);
  });

  it('9 P16 P20 a Job is not gone before its pods are', async () => {
    const target = await world.target();
    const release = await world.release(target, { chart: { name: 'task' }, values: { runFor: '300s' } });
    const observed = await world.delivered(release);
    const job = await world.read('Job', 'web', target.namespace);
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'web', uid: job?.metadata.uid ?? '' };
    const pod = {
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: {
        ...{ name: 'a-pod', namespace: target.namespace },
        ownerReferences: [{ ...owner, blockOwnerDeletion: true }],
      },
      spec: { containers: [{ name: 'task', image: 'example.com/task:1' }] },
    };
    await world.harness.cluster.write({ verb: 'create', object: pod });
    const letGo = await world.hold('Pod', 'a-pod', target.namespace);
    expect(await world.beginUninstall(target, observed)).toEqual({ kind: 'accepted' });
    const sayings = async (): Promise<string> => presentOf(await world.observe(target)).message;
    await expect
      .poll(sayings, { timeout: 30_000 })
      .toContain(`Pod ${target.namespace}/a-pod is held by finalizer ${HOLD}`);
    expect(await world.read('Job', 'web', target.namespace)).toBeDefined();
    await letGo();
    await world.removed(target);
    expect(await world.read('Job', 'web', target.namespace)).toBeUndefined();
    expect(await world.read('Pod', 'a-pod', target.namespace)).toBeUndefined();
  });

  it('9 P20 F61 goes through while its namespace is being deleted, and after that', async () => {
    const target = await world.target();
    const observed = await world.delivered(await world.release(target));
    const theirs = { name: 'theirs', namespace: target.namespace };
    await world.harness.cluster.write({
      verb: 'create',
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: theirs },
    });
    const letGo = await world.hold('ConfigMap', 'theirs', target.namespace);
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: target.namespace };
    await world.harness.cluster.write({ verb: 'delete', ref });
    expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
    await letGo();
    await world.gone('Namespace', target.namespace);
    expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
  });
}

function keepingCases(world: BackendWorld): void {
  it('9 P20 F62 keeps a namespace that a chart has among its templates, and what is to be kept', async () => {
    const target = await world.target();
    const name = `owned-${randomUUID().slice(0, 8)}`;
    const files = {
      'templates/namespace.yaml': `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${name}\n`,
      'templates/kept.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kept\n  annotations:\n    helm.sh/resource-policy: keep\n',
    };
    const observed = await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
    expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
    for (const object of [
      await world.read('Namespace', name),
      await world.read('ConfigMap', 'kept', target.namespace),
      await world.read('Namespace', target.namespace),
    ]) {
      expect(object).toBeDefined();
      expect(object?.metadata.deletionTimestamp).toBeUndefined();
    }
  });

  it('9 P20 a claim that nothing of the release names stays', async () => {
    const target = await world.target();
    const observed = await world.delivered(await world.release(target));
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };
    const metadata = { name: 'data-web-0', namespace: target.namespace };
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec };
    await world.harness.cluster.write({ verb: 'create', object: claim });
    expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
    const after = await world.read('PersistentVolumeClaim', 'data-web-0', target.namespace);
    expect(after).toBeDefined();
    expect(after?.metadata.deletionTimestamp).toBeUndefined();
  });
}

/** A hook that runs after the objects were deleted gives time to end its owner. */
const FAREWELL = `apiVersion: batch/v1
kind: Job
metadata:
  name: farewell
  annotations:
    helm.sh/hook: post-delete
spec:
  template:
    metadata:
      annotations:
        sim.kubepkg.dev/run-for: 2s
    spec:
      restartPolicy: Never
      containers:
        - name: job
          image: example.com/job:1
`;

function interruptionCases(world: BackendWorld): void {
  it('9 P20 whose owner was killed is seen, and goes on where it is driven again', async () => {
    const target = await world.target();
    const files = { 'templates/farewell.yaml': FAREWELL };
    const observed = await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
    if (world.harness.interrupt === undefined) throw new Error('a backend that runs processes can be interrupted');
    await world.harness.interrupt({ kind: 'uninstall', target, observed });
    expect(presentOf(await world.observe(target)).delivery).toBe('removing');
    await world.removed(target);
    for (const kind of ['ConfigMap', 'Secret', 'Deployment']) {
      expect(await world.read(kind, 'web', target.namespace)).toBeUndefined();
    }
  });
}
