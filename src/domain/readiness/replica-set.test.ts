import { describe, expect, it } from 'vitest';
import { builderOf, condition, judge } from '../../../test/build/readiness-objects.ts';

const COUNTS = { observedGeneration: 1, replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2 };

describe.each([
  ['apps/v1', 'ReplicaSet'],
  ['v1', 'ReplicationController'],
])('a %s %s', (apiVersion, kind) => {
  const build = builderOf(apiVersion, kind, { metadata: { generation: 1 }, spec: { replicas: 2 } });

  it.each([
    ['all available', {}, 'ready'],
    ['one available', { availableReplicas: 1 }, 'progressing'],
    ['one ready', { readyReplicas: 1 }, 'progressing'],
    ['a surplus pod', { replicas: 3 }, 'progressing'],
    ['nothing observed', { observedGeneration: undefined }, 'progressing'],
    [
      'pods that cannot be made',
      { conditions: [condition('ReplicaFailure', 'True', { message: 'exceeded quota' })] },
      'progressing',
    ],
  ])('with %s is %s', (_case, status, verdict) => {
    expect(judge(build({ status: { ...COUNTS, ...status } })).status).toBe(verdict);
  });
});
