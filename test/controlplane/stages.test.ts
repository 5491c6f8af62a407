import { describe, expect, test } from 'vitest';
import type { ControlPlane } from '../../dev/controlplane/contract.ts';
import { startControlPlane } from '../../dev/controlplane/control-plane.ts';
import type { PodWishes } from './cluster.ts';
import { Cluster, condition, container, isReady, NAMESPACE, podTemplate, waitingFor } from './cluster.ts';

const FRAIL = { name: 'frail', labels: { frail: 'yes' }, taints: [{ key: 'frail', effect: 'NoSchedule' }] };

const it = test.extend<{ plane: ControlPlane; cluster: Cluster }>({
  plane: [
    async ({}, use) => {
      const plane = await startControlPlane({ nodes: [{ name: 'node-1' }, FRAIL] });
      await use(plane);
      await plane.stop();
    },
    { scope: 'file' },
  ],
  cluster: [async ({ plane }, use) => use(new Cluster(plane)), { scope: 'file' }],
});

function workload(kind: string, name: string, wishes: PodWishes = {}): object {
  const { metadata, spec } = podTemplate(wishes);
  const labels = { app: name };
  return {
    kind,
    apiVersion: 'apps/v1',
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { ...metadata, labels }, spec },
      serviceName: name,
    },
  };
}

/** The first of them wait for the control plane of this file, too. */
const PATIENT = { timeout: 180_000 };

const secondsBetween = (earlier: number): number => (Date.now() - earlier) / 1000;

describe.concurrent('a pod', PATIENT, () => {
  it('is ready soon when it asks for nothing special', async ({ cluster }) => {
    const pod = await cluster.until(await cluster.startPod('plain'), isReady);
    expect(pod.status?.phase).toBe('Running');
    expect(pod.status?.podIP).toMatch(/^10\.244\./);
    expect(container(pod)).toMatchObject({ ready: true, restartCount: 0 });
  });

  it('is running but unready until its ready-after is over', async ({ cluster }) => {
    const path = await cluster.startPod('later', { sim: { 'ready-after': '3s' } });
    const running = await cluster.until(path, (pod) => pod.status?.phase === 'Running');
    const started = Date.now();
    expect(condition(running, 'Ready')).toMatchObject({ status: 'False', reason: 'ContainersNotReady' });
    await cluster.until(path, isReady);
    expect(secondsBetween(started)).toBeGreaterThan(2.5);
  });

  it('stays unready when it never becomes ready, until the annotation is taken away', async ({ cluster }) => {
    const path = await cluster.startPod('never', { sim: { behavior: 'never-ready' } });
    await cluster.until(path, (pod) => pod.status?.phase === 'Running');
    await cluster.until(await cluster.startPod('meanwhile', { sim: { 'ready-after': '2s' } }), isReady);
    expect(isReady(await cluster.mustRead(path))).toBe(false);
    await cluster.annotate(path, { 'sim.kubepkg.dev/behavior': null });
    await cluster.until(path, isReady);
  });

  it('turns unready when it falls sick after it was ready', async ({ cluster }) => {
    const path = await cluster.startPod('sickens');
    await cluster.until(path, isReady);
    await cluster.annotate(path, { 'sim.kubepkg.dev/behavior': 'never-ready' });
    const sick = await cluster.until(path, (pod) => !isReady(pod));
    expect(sick.status?.phase).toBe('Running');
    expect(container(sick).ready).toBe(false);
  });

  it('crashes again and again in a crash loop', async ({ cluster }) => {
    const path = await cluster.startPod('crashes', {
      sim: { behavior: 'crash-loop', 'restart-after': '500ms', 'exit-code': '137' },
    });
    const crashed = await cluster.until(path, (pod) => waitingFor(pod) === 'CrashLoopBackOff');
    expect(container(crashed).lastState?.terminated?.exitCode).toBe(137);
    expect(isReady(crashed)).toBe(false);
    await cluster.until(path, (pod) => container(pod).restartCount >= 2);
  });

  it('recovers from a crash loop when the annotation is taken away', async ({ cluster }) => {
    const path = await cluster.startPod('mends', { sim: { behavior: 'crash-loop' } });
    await cluster.until(path, (pod) => waitingFor(pod) === 'CrashLoopBackOff');
    await cluster.annotate(path, { 'sim.kubepkg.dev/behavior': null });
    expect(container(await cluster.until(path, isReady)).restartCount).toBe(1);
  });

  it('waits for an image that cannot be pulled', async ({ cluster }) => {
    const path = await cluster.startPod('imageless', { sim: { behavior: 'image-pull-error' } });
    const pod = await cluster.until(path, (candidate) => waitingFor(candidate) === 'ImagePullBackOff');
    expect(pod.status?.phase).toBe('Pending');
    await cluster.annotate(path, { 'sim.kubepkg.dev/behavior': null });
    await cluster.until(path, isReady);
  });

  it('stays in its init containers for init-for', async ({ cluster }) => {
    const spec = { initContainers: [{ name: 'first', image: 'example/first:1' }] };
    const path = await cluster.startPod('init', { sim: { 'init-for': '3s' }, spec });
    const begun = await cluster.until(path, (pod) => condition(pod, 'Initialized')?.status === 'False');
    const started = Date.now();
    expect(begun.status).toMatchObject({ phase: 'Pending', initContainerStatuses: [{ ready: false }] });
    expect(waitingFor(begun)).toBe('PodInitializing');
    const done = await cluster.until(path, isReady);
    expect(secondsBetween(started)).toBeGreaterThan(2.5);
    expect(done.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);
  });

  it('becomes ready beside a sidecar that started as an init container', async ({ cluster }) => {
    const spec = { initContainers: [{ name: 'sidecar', image: 'example/sidecar:1', restartPolicy: 'Always' }] };
    const pod = await cluster.until(await cluster.startPod('sidecar', { spec }), isReady);
    expect(pod.status?.initContainerStatuses?.[0]).toMatchObject({ ready: true, state: { running: {} } });
  });

  it('is not scheduled when no node fits', async ({ cluster }) => {
    const path = await cluster.startPod('homeless', { spec: { nodeSelector: { planet: 'mars' } } });
    const pod = await cluster.until(path, (candidate) => condition(candidate, 'PodScheduled')?.status === 'False');
    expect(condition(pod, 'PodScheduled')?.reason).toBe('Unschedulable');
  });

  it('is gone soon after it is deleted, whatever its grace period', async ({ cluster }) => {
    const path = await cluster.startPod('deleted', { spec: { terminationGracePeriodSeconds: 600 } });
    await cluster.until(path, isReady);
    await cluster.remove(path);
    await cluster.untilGone(path, 10);
  });

  it('hangs in Terminating for terminate-after', async ({ cluster }) => {
    const path = await cluster.startPod('lingers', { sim: { 'terminate-after': '3s' } });
    await cluster.until(path, isReady);
    const started = Date.now();
    await cluster.remove(path);
    expect((await cluster.read(path))?.metadata.deletionTimestamp).toBeDefined();
    await cluster.untilGone(path);
    expect(secondsBetween(started)).toBeGreaterThan(2.5);
  });

  it('that is meant to end succeeds by itself, as a test hook does', async ({ cluster }) => {
    const path = await cluster.startPod('hook', { spec: { restartPolicy: 'Never' } });
    const pod = await cluster.until(path, (candidate) => candidate.status?.phase === 'Succeeded');
    expect(container(pod).state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
  });
});

describe.concurrent('a job', PATIENT, () => {
  it('completes when its pod has run', async ({ cluster }) => {
    const path = await cluster.startJob('quick', {});
    expect(
      condition(await cluster.until(path, (job) => condition(job, 'Complete') !== undefined), 'Complete')?.status,
    ).toBe('True');
  });

  it('runs for as long as run-for says', async ({ cluster }) => {
    const path = await cluster.startJob('long', { sim: { 'run-for': '3s' } });
    const started = Date.now();
    await cluster.until(path, (job) => condition(job, 'Complete')?.status === 'True');
    expect(secondsBetween(started)).toBeGreaterThan(2.5);
  });

  it('fails with the exit code it was told', async ({ cluster }) => {
    const path = await cluster.startJob('fails', { sim: { 'exit-code': '3' } });
    await cluster.until(path, (job) => condition(job, 'Failed')?.status === 'True');
    const pods = await cluster.list(`${NAMESPACE}/pods?labelSelector=batch.kubernetes.io/job-name%3Dfails`);
    expect(pods.map((pod) => container(pod).state?.terminated)).toMatchObject([{ exitCode: 3, reason: 'Error' }]);
  });

  it('that restarts on failure restarts its container until the limit is reached', async ({ cluster }) => {
    const sim = { 'exit-code': '1', 'restart-after': '200ms' };
    const path = await cluster.startJob('retries', { sim, spec: { restartPolicy: 'OnFailure' } }, 1);
    const job = await cluster.until(path, (candidate) => condition(candidate, 'Failed')?.status === 'True');
    expect(condition(job, 'Failed')?.reason).toBe('BackoffLimitExceeded');
  });
});

describe.concurrent('a workload', PATIENT, () => {
  it.for([
    ['a Deployment', 'Deployment', 'deployments'],
    ['a StatefulSet', 'StatefulSet', 'statefulsets'],
  ] as const)('%s gets its pods ready', async ([, kind, resource], { cluster }) => {
    const path = `/apis/apps/v1/namespaces/default/${resource}`;
    await cluster.create(path, workload(kind, `web-${resource}`));
    await cluster.until(`${path}/web-${resource}`, ({ status }) => status?.readyReplicas === 1);
  });

  it('a DaemonSet gets a pod on each node that it tolerates', async ({ cluster }) => {
    const path = '/apis/apps/v1/namespaces/default/daemonsets';
    const { spec } = podTemplate({ spec: { tolerations: [{ operator: 'Exists' }] } });
    await cluster.create(path, workload('DaemonSet', 'agent', { spec }));
    await cluster.until(`${path}/agent`, ({ status }) => status?.numberReady === 2);
  });
});

describe.concurrent('a claim', PATIENT, () => {
  const path = `${NAMESPACE}/persistentvolumeclaims`;
  const claim = (name: string, annotations = {}): object => ({
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: { name, annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });

  it('is bound, and its volume goes when it goes', async ({ cluster }) => {
    await cluster.create(path, claim('data'));
    const bound = await cluster.until(`${path}/data`, ({ status }) => status?.phase === 'Bound');
    await cluster.remove(`${path}/data`);
    await cluster.untilGone(`/api/v1/persistentvolumes/${bound.spec?.volumeName ?? ''}`);
  });

  it('stays pending when it is never to be bound', async ({ cluster }) => {
    await cluster.create(path, claim('unbound', { 'sim.kubepkg.dev/behavior': 'never-bound' }));
    await cluster.create(path, claim('bound-later'));
    await cluster.until(`${path}/bound-later`, ({ status }) => status?.phase === 'Bound');
    expect((await cluster.mustRead(`${path}/unbound`)).status?.phase).toBe('Pending');
  });
});

describe('a node', () => {
  it('that is lost takes the readiness of its pods along, and gives it back', async ({ plane, cluster }) => {
    const spec = { nodeSelector: { frail: 'yes' }, tolerations: [{ key: 'frail', operator: 'Exists' }] };
    const pod = await cluster.startPod('on-frail', { spec });
    await cluster.until(pod, isReady);
    await plane.setNodeReady('frail', false);
    await cluster.until('/api/v1/nodes/frail', (node) => !isReady(node));
    await cluster.until(pod, (candidate) => !isReady(candidate), 30);
    await plane.setNodeReady('frail', true);
    await cluster.until('/api/v1/nodes/frail', (node) => isReady(node) && node.spec?.taints?.length === 1);
    await cluster.until(pod, isReady);
  });
});
