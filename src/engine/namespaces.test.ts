import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { rest } from '../../test/fakes/clock.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { ensureNamespace } from './namespaces.ts';

const REF = { apiVersion: 'v1', kind: 'Namespace', name: 'shop' };
const REF_PARTS = { apiVersion: 'v1', kind: 'Namespace' };
const ENFORCE = 'pod-security.kubernetes.io/enforce';

describe('ensureNamespace', () => {
  let cluster: MemoryCluster;

  beforeEach(() => {
    cluster = new MemoryCluster();
  });

  function put(metadata: object = {}, rest: object = {}): void {
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', ...metadata }, ...rest });
  }

  function found(): KubeObject | undefined {
    return cluster.get(REF);
  }

  describe('the namespace of a component', () => {
    it('P20 is made where there is none, and never deleted with a release', async () => {
      await ensureNamespace(cluster, 'shop');
      expect(found()?.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
      expect(found()?.metadata.labels).toBeUndefined();
    });

    it('that is there is left as it is', async () => {
      put({ labels: { team: 'a' } });
      await ensureNamespace(cluster, 'shop');
      expect(cluster.writes()).toEqual([]);
    });

    it('that somebody makes in the same moment will do', async () => {
      cluster.before = ({ verb }) => {
        if (verb === 'create') put();
      };
      await ensureNamespace(cluster, 'shop');
      expect(found()).toBeDefined();
    });

    it('P21 that somebody makes in the same moment keeps its labels, and the level that it had is noted', async () => {
      cluster.before = ({ verb }) => {
        if (verb === 'create') put({ labels: { team: 'a', [ENFORCE]: 'restricted' } });
      };
      await ensureNamespace(cluster, 'shop', { privileged: true, labels: { team: 'platform' } });
      expect(found()?.metadata).toMatchObject({
        labels: { team: 'a', [ENFORCE]: 'privileged' },
        annotations: { 'kubepkg.dev/pod-security-before': 'restricted' },
      });
    });

    it('gets the privileged level when a component asks for it, its own labels are kept', async () => {
      put({ labels: { team: 'a', [ENFORCE]: 'restricted' } });
      await ensureNamespace(cluster, 'shop', { privileged: true });
      expect(found()?.metadata.labels).toEqual({ team: 'a', [ENFORCE]: 'privileged' });
      expect(found()?.metadata.annotations).toEqual({
        'kubepkg.dev/pod-security': 'privileged',
        'kubepkg.dev/pod-security-before': 'restricted',
      });
    });

    it('that is new and privileged gets both', async () => {
      await ensureNamespace(cluster, 'shop', { privileged: true });
      expect(found()?.metadata).toMatchObject({
        labels: { [ENFORCE]: 'privileged' },
        annotations: { 'helm.sh/resource-policy': 'keep' },
      });
    });

    it('P22 that is privileged already is not written again', async () => {
      put({ labels: { [ENFORCE]: 'privileged' } });
      await ensureNamespace(cluster, 'shop', { privileged: true });
      expect(cluster.writes()).toEqual([]);
    });

    it.each(['NamespaceContentRemaining', 'NamespaceFinalizersRemaining'])(
      'F61 that is being deleted is waited for, and what holds it is said (%s)',
      async (type) => {
        const conditions = [
          { type: 'NamespaceDeletionContentFailure', status: 'False', message: 'all fine' },
          { type, status: 'True', message: 'some finalizer remains' },
        ];
        put({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['hold'] }, { status: { conditions } });
        await expect(ensureNamespace(cluster, 'shop', { privileged: true })).rejects.toMatchObject({
          code: 'NamespaceTerminating',
          class: 'transient',
          message: expect.stringContaining('some finalizer remains') as string,
        });
        expect(cluster.writes()).toEqual([]);
      },
    );

    it('that is being deleted and says nothing is waited for as well', async () => {
      put({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['hold'] });
      await expect(ensureNamespace(cluster, 'shop')).rejects.toMatchObject({ code: 'NamespaceTerminating' });
    });

    it('that cannot be made is an error', async () => {
      cluster.before = ({ verb }) => {
        if (verb === 'create') throw new KubepkgError('ApiForbidden', 'no');
      };
      await expect(ensureNamespace(cluster, 'shop')).rejects.toMatchObject({ code: 'ApiForbidden' });
    });
  });

  it('the labels of the installation are added, and never change what is there', async () => {
    const labels = { team: 'platform', 'example.org/scan': 'on' };
    put({ labels: { team: 'a' } });
    await ensureNamespace(cluster, 'shop', { labels });
    expect(found()?.metadata.labels).toEqual({ team: 'a', 'example.org/scan': 'on' });
    await ensureNamespace(cluster, 'shop', { labels });
    expect(cluster.writes()).toHaveLength(1);
  });
});

describe('the namespaces of a package', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = new EngineWorld({ namespaceLabels: { 'example.org/scan': 'on' } });
    source(true);
  });

  function source(privileged: boolean, version = '1.0.0', name = 'shop'): void {
    world.addSource([aComponent('app', { privileged, releaseName: name })], { version }, name);
  }

  function putNamespace(metadata: object): void {
    world.cluster.put({ ...REF_PARTS, metadata: { name: 'shop', ...metadata } });
  }

  async function remove(name: string): Promise<void> {
    const known = world.object('Package', name);
    world.cluster.put({ ...known, metadata: { ...known.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } });
    await world.settle();
  }

  const metadata = (): KubeObject['metadata'] | undefined => world.cluster.get(REF)?.metadata;
  const level = (): unknown => metadata()?.labels?.[ENFORCE];

  it('have the privileged level and the labels of the installation before anything is delivered', async () => {
    world.backend.script = () => {
      expect(metadata()?.labels).toEqual({ 'example.org/scan': 'on', [ENFORCE]: 'privileged' });
      return Promise.resolve({ kind: 'accepted' });
    };
    await world.install();
    expect(world.backend.submitted).toEqual(['install shop/shop']);
  });

  it('lose the level once no component needs it, looked at once', async () => {
    await world.install();
    source(false, '2.0.0');
    await world.settle();
    expect(metadata()?.labels).toEqual({ 'example.org/scan': 'on' });
    expect(metadata()?.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    const before = world.cluster.requests.length;
    world.wake('shop');
    await world.settle();
    expect(world.cluster.requests).toHaveLength(before);
  });

  it('get back the level that they had', async () => {
    putNamespace({ labels: { [ENFORCE]: 'restricted' } });
    await world.install();
    source(false, '2.0.0');
    await world.settle();
    expect([level(), metadata()?.annotations]).toEqual(['restricted', {}]);
  });

  it('keep a level that kubepkg did not set', async () => {
    putNamespace({ labels: { [ENFORCE]: 'privileged' } });
    await world.install();
    source(false, '2.0.0');
    await world.settle();
    expect(level()).toBe('privileged');
  });

  it('keep a level that somebody else has set since', async () => {
    await world.install();
    putNamespace({ labels: { [ENFORCE]: 'baseline' } });
    source(false, '2.0.0');
    await world.settle();
    expect([level(), metadata()?.annotations]).toEqual(['baseline', { 'helm.sh/resource-policy': 'keep' }]);
  });

  it('keep the level while another package needs it, and lose it with that one', async () => {
    source(true, '1.0.0', 'other');
    world.addPackage({}, { name: 'other' });
    await world.install();
    source(false, '2.0.0');
    await world.settle();
    expect(level()).toBe('privileged');
    await remove('other');
    expect(level()).toBeUndefined();
    expect(world.cluster.all('Package').map(({ metadata: { name } }) => name)).toEqual(['shop']);
  });

  it('P20 lose the level with the package, and stay', async () => {
    await world.install();
    world.backend.script = ({ kind }) => {
      if (kind === 'uninstall') expect(level()).toBe('privileged');
      return Promise.resolve({ kind: 'accepted' });
    };
    await remove('shop');
    expect([level(), metadata()?.name, world.cluster.all('Package')]).toEqual([undefined, 'shop', []]);
  });

  it('keep the level for a package that asks for it at the last moment', async () => {
    source(true, '1.0.0', 'other');
    await world.install();
    let isAsked = false;
    world.cluster.before = async ({ line }) => {
      if (isAsked || line !== 'read Namespace shop' || world.phases().join(' ') !== 'Superseded Applied') return;
      isAsked = true;
      world.addPackage({}, { name: 'other' });
      await rest();
      // Its charts are fetched in between.
      await world.engine.reconcile('other');
      await rest();
      await world.engine.reconcile('other');
    };
    source(false, '2.0.0');
    await world.settle();
    const patches = world.cluster.writes().filter((line) => line === 'merge-patch Namespace shop');
    expect(patches).toHaveLength(1);
    expect([isAsked, level(), world.condition('Ready', 'other')]).toEqual([
      true,
      'privileged',
      'True ReconciliationSucceeded',
    ]);
  });

  it('R15 F61 that are being deleted are waited for, then made anew, and nothing fails meanwhile', async () => {
    putNamespace({ finalizers: ['hold'], deletionTimestamp: '2030-01-01T00:00:00Z' });
    await world.install();
    expect(world.condition('Ready')).toBe('False Progressing');
    const message = world.statusOf().conditions?.find(({ type }) => type === 'Ready')?.message;
    expect(message).toContain('namespace shop is being deleted');
    world.cluster.remove(REF);
    await world.advance(60_000);
    expect([world.condition('Ready'), world.phases()]).toEqual(['True ReconciliationSucceeded', ['Applied']]);
  });

  it('R15 that never go fail the component at its deadline, not before', async () => {
    putNamespace({ finalizers: ['hold'], deletionTimestamp: '2030-01-01T00:00:00Z' });
    await world.install();
    for (let minute = 1; minute < 10; minute += 1) await world.advance(60_000);
    expect(world.condition('Ready')).toBe('False Progressing');
    await world.advance(60_000);
    await world.advance(60_000);
    expect([world.condition('Ready'), world.phases()]).toEqual(['False UpgradeFailed', ['Failed']]);
    expect(world.backend.submitted).toEqual([]);
  });
});
