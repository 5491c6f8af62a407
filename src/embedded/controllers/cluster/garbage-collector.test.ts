import { describe, expect, it } from 'vitest';
import { aDeployment } from '../../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { StoredOwner } from '../../model/object.ts';

interface Parts {
  readonly namespace?: string;
  readonly owners?: readonly StoredOwner[];
  readonly finalizers?: readonly string[];
}

function put(
  scene: EmbeddedScene,
  name: string,
  { namespace = 'default', owners = [], finalizers }: Parts = {},
): StoredOwner {
  const { metadata } = scene.put({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace,
      ...(owners.length === 0 ? {} : { ownerReferences: owners }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  });
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid };
}

function names(scene: EmbeddedScene): readonly string[] {
  return scene
    .list('ConfigMap', 'default')
    .map(({ metadata }) => (metadata.deletionTimestamp === undefined ? metadata.name : `${metadata.name} (going)`))
    .filter((name) => name !== 'kube-root-ca.crt');
}

function release(scene: EmbeddedScene, name: string): void {
  const object = scene.get('ConfigMap', name);
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  scene.put({ ...object, metadata });
}

const blocking = (owner: StoredOwner): StoredOwner => ({ ...owner, blockOwnerDeletion: true });

describe('the garbage collector', () => {
  it('keeps what an object of a kind owns that is served since this very moment', async () => {
    const scene = embeddedScene();
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    scene.put({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'sites.example.org' },
      spec: {
        group: 'example.org',
        scope: 'Cluster',
        names: { plural: 'sites', singular: 'site', kind: 'Site', listKind: 'SiteList' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    const site = { apiVersion: 'example.org/v1', kind: 'Site', metadata: { name: 'main' } };
    const { uid } = scene.put(site).metadata;
    put(scene, 'child', { owners: [{ apiVersion: site.apiVersion, kind: site.kind, name: 'main', uid }] });
    await scene.clock.advance(60_000);
    expect(names(scene)).toEqual(['child']);
  });

  it('removes what has lost its last owner, and what that owned', async () => {
    const scene = embeddedScene();
    const owner = put(scene, 'owner');
    const child = put(scene, 'child', { owners: [owner] });
    put(scene, 'grandchild', { owners: [child] });
    put(scene, 'other');
    await scene.clock.advance(100);
    scene.remove('ConfigMap', 'owner');
    await scene.clock.advance(100);
    expect(names(scene)).toEqual(['other']);
  });

  it('keeps what has another owner, without the one that went', async () => {
    const scene = embeddedScene();
    const [first, second] = [put(scene, 'first'), put(scene, 'second')];
    put(scene, 'child', { owners: [first, second] });
    await scene.clock.advance(100);
    scene.remove('ConfigMap', 'first');
    await scene.clock.advance(100);
    expect(scene.get('ConfigMap', 'child').metadata.ownerReferences).toEqual([second]);
  });

  it.each([
    ['an owner that never was', { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'u' }, []],
    ['an owner of another uid', { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u' }, ['other']],
    [
      'an owner of a kind that is not served',
      { apiVersion: 'example.org/v1', kind: 'Site', name: 'x', uid: 'u' },
      ['child'],
    ],
  ])('judges an object with %s', async (_case, owner, left) => {
    const scene = embeddedScene();
    if (left.includes('other')) put(scene, 'other');
    put(scene, 'child', { owners: [owner] });
    await scene.clock.advance(100);
    expect(names(scene)).toEqual(left);
  });

  it('takes an owner in another namespace for none', async () => {
    const scene = embeddedScene();
    const owner = put(scene, 'owner', { namespace: 'kube-system' });
    put(scene, 'child', { owners: [owner] });
    await scene.clock.advance(100);
    expect(names(scene)).toEqual([]);
  });

  it('in the foreground removes what blocks the owner first', async () => {
    const scene = embeddedScene();
    const owner = put(scene, 'owner');
    const child = put(scene, 'child', { owners: [blocking(owner)] });
    put(scene, 'grandchild', { owners: [blocking(child)], finalizers: ['example.org/hold'] });
    put(scene, 'free', { owners: [owner], finalizers: ['example.org/hold'] });
    await scene.clock.advance(100);
    scene.remove('ConfigMap', 'owner', { propagationPolicy: 'Foreground' });
    await scene.clock.advance(100);
    expect(names(scene)).toEqual(['child (going)', 'free', 'grandchild (going)', 'owner (going)']);
    release(scene, 'grandchild');
    await scene.clock.advance(100);
    expect(names(scene)).toEqual(['free (going)']);
  });

  it('leaves orphans when it is told to', async () => {
    const scene = embeddedScene();
    const owner = put(scene, 'owner');
    put(scene, 'child', { owners: [owner] });
    await scene.clock.advance(100);
    scene.remove('ConfigMap', 'owner', { propagationPolicy: 'Orphan' });
    await scene.clock.advance(100);
    expect(names(scene)).toEqual(['child']);
    expect(scene.get('ConfigMap', 'child').metadata.ownerReferences).toBeUndefined();
  });

  it('follows owners of custom kinds, once they are defined', async () => {
    const scene = embeddedScene();
    scene.put({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'sites.example.org' },
      spec: {
        group: 'example.org',
        scope: 'Namespaced',
        names: { kind: 'Site', listKind: 'SiteList', plural: 'sites', singular: 'site' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    await scene.clock.advance(1000);
    const site = scene.put({
      apiVersion: 'example.org/v1',
      kind: 'Site',
      metadata: { name: 'home', namespace: 'default' },
    });
    put(scene, 'child', {
      owners: [{ apiVersion: 'example.org/v1', kind: 'Site', name: 'home', uid: site.metadata.uid }],
    });
    await scene.clock.advance(1000);
    expect(names(scene)).toEqual(['child']);
    scene.remove('Site', 'home');
    scene.remove('CustomResourceDefinition', 'sites.example.org');
    await scene.clock.advance(1000);
    expect(names(scene)).toEqual([]);
  });

  it('removes the pods of a Deployment before it, in the foreground', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ spec: { replicas: 2 } }));
    await scene.clock.advance(5000);
    scene.remove('Deployment', 'web', { propagationPolicy: 'Foreground' });
    await scene.clock.advance(100);
    expect(scene.find('Deployment', 'web')).toBeDefined();
    await scene.clock.advance(2000);
    expect([scene.find('Deployment', 'web'), scene.list('ReplicaSet'), scene.list('Pod')]).toEqual([undefined, [], []]);
  });
});
