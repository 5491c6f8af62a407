import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { condition, daemonSet, judge, node, pod } from '../../../test/build/readiness-objects.ts';
import { DEFAULT_READINESS_OPTIONS } from './verdict.ts';

const TOLERATE = { ...DEFAULT_READINESS_OPTIONS, notReadyNodes: 'Tolerate' } as const;

function podOn(nodeName: string, ready: string, template = '2'): KubeObject {
  return pod({
    metadata: { name: `web-on-${nodeName}`, labels: { app: 'web', 'pod-template-generation': template } },
    spec: { nodeName },
    status: { phase: 'Running', conditions: [condition('Ready', ready)] },
  });
}

const oneDown = { numberReady: 1, numberAvailable: 1 };
const related = [podOn('a', 'True'), podOn('b', 'False'), node('a', 'True'), node('b', 'Unknown')];

describe('a DaemonSet', () => {
  it.each([
    ['a pod on every node', {}, {}, 'ready'],
    ['a pod that is not available', {}, oneDown, 'progressing'],
    ['an old pod', {}, { updatedNumberScheduled: 1 }, 'progressing'],
    [
      'an old pod, replaced on delete only',
      { updateStrategy: { type: 'OnDelete' } },
      { updatedNumberScheduled: 0 },
      'ready',
    ],
    [
      'no node to run on',
      {},
      { desiredNumberScheduled: 0, updatedNumberScheduled: 0, numberReady: 0, numberAvailable: 0 },
      'ready',
    ],
  ])('with %s is %s', (_case, spec, status, verdict) => {
    expect(judge(daemonSet(spec, status)).status).toBe(verdict);
  });

  it.each([
    ['no status at all', undefined],
    ['all zero and nothing observed', { desiredNumberScheduled: 0, currentNumberScheduled: 0, numberReady: 0 }],
    ['all zero for an older generation', { observedGeneration: 1, desiredNumberScheduled: 0 }],
  ])('F42 is not ready before its controller wrote the status: %s', (_case, status) => {
    expect(judge({ ...daemonSet(), status })).toMatchObject({ status: 'progressing', reason: 'NotObserved' });
  });

  it('F42 names the nodes that are not ready', () => {
    const verdict = judge(daemonSet({}, oneDown), { related });
    expect(verdict).toMatchObject({ status: 'progressing', reason: 'Unavailable' });
    expect(verdict.message).toContain('nodes that are not ready: b');
  });

  it('F42 leaves nodes that are not ready out when told to, and a note names them', () => {
    const verdict = judge(daemonSet({}, oneDown), { related, options: TOLERATE });
    expect(verdict).toMatchObject({ status: 'ready', note: 'left out nodes that are not ready: b' });
  });

  it('F42 leaves out the missing update of a pod there as well', () => {
    const stuck = [podOn('a', 'True'), podOn('b', 'False', '1'), node('a', 'True'), node('b', 'Unknown')];
    const status = { ...oneDown, updatedNumberScheduled: 1 };
    expect(judge(daemonSet({}, status), { related: stuck, options: TOLERATE }).status).toBe('ready');
  });

  it.each([
    ['nothing known of nodes', [podOn('a', 'True'), podOn('b', 'False')]],
    ['all nodes ready', [podOn('a', 'True'), podOn('b', 'False'), node('a', 'True'), node('b', 'True')]],
    [
      'a pod that is not ready on a good node too',
      [podOn('a', 'False'), podOn('b', 'False'), node('a', 'True'), node('b', 'False')],
    ],
    [
      'an old pod on a good node',
      [podOn('a', 'True', '1'), podOn('b', 'False'), node('a', 'True'), node('b', 'False')],
    ],
    ['no pod yet on a good node', [podOn('b', 'False'), node('a', 'True'), node('b', 'False')]],
  ])('F42 tolerates nothing else: %s', (_case, items) => {
    expect(judge(daemonSet({}, oneDown), { related: items, options: TOLERATE }).status).toBe('progressing');
  });
});
