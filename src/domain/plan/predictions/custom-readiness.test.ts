import { describe, expect, it } from 'vitest';
import { alarms, componentFacts, findingsOf, kubeObject } from '../../../../test/build/plan-facts.ts';
import type { KubeObject } from '../../../api/kube.ts';
import type { ObjectFacts, PlannedComponent } from './facts.ts';

function part(rest = ''): KubeObject {
  return kubeObject(`{apiVersion: example.org/v1, kind: Part, metadata: {name: a, namespace: shop}${rest}}`);
}

function crd(version: string): KubeObject {
  return kubeObject(
    `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: parts.example.org}, spec: {group: example.org, names: {kind: Part}, versions: [{name: v1, ${version}}]}}`,
  );
}

const NAMED = { apiVersion: 'example.org/v1', kind: 'Part', name: 'a', condition: 'Ready', status: 'True' };
const WARNED = ['NoReadiness component store'];

describe('F20 a custom resource', () => {
  it.each<readonly [string, ObjectFacts, Partial<PlannedComponent>, readonly KubeObject[], readonly string[]]>([
    ['that nobody judges', { after: part() }, {}, [], WARNED],
    ['with readyWhen', { after: part() }, { readyWhen: [NAMED] }, [], []],
    ['with readyWhen of another one', { after: part() }, { readyWhen: [{ ...NAMED, name: 'b' }] }, [], WARNED],
    [
      'with a health check of its kind',
      { after: part() },
      { healthCheckExprs: [{ apiVersion: 'example.org/v2', kind: 'Part', current: 'true' }] },
      [],
      [],
    ],
    [
      'whose kind has no status',
      { after: part() },
      {},
      [crd('schema: {openAPIV3Schema: {properties: {spec: {}}}}')],
      [],
    ],
    ['whose kind has a status', { after: part() }, {}, [crd('subresources: {status: {}}')], WARNED],
    [
      'that says by itself whether it is ready',
      { after: part(), live: part(', status: {conditions: [{type: Ready, status: "False"}]}') },
      {},
      [],
      [],
    ],
    [
      'that says something else',
      { after: part(), live: part(', status: {conditions: [{type: Synced, status: "True"}]}') },
      {},
      [],
      WARNED,
    ],
    [
      'of Kubernetes itself',
      { after: kubeObject('{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}}') },
      {},
      [],
      [],
    ],
    [
      'that is known to have a Ready condition',
      { after: kubeObject('{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: a}}') },
      {},
      [],
      [],
    ],
  ])('%s', (_name, object, component, crds, expected) => {
    const facts = componentFacts([{ before: object.after, ...object }], { component });
    expect(alarms(findingsOf([facts], { cluster: { crds } }))).toEqual(expected);
  });
});
