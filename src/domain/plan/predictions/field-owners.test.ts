import { describe, expect, it } from 'vitest';
import { alarms, componentFacts, findingsOf, kubeObject } from '../../../../test/build/plan-facts.ts';
import type { KubeObject } from '../../../api/kube.ts';
import { conflictsTold } from './field-owners.ts';

function deployment(replicas: string, image = 'r/a:1'): KubeObject {
  return kubeObject(
    `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: shop}, spec: {${replicas}template: {spec: {containers: [{name: c, image: "${image}"}]}}}}`,
  );
}

function owned(object: KubeObject, manager: string, fieldsV1: unknown): KubeObject {
  const entry = { manager, operation: 'Update', fieldsV1 };
  return { ...object, metadata: { ...object.metadata, managedFields: [entry] } };
}

const REPLICAS = { 'f:spec': { 'f:replicas': {} } };
const IMAGE = {
  'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {} } } } } },
};
const SUBJECT = 'component store: Deployment shop/a';

describe('F78 a field that somebody else has set', () => {
  it.each<readonly [string, KubeObject, KubeObject, readonly string[]]>([
    [
      'is set back',
      owned(deployment('replicas: 3, '), 'kubectl', REPLICAS),
      deployment('replicas: 1, '),
      [`FieldOverwritten ${SUBJECT}`],
    ],
    [
      'has the value of the chart',
      owned(deployment('replicas: 1, '), 'kubectl', REPLICAS),
      deployment('replicas: 1, '),
      [],
    ],
    ["is not the chart's", owned(deployment('replicas: 3, '), 'kubectl', REPLICAS), deployment(''), []],
    ['is our own', owned(deployment('replicas: 3, '), 'helm', REPLICAS), deployment('replicas: 1, '), []],
    [
      'is in an item of a list',
      owned(deployment('', 'r/b:2'), 'editor', IMAGE),
      deployment(''),
      [`FieldOverwritten ${SUBJECT}`],
    ],
  ])('%s', (_name, live, after, expected) => {
    const objects = [{ live, after, before: after, dryRun: 'accepted' as const }];
    expect(alarms(findingsOf([componentFacts(objects)]))).toEqual(expected);
  });

  it('fails the delivery where the backend does not overwrite', () => {
    const live = owned(deployment('replicas: 3, '), 'kubectl', REPLICAS);
    const after = deployment('replicas: 1, ');
    const [finding] = findingsOf([componentFacts([{ live, after, before: after }])], { forcesConflicts: false });
    expect(finding).toMatchObject({ code: 'FieldConflict', severity: 'error' });
    expect(finding?.message).toContain('spec.replicas is set by kubectl');
  });

  it('is told by the server where the live object cannot be read', () => {
    const message =
      'cannot apply Deployment shop/a: Apply failed with 1 conflict: conflict with "hpa" using apps/v1: .spec.replicas';
    const after = deployment('replicas: 1, ');
    const facts = componentFacts([{ after, dryRun: { code: 'ApiConflict', message } }]);
    expect(findingsOf([facts], { forcesConflicts: false })[0]?.message).toContain('spec.replicas is set by hpa');
  });

  it('is none where the server names whoever delivers', () => {
    const dryRun = { code: 'ApiConflict', message: 'conflict with "helm" using apps/v1: .spec.replicas' } as const;
    const facts = componentFacts([{ after: deployment('replicas: 1, '), dryRun }]);
    expect(alarms(findingsOf([facts], { forcesConflicts: false }))).toEqual([]);
  });

  it('F78 is listed for several managers as the server lists them', () => {
    const message =
      'Apply failed with 3 conflicts: conflicts with "kubectl-edit" using apps/v1:\n- .spec.replicas\n- .spec.template.spec.containers[name="c"].image\nconflicts with "other" using v1:\n- .data.a';
    expect(conflictsTold(message)).toEqual([
      { manager: 'kubectl-edit', field: 'spec.replicas' },
      { manager: 'kubectl-edit', field: 'spec.template.spec.containers[name="c"].image' },
      { manager: 'other', field: 'data.a' },
    ]);
  });
});

describe('F78 replicas', () => {
  const scaler = (namespace: string): KubeObject =>
    kubeObject(
      `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a, namespace: ${namespace}}, spec: {scaleTargetRef: {kind: Deployment, name: a}}}`,
    );

  it.each([
    ['that an autoscaler of the cluster sets', 'replicas: 1, ', [scaler('shop')], [`ReplicasAutoscaled ${SUBJECT}`]],
    ['that only the autoscaler sets', '', [scaler('shop')], []],
    ['of another namespace', 'replicas: 1, ', [scaler('depot')], []],
  ])('%s', (_name, replicas, autoscalers, expected) => {
    const objects = [{ after: deployment(replicas) }];
    expect(alarms(findingsOf([componentFacts(objects)], { cluster: { autoscalers } }))).toEqual(expected);
  });

  it('that an autoscaler of the same chart sets', () => {
    const objects = [{ after: deployment('replicas: 1, ') }, { after: scaler('shop') }];
    expect(alarms(findingsOf([componentFacts(objects)]))).toEqual([`ReplicasAutoscaled ${SUBJECT}`]);
  });
});
