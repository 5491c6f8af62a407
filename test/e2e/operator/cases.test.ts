import { afterAll, describe, expect, it } from 'vitest';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import { createClock } from '../../../src/compose/clock.ts';
import { configMapChart, deploymentChart, jobChart } from './charts.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';

function crdChart(): Record<string, string> {
  return {
    'templates/crd.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.cases.example.org, annotations: {helm.sh/resource-policy: keep}}
spec:
  group: cases.example.org
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`,
  };
}

/** A claim that waits for its first consumer, and nothing in the release that consumes it. */
function claimChart(): Record<string, string> {
  return {
    'templates/claim.yaml': `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: cases-late}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], storageClassName: cases-late, resources: {requests: {storage: 1Gi}}}
`,
  };
}

function daemonChart(): Record<string, string> {
  return {
    'templates/daemon.yaml': `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      tolerations: [{operator: Exists}]
      containers: [{name: agent, image: example.org/agent:1}]
`,
  };
}

async function install(
  name: string,
  components: readonly SourceComponent[],
  spec: Parameters<OperatorWorld['applyPackage']>[1] = {},
): Promise<void> {
  await world.applySource(name, {
    version: '1.0.0',
    sourceRef: { kind: 'OCIArtifact', url: tree },
    variants: [{ name: 'default', components: [...components] }],
  });
  await world.applyPackage(name, spec);
}

const at = (path: string, namespace: string, install: SourceComponent['install'] = {}): SourceComponent => ({
  name: path,
  path,
  install: { namespace, ...install },
});

const world = await OperatorWorld.start();
afterAll(() => world.stop());
const tree = await world.push('cases/tree', {
  job: jobChart(),
  config: configMapChart(),
  app: deploymentChart(),
  crd: crdChart(),
  claim: claimChart(),
  daemon: daemonChart(),
});
await world.startOperator();

describe('public reports as cases', () => {
  it('F07 R1 what follows a Job starts after the Job has completed, not when it runs', async () => {
    const slow = { values: { sim: { 'sim.kubepkg.dev/init-for': '3s', 'sim.kubepkg.dev/run-for': '2s' } } };
    await install('f07', [at('job', 'f07'), at('config', 'f07', { dependsOn: ['job'] })], {
      components: { job: slow },
    });
    await world.untilPackage('f07', isReady);
    const job = await world.cluster.read({ apiVersion: 'batch/v1', kind: 'Job', namespace: 'f07', name: 'job' });
    const [record] = await world.records('f07', 'config');
    const completed = Date.parse(job === undefined ? '' : (condition(job, 'Complete')?.lastTransitionTime ?? ''));
    expect(Date.parse(record?.metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(completed);
  });

  it('F47 a Job that fails fails its component at once, not at the deadline', async () => {
    const failing = { values: { sim: { 'sim.kubepkg.dev/exit-code': '1' } } };
    await install('f47', [at('job', 'f47'), at('config', 'f47', { dependsOn: ['job'] })], {
      components: { job: failing },
    });
    const pkg = await world.untilPackage('f47', hasReason('UpgradeFailed'));
    expect(condition(pkg, 'Ready')?.message).toMatch(/Job f47\/job/);
    expect(await world.records('f47', 'config')).toEqual([]);
  });

  it('F42 a NotReady node is named while it is waited for, and can be tolerated', async () => {
    const node = (await world.cluster.list({ apiVersion: 'v1', kind: 'Node' })).items[0]?.metadata.name ?? '';
    await install('f42', [at('daemon', 'f42')]);
    await world.untilPackage('f42', isReady);
    await world.plane.setNodeReady(node, false);
    const broken = await world.untilPackage('f42', hasReason('Degraded'));
    expect(condition(broken, 'Ready')?.message).toContain(node);
    await install('f42', [at('daemon', 'f42', { readiness: { notReadyNodes: 'Tolerate' } })]);
    await world.untilPackage('f42', isReady);
    await world.plane.setNodeReady(node, true);
  });

  it('F43 a claim that waits for a first consumer which the release does not have blocks nothing', async () => {
    await install('f43', [at('claim', 'f43')]);
    await world.untilPackage('f43', isReady);
  });

  it('P6 a CRD counts once it is established and served; it stays when the package goes', async () => {
    await install('crd', [at('crd', 'crd')]);
    await world.untilPackage('crd', isReady);
    expect(await world.cluster.served('cases.example.org/v1', 'Gadget')).toMatchObject({ plural: 'gadgets' });
  });

  it('R15 F61 a namespace that is still going is waited for and made again', async () => {
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: 'f61' };
    const held = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'held', namespace: 'f61', finalizers: ['example.org/held'] },
    };
    await world.cluster.write({
      verb: 'create',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'f61' } },
    });
    await world.cluster.write({ verb: 'create', object: held });
    await world.cluster.write({ verb: 'delete', ref });
    await install('f61', [at('config', 'f61')]);
    const waiting = await world.untilPackage(
      'f61',
      (pkg) => condition(pkg, 'Ready')?.message.includes('is being deleted') === true,
    );
    expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
    await world.cluster.write({
      verb: 'merge-patch',
      ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'f61', name: 'held' },
      patch: { metadata: { finalizers: [] } },
    });
    await world.untilPackage('f61', isReady);
    expect(await world.records('f61', 'config')).toHaveLength(1);
  });

  it('R6 F18 an old True on an object that names no generation does not count for an upgrade', async () => {
    await install('crd', [at('crd', 'crd')]);
    await world.untilPackage('crd', isReady);
    const site = { apiVersion: 'cases.example.org/v1', kind: 'Gadget', name: 'old', namespace: 'r6' };
    const { name, namespace, ...kind } = site;
    await world.cluster.served(site.apiVersion, site.kind);
    await world.cluster.write({
      verb: 'create',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'r6' } },
    });
    const conditions = [
      { type: 'Available', status: 'True', reason: 'Fine', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ];
    await world.cluster.write({
      verb: 'create',
      object: { ...kind, metadata: { name, namespace }, status: { conditions } },
    });
    const readyWhen = [{ ...site, condition: 'Available', status: 'True' }];
    await install('r6', [at('config', 'r6', { readyWhen })]);
    await world.untilPackage('r6', isReady);
    // Kubernetes' times are whole seconds: the upgrade has to begin in another one than the object.
    await new Promise<void>((resolve) => {
      createClock().after(1100, resolve);
    });
    await world.applyPackage('r6', { components: { config: { values: { changed: true } } } });
    const waiting = await world.untilPackage(
      'r6',
      (pkg) => condition(pkg, 'Ready')?.message.includes('names no generation') === true,
    );
    expect(condition(waiting, 'Ready')?.status).toBe('False');
    const now = new Date(Date.now() + 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    const patch = { status: { conditions: [{ ...conditions[0], reason: 'Answered', lastTransitionTime: now }] } };
    await world.cluster.write({ verb: 'merge-patch', ref: site, patch });
    await world.untilPackage('r6', (pkg) => isReady(pkg) && pkg.status?.currentRevision === 2);
  });

  it('P12 a package that is deleted and created again at once is taken up', async () => {
    await install('again', [at('config', 'again')]);
    const first = await world.untilPackage('again', isReady);
    await world.cluster.write({
      verb: 'delete',
      ref: { apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: 'again' },
    });
    await world.gone('kubepkg.dev/v1', 'Package', 'again');
    await world.applyPackage('again');
    const second = await world.untilPackage('again', (pkg) => isReady(pkg) && pkg.metadata.uid !== first.metadata.uid);
    expect(second.status?.currentRevision).toBe(1);
  });

  it('R12 a package that is stuck holds no other one up', async () => {
    const never = { values: { sim: { 'sim.kubepkg.dev/behavior': 'never-ready' } } };
    await install('r12-stuck', [at('app', 'r12-stuck')], { components: { app: never } });
    await world.untilPackage('r12-stuck', (pkg) => condition(pkg, 'Ready')?.message.includes('is not ready') === true);
    await install('r12-other', [at('app', 'r12-other')]);
    await world.untilPackage('r12-other', isReady);
  });
});
