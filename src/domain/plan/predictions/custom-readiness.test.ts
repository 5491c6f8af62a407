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

  it.each([
    ['gateway.networking.k8s.io/v1', 'Gateway', WARNED],
    ['gateway.networking.k8s.io/v1', 'ListenerSet', WARNED],
    ['gateway.networking.k8s.io/v1', 'GatewayClass', []],
    ['gateway.networking.k8s.io/v1', 'HTTPRoute', []],
    ['gateway.networking.k8s.io/v1', 'GRPCRoute', []],
    ['gateway.networking.k8s.io/v1alpha2', 'TCPRoute', []],
    ['gateway.networking.k8s.io/v1', 'BackendTLSPolicy', []],
    ['gateway.networking.k8s.io/v1beta1', 'ReferenceGrant', []],
    ['monitoring.coreos.com/v1', 'Prometheus', WARNED],
    ['monitoring.coreos.com/v1alpha1', 'PrometheusAgent', WARNED],
    ['monitoring.coreos.com/v1', 'Alertmanager', WARNED],
    ['monitoring.coreos.com/v1', 'ThanosRuler', WARNED],
    ['monitoring.coreos.com/v1', 'ServiceMonitor', []],
    ['monitoring.coreos.com/v1', 'PodMonitor', []],
    ['monitoring.coreos.com/v1', 'Probe', []],
    ['monitoring.coreos.com/v1', 'PrometheusRule', []],
    ['monitoring.coreos.com/v1alpha1', 'ScrapeConfig', []],
    ['monitoring.coreos.com/v1beta1', 'AlertmanagerConfig', []],
    ['cert-manager.io/v1', 'ClusterIssuer', []],
    ['helm.toolkit.fluxcd.io/v2', 'HelmRelease', []],
    ['cert-manager.io.example.org/v1', 'Thing', WARNED],
  ])(
    'P18 of %s, a %s, is warned of only if there is something to wait for that nobody says',
    (apiVersion, kind, expected) => {
      const after = kubeObject(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: a, namespace: shop}}`);
      expect(alarms(findingsOf([componentFacts([{ before: after, after }])]))).toEqual(expected);
    },
  );
});
