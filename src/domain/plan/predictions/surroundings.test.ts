import { describe, expect, it } from 'vitest';
import { alarms, componentFacts, findingsOf, kubeObject } from '../../../../test/build/plan-facts.ts';
import type { KubeObject } from '../../../api/kube.ts';

function config(namespace: string, metadata = ''): KubeObject {
  return kubeObject(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ${namespace}${metadata}}}`);
}

function codes(objects: readonly KubeObject[], namespaces?: readonly string[]): readonly string[] {
  const facts = componentFacts(objects.map((after) => ({ after })));
  return findingsOf([facts], { cluster: { namespaces } }).map(({ code }) => code);
}

describe('a namespace that is written', () => {
  const made = kubeObject('{apiVersion: v1, kind: Namespace, metadata: {name: depot}}');

  it.each<readonly [string, readonly KubeObject[], readonly string[] | undefined, readonly string[]]>([
    ["is the component's own, and made when it is missing", [config('shop')], [], []],
    ["is somebody else's", [config('depot')], ['depot'], ['NamespaceForeign']],
    ['is not known to be there', [config('depot')], undefined, ['NamespaceForeign']],
    ['is not there', [config('depot')], ['shop'], ['NamespaceMissing']],
    ['is made by the chart', [made, config('depot')], ['shop'], []],
  ])('%s', (_name, objects, namespaces, expected) => {
    expect(codes(objects, namespaces)).toEqual(expected);
  });
});

const OURS =
  ', labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-namespace: shop, meta.helm.sh/release-name: ';

describe('an object that is there already', () => {
  it.each([
    ['belongs to nobody', config('shop'), 'belongs to no release'],
    ['belongs to another release', config('shop', `${OURS}other}`), 'belongs to release shop/other'],
    ['belongs to another package', config('shop', `${OURS}depot}`), 'belongs to release shop/depot of package depot'],
    ['belongs to a release that goes first', config('shop', `${OURS}former}`), undefined],
    ['is its own', config('shop', `${OURS}store}`), undefined],
  ])('%s', (_name, live, owner) => {
    const releases = { packages: { 'shop/depot': 'depot' }, leaving: ['shop/former'] };
    const components = [componentFacts([{ after: config('shop'), live }])];
    const [finding] = findingsOf(components, { releases });
    expect(finding?.code).toBe(owner === undefined ? undefined : 'ForeignObject');
    if (owner !== undefined)
      expect(finding?.message).toBe(`exists and ${owner}: the delivery refuses to write over it`);
    const adopting = findingsOf(components, { releases, package: { adopts: true } });
    expect(adopting.map(({ code }) => code)).toEqual(owner === undefined ? [] : ['ObjectAdopted']);
  });

  it.each([
    ['argocd-controller', []],
    ['kubepkg', ['ForeignObject']],
    ['kubectl', ['ForeignObject']],
  ])('without marks, written by %s, where Argo CD delivers', (manager, codes) => {
    const live = config('shop', `, managedFields: [{manager: ${manager}}]`);
    const findings = findingsOf([componentFacts([{ after: config('shop'), live }])], {
      managers: ['argocd-controller', 'kubepkg'],
    });
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  it('and on record is not asked for its marks', () => {
    const object = { after: config('shop'), before: config('shop'), live: config('shop') };
    expect(findingsOf([componentFacts([object])])).toEqual([]);
  });
});

describe('what a component allows in the whole cluster', () => {
  const binding = (role: string): KubeObject =>
    kubeObject(
      `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b}, roleRef: {kind: ClusterRole, name: ${role}}}`,
    );
  const role = kubeObject(
    '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: all}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}',
  );

  it.each([
    [[binding('some')], 'gives permissions in the whole cluster: ClusterRole some'],
    [[binding('cluster-admin')], 'gives every permission in the whole cluster: ClusterRole cluster-admin'],
    [[role, binding('all'), binding('some')], 'gives every permission in the whole cluster: ClusterRole all'],
    [[role], undefined],
  ])('%#', (objects, message) => {
    const findings = findingsOf([componentFacts(objects.map((after) => ({ after })))]);
    expect(findings.map((finding) => finding.message)).toEqual(message === undefined ? [] : [message]);
    expect(alarms(findings)).toEqual([]);
  });
});

describe('a version', () => {
  it.each([
    ['1.2.3', []],
    ['v1.2', []],
    ['banana', ['VersionUnordered package shop']],
    ['0.0.0-unversioned', ['VersionUnordered package shop']],
    ['', ['VersionUnordered package shop']],
  ])('%s is compared with others, or is warned of', (version, expected) => {
    expect(alarms(findingsOf([], { package: { version } }))).toEqual(expected);
  });
});

describe('a version that is safe to go back from', () => {
  it.each([
    [true, true, ['SafeWithHooks package shop']],
    [true, false, []],
    [false, true, []],
  ])('declared %s, with hooks %s', (rollbackSafe, hook, expected) => {
    const facts = componentFacts([], { component: { hook } });
    expect(alarms(findingsOf([facts], { package: { rollbackSafe } }))).toEqual(expected);
  });
});
