import { describe, expect, it } from 'vitest';
import { condition, deployment, judge } from '../../../test/build/readiness-objects.ts';

const progressing = (reason: string, status = 'True') => condition('Progressing', status, { reason });
const available = condition('Available', 'True');

describe('a Deployment', () => {
  it.each([
    ['three of three available', {}, {}, 'ready', 'Ready'],
    ['two of three updated', {}, { updatedReplicas: 2 }, 'progressing', 'Updating'],
    [
      'an old replica left',
      {},
      { replicas: 4, availableReplicas: 4, readyReplicas: 4 },
      'progressing',
      'OldReplicasLeft',
    ],
    ['two of three available', {}, { availableReplicas: 2 }, 'progressing', 'Unavailable'],
    [
      'ready pods that are not available yet',
      { minReadySeconds: 30 },
      { availableReplicas: 0 },
      'progressing',
      'Unavailable',
    ],
    ['available pods that are not ready any more', {}, { readyReplicas: 2 }, 'progressing', 'Unavailable'],
    [
      'replicas not given, so one',
      { replicas: undefined },
      { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      'ready',
      'Ready',
    ],
    ['good counts and no condition yet', {}, { conditions: [] }, 'progressing', 'Unavailable'],
    [
      'good counts and a rollout that is not concluded',
      {},
      { conditions: [available, progressing('ReplicaSetUpdated')] },
      'progressing',
      'RolloutNotComplete',
    ],
    [
      'no progress deadline, so no condition about it',
      { progressDeadlineSeconds: 2147483647 },
      { conditions: [available] },
      'ready',
      'Ready',
    ],
    [
      'a progress deadline that passed',
      {},
      { updatedReplicas: 1, conditions: [available, progressing('ProgressDeadlineExceeded', 'False')] },
      'failed',
      'ProgressDeadlineExceeded',
    ],
  ])('with %s is %s', (_case, spec, status, verdict, reason) => {
    expect(judge(deployment(spec, status))).toMatchObject({ status: verdict, reason });
  });

  it.each([
    ['2 of 3 replicas updated', { updatedReplicas: 2 }],
    ['1 surplus replicas still run', { replicas: 4 }],
    ['1 of 3 replicas available', { availableReplicas: 2, readyReplicas: 1 }],
  ])('names the current counts: %s', (message, status) => {
    expect(judge(deployment({}, status)).message).toBe(message);
  });

  it('that missed its progress deadline gets a grace period', () => {
    const status = { conditions: [progressing('ProgressDeadlineExceeded', 'False')] };
    expect(judge(deployment({}, status)).final).toBeUndefined();
  });

  it.each([
    ['one replica, maxUnavailable 1', 1, 1],
    ['one replica, maxUnavailable 100%', 1, '100%'],
    ['three replicas, maxUnavailable 5', 3, 5],
  ])('F26 without a ready pod is not ready, whatever maxUnavailable allows: %s', (_case, replicas, maxUnavailable) => {
    const spec = { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } } };
    const status = { replicas, updatedReplicas: replicas, readyReplicas: 0, availableReplicas: 0 };
    expect(judge(deployment(spec, status)).status).toBe('progressing');
  });

  it.each([
    ['settled', {}, 'paused, 3 of 3 replicas updated, 3 available'],
    ['in the middle of a rollout', { updatedReplicas: 1, replicas: 4 }, 'paused, 1 of 3 replicas updated, 3 available'],
    [
      'from the start',
      { replicas: 0, updatedReplicas: 0, availableReplicas: 0 },
      'paused, 0 of 3 replicas updated, 0 available',
    ],
  ])('F37 that is paused is ready, and a note says so: %s', (_case, status, note) => {
    expect(judge(deployment({ paused: true }, status))).toMatchObject({ status: 'ready', note });
  });

  const none = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, conditions: [] };

  it.each([
    ['observed, no pods left', none, 'ready'],
    ['observed, whatever Available says', { ...none, conditions: [condition('Available', 'False')] }, 'ready'],
    ['pods still there', {}, 'progressing'],
    ['pods still terminating', { ...none, terminatingReplicas: 1 }, 'progressing'],
    ['not observed', { ...none, observedGeneration: 1 }, 'progressing'],
    ['no status at all', { ...none, observedGeneration: undefined }, 'progressing'],
  ])('F38 with replicas 0 is ready once observed and without pods: %s', (_case, status, verdict) => {
    expect(judge(deployment({ replicas: 0 }, status)).status).toBe(verdict);
  });
});
