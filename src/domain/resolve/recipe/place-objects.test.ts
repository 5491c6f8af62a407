import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../lib/yaml.ts';
import { clusterKinds, placedIn } from './place-objects.ts';

const CRDS = ['Cluster', 'Namespaced'].map((scope) =>
  parseYaml(
    `{kind: CustomResourceDefinition, spec: {group: example.org, scope: ${scope}, names: {kind: ${scope}Thing}}}`,
    'crd',
  ),
);

function placed(text: string): unknown {
  return placedIn('shop', parseYaml(text, 'object'), clusterKinds(CRDS));
}

describe('what helm renders without a namespace', () => {
  it.each([
    ['of Kubernetes', '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'],
    ['with an empty namespace', '{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: ""}}'],
    ['of a CRD', '{apiVersion: example.org/v1, kind: NamespacedThing, metadata: {name: a}}'],
    ['that nobody knows', '{apiVersion: other.example.org/v1, kind: Thing, metadata: {name: a}}'],
    ['without a name of its own', '{apiVersion: batch/v1, kind: Job, metadata: {generateName: a-}}'],
  ])('an object %s gets that of its release', (_what, text) => {
    expect(placed(text)).toMatchObject({ metadata: { namespace: 'shop' } });
  });

  it.each([
    ['has another namespace', '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}'],
    ['is in none', '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}'],
    ['is in none as a CRD says', '{apiVersion: example.org/v1, kind: ClusterThing, metadata: {name: a}}'],
    ['is no object', '[a]'],
    ['has no metadata', '{apiVersion: v1, kind: Odd}'],
    ['is a list of such', '{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Node, metadata: {name: a}}]}'],
  ])('what %s stays as it is', (_what, text) => {
    const object = parseYaml(text, 'object');
    expect(placedIn('shop', object, clusterKinds(CRDS))).toBe(object);
  });

  it('the items of a list are placed', () => {
    const list = '{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: a}}]}';
    expect(placed(list)).toMatchObject({ items: [{ metadata: { name: 'a', namespace: 'shop' } }] });
  });
});
