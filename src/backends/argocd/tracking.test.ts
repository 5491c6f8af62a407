import { describe, expect, it } from 'vitest';
import { TARGET } from '../../../test/build/helm-release.ts';
import type { KubeObject, ObjectMeta } from '../../api/kube.ts';
import { applicationName } from './application-name.ts';
import { isOurs, trackedBy } from './tracking.ts';

const NAME = applicationName(TARGET);
const HELM = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

function tracked(application: string): Partial<ObjectMeta> {
  return { annotations: { 'argocd.argoproj.io/tracking-id': `${application}:/ConfigMap:shop-ns/web` } };
}

function object(metadata: Partial<ObjectMeta>, kind = { apiVersion: 'v1', kind: 'ConfigMap' }): KubeObject {
  return { ...kind, metadata: { name: 'web', ...metadata } };
}

describe('whose an object is', () => {
  it.each<[string, KubeObject, boolean]>([
    ['of our Application', object(tracked(NAME)), true],
    ['of our Application in another namespace than its controller', object(tracked(`apps_${NAME}`)), true],
    ['of our Application, by a label', object({ labels: { 'app.kubernetes.io/instance': NAME } }), true],
    ['of another Application', object(tracked('other')), false],
    [
      'of another Application, whatever helm says',
      object({ annotations: { ...HELM, ...tracked('other').annotations } }),
      false,
    ],
    ['left by helm, of a release of that name', object({ annotations: HELM }), true],
    ['of nobody', object({}), false],
    ['with the label of the release alone', object({ labels: { 'app.kubernetes.io/instance': 'web' } }), false],
    ['a CRD of the package', object({ annotations: { 'kubepkg.dev/owned-by': 'shop' } }, CRD), true],
    ['a CRD of another package', object({ annotations: { 'kubepkg.dev/owned-by': 'bar' } }, CRD), false],
    ['no CRD that says it is of the package', object({ annotations: { 'kubepkg.dev/owned-by': 'shop' } }), false],
  ])('P21 %s', (_, live, ours) => {
    expect(isOurs(live, TARGET)).toBe(ours);
  });

  it.each([
    [undefined, {}],
    ['a', { annotations: { 'argocd.argoproj.io/tracking-id': 'a:apps/Deployment:b/c' } }],
    ['', { annotations: { 'argocd.argoproj.io/tracking-id': 'malformed' } }],
  ])('is said by its tracking id: %s', (name, metadata) => {
    expect(trackedBy(object(metadata))).toBe(name);
  });
});
