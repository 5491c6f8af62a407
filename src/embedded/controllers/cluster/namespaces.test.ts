import { describe, expect, it } from 'vitest';
import { aDeployment } from '../../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { JsonMap } from '../../model/object.ts';
import { StatusError } from '../../model/status-error.ts';
import { mapsAt } from '../kit/read.ts';

function shop(scene: EmbeddedScene): void {
  scene.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
}

function inShop(object: JsonMap): JsonMap {
  return { ...object, metadata: { ...(object.metadata as JsonMap), namespace: 'shop' } };
}

function told(scene: EmbeddedScene): Readonly<Record<string, string>> {
  const conditions = mapsAt(scene.get('Namespace', 'shop'), 'status', 'conditions');
  return Object.fromEntries(conditions.map(({ type, reason }) => [String(type), String(reason)]));
}

describe('a namespace', () => {
  it('has a ServiceAccount and the authority of the API server, also when somebody deletes them', async () => {
    const scene = embeddedScene();
    shop(scene);
    await scene.clock.advance(10);
    const contents = (): readonly string[] =>
      [...scene.list('ServiceAccount', 'shop'), ...scene.list('ConfigMap', 'shop')].map(
        ({ metadata }) => metadata.name,
      );
    expect(contents()).toEqual(['default', 'kube-root-ca.crt']);
    for (const plural of ['serviceaccounts', 'configmaps']) {
      scene.api.deleteCollection({ group: '', version: 'v1', plural, namespace: 'shop' });
    }
    await scene.clock.advance(10);
    expect(contents()).toEqual(['default', 'kube-root-ca.crt']);
  });

  it('that is deleted is emptied, and goes when nothing is left', async () => {
    const scene = embeddedScene();
    shop(scene);
    scene.put(inShop(aDeployment({ spec: { replicas: 2 } })));
    await scene.clock.advance(5000);
    scene.remove('Namespace', 'shop');
    await scene.clock.advance(100);
    expect(told(scene)).toEqual({
      NamespaceDeletionDiscoveryFailure: 'ResourcesDiscovered',
      NamespaceDeletionGroupVersionParsingFailure: 'ParsedGroupVersions',
      NamespaceDeletionContentFailure: 'ContentDeleted',
      NamespaceContentRemaining: 'SomeResourcesRemain',
      NamespaceFinalizersRemaining: 'ContentHasNoFinalizers',
    });
    await scene.clock.advance(5000);
    expect(scene.find('Namespace', 'shop')).toBeUndefined();
    expect(scene.list('Pod', 'shop')).toEqual([]);
  });

  it('F61 that a finalizer holds tells so, lets nothing in, and goes when the finalizer does', async () => {
    const scene = embeddedScene();
    shop(scene);
    const finalizers = ['example.org/hold'];
    const held = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', namespace: 'shop', finalizers } };
    scene.put(held);
    await scene.clock.advance(100);
    scene.remove('Namespace', 'shop');
    await scene.clock.advance(60_000);
    expect(told(scene).NamespaceFinalizersRemaining).toBe('SomeFinalizersRemain');
    const [remaining] = mapsAt(scene.get('Namespace', 'shop'), 'status', 'conditions').filter(
      ({ type }) => type === 'NamespaceFinalizersRemaining',
    );
    expect(remaining?.message).toBe(
      'Some content in the namespace has finalizers remaining: example.org/hold in 1 resource instances',
    );
    expect(() => scene.put({ ...held, metadata: { name: 'late', namespace: 'shop' } })).toThrow(StatusError);
    const { metadata, ...rest } = scene.get('ConfigMap', 'held', 'shop');
    scene.put({ ...rest, metadata: { ...metadata, finalizers: [] } });
    await scene.clock.advance(100);
    expect(scene.find('Namespace', 'shop')).toBeUndefined();
  });
});
