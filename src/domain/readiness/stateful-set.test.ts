import { describe, expect, it } from 'vitest';
import { condition, judge, pod, statefulSet } from '../../../test/build/readiness-objects.ts';
import { explain } from './explain.ts';
import { keptPod } from './stateful-set.ts';

const partition = (value: number) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: value } },
});
const rolling = (updatedReplicas: number) => ({ updatedReplicas, updateRevision: 'web-2' });

describe('a StatefulSet', () => {
  it.each([
    ['three of three ready', {}, {}, 'ready'],
    ['two of three ready', {}, { readyReplicas: 2 }, 'progressing'],
    ['two of three made', {}, { replicas: 2, readyReplicas: 2 }, 'progressing'],
    ['surplus pods', { replicas: 1 }, {}, 'progressing'],
    ['one of three updated', {}, rolling(1), 'progressing'],
    ['all updated, the revision not switched yet', {}, rolling(3), 'progressing'],
    ['all updated and switched', {}, { ...rolling(3), currentRevision: 'web-2' }, 'ready'],
  ])('with %s is %s', (_case, spec, status, verdict) => {
    expect(judge(statefulSet(spec, status)).status).toBe(verdict);
  });

  it.each([
    ['2 of 3 replicas ready', {}, { readyReplicas: 2 }],
    ['1 of 2 replicas updated', partition(1), rolling(1)],
    ['3 pods are still there, 1 wanted', { replicas: 1 }, {}],
  ])('names the current counts: %s', (message, spec, status) => {
    expect(judge(statefulSet(spec, status)).message).toBe(message);
  });

  it.each([
    [3, 0, 'ready'],
    [2, 0, 'progressing'],
    [2, 1, 'ready'],
    [1, 1, 'progressing'],
    [1, 2, 'ready'],
    [5, 0, 'ready'],
    [0, 2, 'progressing'],
  ])('F35 with partition %i and %i of three updated is %s', (held, updated, verdict) => {
    expect(judge(statefulSet(partition(held), rolling(updated))).status).toBe(verdict);
  });

  it('F35 whose partition was lowered and nothing else changed is ready', () => {
    expect(judge(statefulSet(partition(2), {})).status).toBe('ready');
  });

  it('F35 needs all pods ready, those that the partition holds back too', () => {
    expect(judge(statefulSet(partition(3), { ...rolling(0), readyReplicas: 2 })).status).toBe('progressing');
  });

  it('F41 whose rolling update waits for a pod that cannot be scheduled goes on', () => {
    const object = statefulSet({}, { ...rolling(1), readyReplicas: 2 });
    const unscheduled = pod({
      status: {
        phase: 'Pending',
        conditions: [condition('PodScheduled', 'False', { message: '0/3 nodes are available' })],
      },
    });
    expect(judge(object, { related: [unscheduled] }).status).toBe('progressing');
    expect(explain(object, judge(object), [unscheduled])).toContain('pod web: not scheduled: 0/3 nodes are available');
  });

  const KEPT_BACK =
    'pod web: not scheduled: too big; it is of another revision, and its StatefulSet replaces no pod that is not ready: delete the pod';
  const PLAIN = 'pod web: not scheduled: too big';
  it.each([
    ['of another revision, which is not replaced', {}, 'web-1', KEPT_BACK],
    ['of the wanted revision', {}, 'web-2', PLAIN],
    ['of another revision, which is replaced at once', { podManagementPolicy: 'Parallel' }, 'web-1', PLAIN],
    ['of another revision, as the partition wants it', partition(1), 'web-1', PLAIN],
    ['of another revision, which people delete', { updateStrategy: { type: 'OnDelete' } }, 'web-1', PLAIN],
  ])('P10 with a pod that is not ready and %s says what has to be done', (_case, spec, revision, message) => {
    const object = statefulSet(spec, { ...rolling(0), readyReplicas: 2 });
    const stuck = pod({
      metadata: { labels: { app: 'web', 'controller-revision-hash': revision } },
      status: { phase: 'Pending', conditions: [condition('PodScheduled', 'False', { message: 'too big' })] },
    });
    expect(explain(object, judge(object), [stuck])).toBe(`2 of 3 replicas ready; ${message}`);
    expect(keptPod(object, [stuck])).toBe(message === KEPT_BACK ? stuck : undefined);
  });

  it('P10 keeps no pod of which its status cannot know yet that it is of another revision', () => {
    const object = statefulSet({}, { ...rolling(0), readyReplicas: 2, observedGeneration: 1 });
    const stuck = pod({ metadata: { labels: { app: 'web', 'controller-revision-hash': 'web-1' } } });
    expect(keptPod(object, [stuck])).toBeUndefined();
  });

  const onDelete = { updateStrategy: { type: 'OnDelete' } };

  it.each([
    ['none replaced', rolling(0), 'ready'],
    ['one not ready', { ...rolling(0), readyReplicas: 2 }, 'progressing'],
  ])('with OnDelete waits for ready pods and for no replacement: %s', (_case, status, verdict) => {
    expect(judge(statefulSet(onDelete, status)).status).toBe(verdict);
  });

  const none = { replicas: 0, readyReplicas: 0, updatedReplicas: 0 };

  it.each([
    ['no pods', none, 'ready'],
    ['pods still there', { replicas: 1, readyReplicas: 0 }, 'progressing'],
    ['not observed', { ...none, observedGeneration: 1 }, 'progressing'],
  ])('F38 with replicas 0 is ready once observed and without pods: %s', (_case, status, verdict) => {
    expect(judge(statefulSet({ replicas: 0 }, status)).status).toBe(verdict);
  });
});
