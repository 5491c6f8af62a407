import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { isRecord } from '../../lib/json.ts';
import { builderOf, condition, deployment, job, judge, widget } from '../../../test/build/readiness-objects.ts';
import { hasReadiness, relatedTo } from './assess.ts';
import { isCustomKind } from './custom-kinds.ts';

const GOLDEN = new URL('../../../test/golden/data/kstatus.json', import.meta.url);
const golden = (
  JSON.parse(readFileSync(GOLDEN, 'utf8')) as { readonly rows: readonly { readonly object: KubeObject }[] }
).rows.map((row) => row.object);
const kinds = [...new Map(golden.map((object) => [`${object.apiVersion} ${object.kind}`, object])).entries()];

function withGenerations(object: KubeObject, generation: number, observedGeneration: number): KubeObject {
  const status = { ...(isRecord(object.status) ? object.status : {}), observedGeneration };
  return { ...object, metadata: { ...object.metadata, generation }, status };
}

describe('an object of any kind', () => {
  it('F19 is never ready or failed on a status of an older generation', () => {
    const verdicts = golden.map((object) => judge(withGenerations(object, 7, 6)).status);
    expect(verdicts.filter((status) => status === 'ready' || status === 'failed')).toEqual([]);
  });

  it.each(kinds)('is terminating as soon as it is being deleted, whatever else it says: %s', (_kind, object) => {
    const metadata = { ...object.metadata, deletionTimestamp: '2024-05-01T10:00:00Z', finalizers: ['b/x', 'a/y'] };
    const verdict = judge({ ...object, metadata });
    expect(verdict.status).toBe('terminating');
    expect(verdict.message).toContain('a/y, b/x');
  });

  it.each(kinds)('never makes the rules throw: %s', (_kind, object) => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom('conditions', 'replicas', 'phase', 'type', 'status') }),
        fc.jsonValue(),
        (spec, status) => {
          expect(judge({ ...object, spec, status }).reason).toMatch(/^[A-Z][A-Za-z]+$/);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each([
    ['a status that is no map', widget({ status: 'ok' })],
    ['conditions that are no list', widget({ status: { conditions: { Ready: 'True' } } })],
    ['conditions of strings', widget({ status: { conditions: ['Ready'] } })],
    ['a condition whose status is no text', widget({ status: { conditions: [{ type: 'Ready', status: true }] } })],
    ['an observedGeneration that is no number', widget({ status: { observedGeneration: true } })],
    ['an observedGeneration that is a fraction', widget({ status: { observedGeneration: 1.5 } })],
  ])('is unknown with %s', (_case, object) => {
    expect(judge(object)).toMatchObject({ status: 'unknown', reason: 'Malformed' });
  });

  it.each([
    ['Reconciling True', [condition('Reconciling', 'True', { reason: 'Busy' })], 'progressing'],
    ['Reconciling and Ready True', [condition('Ready', 'True'), condition('Reconciling', 'True')], 'progressing'],
    ['Stalled True', [condition('Stalled', 'True', { reason: 'BadSpec' })], 'failed'],
    ['Stalled False', [condition('Stalled', 'False'), condition('Ready', 'True')], 'ready'],
    ['Stalled Unknown', [condition('Stalled', 'Unknown'), condition('Ready', 'True')], 'ready'],
    ['Stalled True about an older generation', [condition('Stalled', 'True', { observedGeneration: 1 })], 'ready'],
  ])('with %s is judged by it first', (_case, conditions, verdict) => {
    expect(judge(widget({ status: { conditions } })).status).toBe(verdict);
  });
});

describe('a custom resource', () => {
  it.each([
    ['Ready True', [condition('Ready', 'True')], 'ready'],
    ['Ready False', [condition('Ready', 'False')], 'progressing'],
    ['Ready Unknown', [condition('Ready', 'Unknown')], 'progressing'],
    ['Ready true in lower case', [condition('Ready', 'true')], 'progressing'],
    ['Ready twice, differing', [condition('Ready', 'True'), condition('Ready', 'False')], 'progressing'],
    ['F15 Ready True about generation 1 of 2', [condition('Ready', 'True', { observedGeneration: 1 })], 'progressing'],
    ['F15 Ready True about generation 2 of 2', [condition('Ready', 'True', { observedGeneration: 2 })], 'ready'],
  ])('with %s', (_case, conditions, verdict) => {
    expect(judge(widget({ status: { conditions } })).status).toBe(verdict);
  });

  it.each([
    ['no status', undefined],
    ['a phase only', { phase: 'Failed' }],
  ])('F20 that says nothing of being ready is ready, and a note says how little that is: %s', (_case, status) => {
    const verdict = judge(widget({ status }));
    expect(verdict.status).toBe('ready');
    expect(verdict.note).toBeDefined();
  });

  it.each([
    ['example.dev/v1', 'Widget', true],
    ['gateway.networking.k8s.io/v1', 'Gateway', true],
    ['networking.k8s.io/v1', 'IngressClass', false],
    ['policy/v1', 'PodDisruptionBudget', false],
    ['v1', 'Namespace', false],
  ])('F20 is told from a kind of Kubernetes: %s %s', (apiVersion, kind, custom) => {
    expect(isCustomKind({ apiVersion })).toBe(custom);
    expect(judge(builderOf(apiVersion, kind)()).note !== undefined).toBe(custom);
  });

  it('that is called like a kind of Kubernetes is judged as a custom one', () => {
    const foreign = builderOf('example.dev/v1', 'Job')({ status: { conditions: [condition('Failed', 'True')] } });
    expect(judge(foreign).status).toBe('ready');
  });
});

describe('what has to be watched', () => {
  it.each([
    ['v1', 'ConfigMap', false],
    ['v1', 'Secret', false],
    ['rbac.authorization.k8s.io/v1', 'ClusterRole', false],
    ['batch/v1', 'CronJob', false],
    ['networking.k8s.io/v1', 'Ingress', false],
    ['apps/v1', 'Deployment', true],
    ['batch/v1', 'Job', true],
    ['v1', 'Service', true],
    ['v1', 'Namespace', true],
    ['policy/v1', 'PodDisruptionBudget', true],
    ['example.dev/v1', 'ConfigMap', true],
  ])('%s %s: %s', (apiVersion, kind, expected) => {
    expect(hasReadiness({ apiVersion, kind, name: 'web' })).toBe(expected);
  });
});

describe('what is read beside an object', () => {
  const unready = deployment({}, { availableReplicas: 0 });

  it('is nothing once it is ready', () => {
    expect(relatedTo(deployment(), judge(deployment()))).toEqual([]);
  });

  it('are the pods of a workload, and the warnings of its namespace', () => {
    expect(relatedTo(unready, judge(unready))).toEqual([
      {
        kind: 'selected',
        purpose: 'cause',
        selection: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', labelSelector: 'app=web' },
      },
      {
        kind: 'selected',
        purpose: 'cause',
        selection: { apiVersion: 'v1', kind: 'Event', namespace: 'shop', fieldSelector: 'type=Warning' },
      },
    ]);
  });

  it.each([
    [{ matchLabels: { a: 'b', c: 'd' } }, 'a=b,c=d'],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] }, 'a in (b,c)'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] }, 'a notin (b)'],
    [{ matchLabels: { x: 'y' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] }, 'x=y,a'],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, '!a'],
  ])('selects pods by the whole selector %j', (selector, labelSelector) => {
    const object = job({ selector });
    expect(relatedTo(object, judge(object))).toContainEqual(
      expect.objectContaining({ selection: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', labelSelector } }),
    );
  });

  it.each([
    ['none', undefined],
    ['an operator that does not exist', { matchExpressions: [{ key: 'a', operator: 'Near' }] }],
  ])('are no pods of a workload whose selector is %s', (_case, selector) => {
    const object = job({ selector });
    expect(
      relatedTo(object, judge(object)).some((query) => query.kind === 'selected' && query.selection.kind === 'Pod'),
    ).toBe(false);
  });
});
