import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import {
  condition,
  daemonSet,
  deployment,
  job,
  judge,
  pod,
  statefulSet,
  warning,
} from '../../../test/build/readiness-objects.ts';
import { explain } from './explain.ts';

const stuck = deployment({}, { availableReplicas: 1, readyReplicas: 1 });

function podNamed(name: string, status: object): KubeObject {
  return pod({
    metadata: { name },
    status: { phase: 'Pending', conditions: [condition('Ready', 'False')], ...status },
  });
}

const waiting = (reason: string, message = '') => ({ waiting: { reason, message } });
const ended = (exitCode: number, more = {}) => ({ terminated: { exitCode, reason: 'Error', ...more } });
const app = (state: object, more = {}) => ({
  containerStatuses: [{ name: 'app', image: 'web:2', ready: false, state, ...more }],
});
const init = (state: object, more = {}) => ({
  initContainerStatuses: [{ name: 'migrate', image: 'web:2', ready: false, state, ...more }],
  ...app(waiting('PodInitializing')),
});

function why(object: KubeObject, ...related: readonly KubeObject[]): string {
  return explain(object, judge(object), related);
}

describe('the deepest cause', () => {
  it.each([
    [
      'an image that cannot be pulled',
      app(waiting('ErrImagePull', 'not found')),
      'container app cannot pull image web:2',
    ],
    [
      'an image, the pull backed off',
      app(waiting('ImagePullBackOff', 'Back-off pulling image "web:2": ErrImagePull: not found')),
      'container app cannot pull image web:2: not found',
    ],
    [
      'a missing Secret',
      app(waiting('CreateContainerConfigError', 'secret "db" not found')),
      'container app: CreateContainerConfigError: secret "db" not found',
    ],
    [
      'no node to run on',
      {
        conditions: [
          condition('PodScheduled', 'False', {
            reason: 'Unschedulable',
            message: '0/3 nodes are available: 3 Insufficient cpu.',
          }),
        ],
      },
      'not scheduled: 0/3 nodes are available: 3 Insufficient cpu.',
    ],
    [
      'a crash, waiting for the restart',
      app(waiting('CrashLoopBackOff'), { lastState: ended(1, { message: 'no config\n' }) }),
      'container app last ended with exit code 1: no config',
    ],
    [
      'a crash, running again',
      app({ running: {} }, { lastState: ended(1, { message: 'no config\n' }) }),
      'container app last ended with exit code 1: no config',
    ],
    [
      'a crash, just ended',
      app(ended(1, { message: 'no config\n' })),
      'container app last ended with exit code 1: no config',
    ],
    [
      'out of memory',
      app(waiting('CrashLoopBackOff'), { lastState: ended(137, { reason: 'OOMKilled' }) }),
      'container app last ended with exit code 137 (OOMKilled)',
    ],
    [
      'an init container that crashes',
      init(waiting('CrashLoopBackOff'), { lastState: ended(2) }),
      'init container migrate last ended with exit code 2',
    ],
    ['an init container that runs', init({ running: {} }), 'init container migrate has not ended yet'],
    ['a container that is not ready', app({ running: {} }), 'container app runs and is not ready'],
    [
      'an eviction',
      { phase: 'Failed', reason: 'Evicted', message: 'low on memory', ...app(ended(137)) },
      'failed: Evicted: low on memory',
    ],
    [
      'a preemption',
      {
        phase: 'Failed',
        reason: 'Preempting',
        message: 'Preempted in order to admit critical pod',
        ...app(ended(137)),
      },
      'failed: Preempting: Preempted in order to admit critical pod',
    ],
  ])('is %s', (_case, status, cause) => {
    expect(why(stuck, podNamed('web-1', status))).toBe(`1 of 3 replicas available; pod web-1: ${cause}`);
  });

  it('is the first pod by name that tells one, of those that count', () => {
    const pods = [
      podNamed('web-4', app(waiting('InvalidImageName'))),
      podNamed('web-3', app(waiting('ErrImagePull'))),
      podNamed('web-2', app(waiting('ContainerCreating'))),
      pod({ metadata: { name: 'web-1' }, status: { conditions: [condition('Ready', 'True')] } }),
      pod({ metadata: { name: 'web-0', deletionTimestamp: '2024-05-01T10:00:00Z' }, status: app(ended(1)) }),
      pod({ metadata: { name: 'other', labels: { app: 'other' } }, status: app(ended(1)) }),
    ];
    expect(why(stuck, ...pods)).toContain('pod web-3: container app cannot pull image web:2');
  });

  it('is a pod that lives before one that was evicted, and of a Job the run that failed', () => {
    const evicted = podNamed('web-1', { phase: 'Failed', reason: 'Evicted', message: 'low on memory' });
    const living = podNamed('web-2', app(waiting('InvalidImageName')));
    expect(why(stuck, evicted, living)).toContain('pod web-2: ');
    expect(why(stuck, evicted)).toContain('pod web-1: failed: Evicted');
    expect(why(job(), evicted, living)).toContain('pod web-1: failed: Evicted');
  });

  it('does not change with the order in which things are read', () => {
    const pods = ['web-3', 'web-1', 'web-2'].map((name) => podNamed(name, app(ended(1, { message: name }))));
    const things = [...pods, ...pods.map((item) => warning(item, 'BackOff', 'Back-off restarting'))];
    fc.assert(
      fc.property(fc.shuffledSubarray(things, { minLength: things.length }), (shuffled) => {
        expect(why(stuck, ...shuffled)).toBe(why(stuck, ...things));
      }),
    );
  });

  it.each([['ErrImagePull'], ['ImagePullBackOff']])(
    'is what the registry said, in either turn of a failing pull: %s',
    (reason) => {
      const item = podNamed('web-1', app(waiting(reason, 'Back-off pulling image "web:2"')));
      const events = [
        warning(item, 'Failed', 'Failed to pull image "web:2": not found'),
        warning(item, 'Failed', 'Error: ErrImagePull', '2024-05-01T10:00:09Z'),
      ];
      expect(why(stuck, item, ...events)).toContain('container app cannot pull image web:2: not found');
    },
  );

  it('is a volume that cannot be mounted', () => {
    const item = podNamed('web-1', app(waiting('ContainerCreating')));
    const event = warning(item, 'FailedMount', 'MountVolume.SetUp failed for volume "c" : configmap "cfg" not found');
    expect(why(stuck, item, event)).toContain(
      'pod web-1: MountVolume.SetUp failed for volume "c" : configmap "cfg" not found',
    );
  });

  it('is the probe that fails', () => {
    const item = podNamed('web-1', app({ running: {} }));
    const event = warning(item, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503');
    expect(why(stuck, item, event)).toContain('runs and is not ready: Readiness probe failed');
  });

  const quota =
    'pods "web-7d4f-x2x4z" is forbidden: exceeded quota: small, requested: cpu=1, used: cpu=2, limited: cpu=2';

  it('is the quota that allows no pod', () => {
    const conditions = [condition('ReplicaFailure', 'True', { reason: 'FailedCreate', message: quota })];
    const object = deployment({}, { availableReplicas: 0, conditions });
    expect(why(object)).toContain('pods cannot be created: exceeded quota: small');
  });

  it.each([
    ['StatefulSet', statefulSet({}, { readyReplicas: 0 })],
    ['DaemonSet', daemonSet({}, { numberReady: 0 })],
    ['Job', job()],
  ])('is the quota that allows no pod of a %s, which has no condition for it', (_kind, object) => {
    const event = warning(object, 'FailedCreate', `Error creating: ${quota}`);
    expect(why(object, event)).toContain('pods cannot be created: exceeded quota: small');
  });

  it('of a failed Job is its pod that failed', () => {
    const object = job({}, { conditions: [condition('Failed', 'True', { reason: 'BackoffLimitExceeded' })] });
    const done = podNamed('web-0', { phase: 'Succeeded', ...app(ended(0)) });
    const bad = podNamed('web-1', { phase: 'Failed', ...app(ended(3, { message: 'no such table' })) });
    expect(why(object, done, bad)).toBe(
      'failed: BackoffLimitExceeded; pod web-1: container app last ended with exit code 3: no such table',
    );
  });

  it('of a Pod is found in itself', () => {
    expect(why(podNamed('web', app(waiting('ErrImagePull'))))).toContain('; container app cannot pull image web:2');
  });

  it('is the newest warning about the object when its pods tell nothing', () => {
    const events = [
      warning(stuck, 'Odd', 'older', '2024-05-01T10:00:00Z'),
      warning(stuck, 'Odd', 'newer', '2024-05-01T10:00:01Z'),
      warning(deployment(), 'Odd', 'newest, about another', '2024-05-01T10:00:02Z'),
    ].map((event, index) => (index < 2 ? event : { ...event, involvedObject: { kind: 'Deployment', name: 'other' } }));
    expect(why(stuck, ...events)).toBe('1 of 3 replicas available; newer');
  });

  it('is no warning about an earlier object of the same name', () => {
    const object = { ...stuck, metadata: { ...stuck.metadata, uid: 'new' } };
    const event = warning(stuck, 'Odd', 'about the earlier one');
    const about = (uid: string) => ({ ...event, involvedObject: { kind: 'Deployment', name: 'web', uid } });
    expect(why(object, about('old'))).toBe('1 of 3 replicas available');
    expect(why(object, about('new'))).toBe('1 of 3 replicas available; about the earlier one');
  });

  it('is the verdict itself when nothing more is known', () => {
    expect(why(stuck)).toBe('1 of 3 replicas available');
  });

  it('is not looked for once the object is ready', () => {
    expect(why(deployment(), podNamed('web-1', app(ended(1))))).toBe('3 of 3 replicas available');
  });

  it('has no source ports in it and is not long', () => {
    const message = `dial tcp 10.0.0.1:51234->10.0.0.2:443: i/o timeout ${'x'.repeat(1000)}`;
    const text = why(stuck, podNamed('web-1', app(waiting('RunContainerError', message))));
    expect(text).toContain('10.0.0.1->10.0.0.2:443');
    expect(text.length).toBeLessThan(400);
  });
});
