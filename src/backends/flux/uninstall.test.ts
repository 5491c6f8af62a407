import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HelmReleaseShape, helmRelease } from '../../../test/build/flux-release.ts';
import { releaseSecret, TARGET } from '../../../test/build/helm-release.ts';
import { FluxScene, RELEASE_REF } from '../../../test/fakes/flux-scene.ts';
import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import { decodeRecord } from '../../helm/record.ts';
import type { PresentRelease } from '../../ports/backend.ts';

const SIGNED = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };
const CONFIG: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop-ns', name: 'web' };
const MANIFEST = '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n';
const CRD =
  '---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: gadgets.example.com\n';
const PRESENT: PresentRelease = {
  ...{ state: 'present', revision: 2, token: 'token-2', digest: 'digest-2' },
  ...{ delivery: 'delivered', everDelivered: true, message: '' },
};

describe('P20 removing a release of Flux', () => {
  let folder: string;
  let scene: FluxScene;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubepkg-flux-'));
    scene = new FluxScene(folder);
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A release that runs, with an object, the Secret of its values and its source. */
  function run({ shape = {}, manifest = MANIFEST }: { shape?: HelmReleaseShape; manifest?: string } = {}): void {
    scene.cluster.put(helmRelease(shape));
    scene.cluster.put(releaseSecret({ revision: 2, labels: {}, manifest }));
    put(CONFIG);
    const labels = { 'kubepkg.dev/package': 'shop', 'kubepkg.dev/release': 'web' };
    const metadata = { namespace: 'shop-ns', labels };
    scene.cluster.put({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubepkg.dev/values',
      metadata: { ...metadata, name: 'web-values-1' },
    });
    scene.cluster.put({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'OCIRepository',
      metadata: { ...metadata, name: 'web-1' },
    });
    scene.uninstall = () => {
      scene.cluster.remove(CONFIG);
      scene.leaveUninstalled(recordOf().manifest);
    };
  }

  function put({ apiVersion, kind, ...names }: ObjectRef, metadata: Partial<KubeObject['metadata']> = {}): void {
    scene.cluster.put({ apiVersion, kind, metadata: { ...names, annotations: SIGNED, ...metadata } });
  }

  function recordOf(): ReturnType<typeof decodeRecord> {
    const secret = scene.cluster.get({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'shop-ns',
      name: 'sh.helm.release.v1.web.v2',
    });
    if (secret === undefined) throw new Error('there is no record');
    return decodeRecord(secret);
  }

  function leftovers(): readonly string[] {
    return ['HelmRelease', 'OCIRepository', 'Secret'].flatMap((kind) =>
      scene.cluster.all(kind).map(({ metadata }) => metadata.name),
    );
  }

  it('holds helm-controller back, lets it uninstall, and leaves nothing', async () => {
    run();
    expect(await scene.remove()).toBe('accepted');
    const deletion = scene.cluster.writes().indexOf('delete HelmRelease shop-ns/web');
    expect(scene.cluster.writes().indexOf('merge-patch HelmRelease shop-ns/web')).toBeLessThan(deletion);
    expect(scene.helmRelease['spec']).toMatchObject({
      dependsOn: [{ name: 'web-is-being-removed' }],
      uninstall: { keepHistory: true, deletionPropagation: 'foreground', disableWait: true },
    });
    expect(await scene.present()).toMatchObject({ delivery: 'removing', revision: 2, everDelivered: false });
    expect(await scene.remove()).toBe('accepted');
    expect(await scene.observe()).toEqual({ state: 'absent' });
    expect(leftovers()).toEqual([]);
    expect(
      await scene.submit({ kind: 'uninstall', target: TARGET, observed: PRESENT }, new AbortController().signal),
    ).toEqual({ kind: 'accepted' });
  });

  it('changes the record only once helm-controller is held back, so that none of its turns upgrades over it', async () => {
    run({ manifest: MANIFEST + CRD });
    scene.isDown = true;
    const removal = scene.remove();
    await scene.clock.advance(10_000);
    expect(await removal).toBe('accepted');
    expect(scene.cluster.writes()).toEqual(['merge-patch HelmRelease shop-ns/web']);
    expect(await scene.present()).toMatchObject({ delivery: 'draining', uninstalling: true });
    expect(recordOf().manifest).not.toContain('keep');
    scene.isDown = false;
    scene.cluster.put({
      ...scene.helmRelease,
      metadata: { ...scene.helmRelease.metadata, labels: { ...scene.helmRelease.metadata.labels, touched: 'a' } },
    });
    await scene.clock.advance(0);
    expect((await scene.present()).delivery).toBe('removing');
    expect(await scene.remove()).toBe('accepted');
    expect(recordOf().manifest).toContain('"helm.sh/resource-policy":"keep"');
  });

  it('says since when a silent controller is waited for', async () => {
    run();
    scene.isDown = true;
    const removal = scene.remove();
    await scene.clock.advance(40_000);
    await removal;
    expect((await scene.present()).message).toBe(
      'helm-controller has not looked at HelmRelease shop-ns/web since 2030-01-01T00:00:00Z: is it running?',
    );
  });

  it('resumes what was suspended: helm-controller would leave the release behind', async () => {
    run({ shape: { suspend: true, stopped: 'token-2' } });
    await scene.remove();
    expect(scene.helmRelease['spec']).not.toHaveProperty('suspend');
  });

  it('F61 asks for no hooks in a namespace that is being deleted', async () => {
    run();
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop-ns', deletionTimestamp: '2030-01-01T00:00:00Z' },
    };
    scene.cluster.put(namespace);
    await scene.remove();
    expect(scene.helmRelease['spec']).toMatchObject({ uninstall: { disableHooks: true } });
  });

  it('F60 is not over while an object is held, and says by what', async () => {
    run();
    scene.uninstall = () => {
      put(CONFIG, { finalizers: ['example.org/hold'], deletionTimestamp: '2030-01-01T00:00:05Z' });
      scene.leaveUninstalled(MANIFEST);
    };
    await scene.remove();
    const draining = await scene.present();
    expect(draining).toMatchObject({ delivery: 'draining', revision: 2, token: 'token-2' });
    expect(draining.uninstalling).toBeUndefined();
    expect(draining.message).toContain(
      'ConfigMap shop-ns/web is held by finalizer example.org/hold since 2030-01-01T00:00:05Z',
    );
    expect(await scene.remove()).toBe('accepted');
    expect(await scene.present()).toEqual(draining);
    scene.cluster.remove(CONFIG);
    expect((await scene.present()).delivery).toBe('removing');
  });

  it('removes what came back after helm-controller had removed it', async () => {
    run();
    await scene.remove();
    put(CONFIG);
    const removing = await scene.present();
    expect(removing).toMatchObject({
      delivery: 'removing',
      message: expect.stringContaining('ConfigMap shop-ns/web') as string,
    });
    await scene.remove();
    expect(scene.cluster.get(CONFIG)).toBeUndefined();
    expect(leftovers()).toContain('sh.helm.release.v1.web.v2');
    await scene.remove();
    expect(leftovers()).toEqual([]);
  });

  it('leaves what has passed to another release', async () => {
    run();
    await scene.remove();
    put(CONFIG, { annotations: { ...SIGNED, 'meta.helm.sh/release-name': 'heir' } });
    await scene.remove();
    expect(leftovers()).toEqual([]);
    expect(scene.cluster.get(CONFIG)).toBeDefined();
  });

  it('removes itself what helm-controller leaves, whose history somebody else has emptied', async () => {
    run();
    scene.uninstall = () => undefined;
    await scene.remove();
    expect(await scene.present()).toMatchObject({
      delivery: 'removing',
      message: expect.stringContaining('has left it') as string,
    });
    await scene.remove();
    expect(recordOf().status).toBe('uninstalled');
    await scene.remove();
    expect(scene.cluster.get(CONFIG)).toBeUndefined();
    await scene.remove();
    expect(leftovers()).toEqual([]);
  });

  it('I6 leaves a release that it was to take over, and of which it delivered nothing', async () => {
    run({ shape: { annotations: { 'kubepkg.dev/adopted-release': '2' } }, manifest: MANIFEST + CRD });
    scene.uninstall = () => undefined;
    const before = recordOf();
    await scene.remove();
    await scene.remove();
    expect(leftovers()).toEqual(['sh.helm.release.v1.web.v2']);
    expect(recordOf()).toEqual(before);
    expect(scene.cluster.get(CONFIG)).toBeDefined();
  });

  it('I6 leaves a release that came before Flux was told anything, and resumes nothing for it', async () => {
    run({ manifest: MANIFEST + CRD });
    const { annotations } = helmRelease({ stopped: 'token-2' }).metadata;
    const { 'kubepkg.dev/spec-digest': _digest, ...stub } = annotations ?? {};
    const unstarted = helmRelease({ history: [], suspend: true });
    scene.cluster.put({ ...unstarted, metadata: { ...unstarted.metadata, annotations: stub } });
    scene.uninstall = () => undefined;
    const before = recordOf();
    expect(await scene.remove()).toBe('accepted');
    expect(leftovers()).toEqual(['sh.helm.release.v1.web.v2']);
    expect(recordOf()).toEqual(before);
    expect(scene.cluster.get(CONFIG)).toBeDefined();
    expect(scene.cluster.writes().filter((line) => line.startsWith('merge-patch'))).toEqual([]);
  });

  it('ends where nothing was ever released', async () => {
    scene.cluster.put(helmRelease({ history: [] }));
    await scene.remove();
    await scene.remove();
    expect(await scene.observe()).toEqual({ state: 'absent' });
  });

  it('waits for a HelmRelease that somebody else deletes, and for whoever holds it', async () => {
    scene.isDown = true;
    run({ shape: { deletionTimestamp: '2030-01-01T00:00:05Z' } });
    const removed = await scene.present();
    expect(removed).toMatchObject({
      delivery: 'draining',
      uninstalling: true,
      message: expect.stringContaining('by helm-controller since 2030') as string,
    });
    expect(await scene.remove()).toBe('accepted');
    expect(scene.cluster.writes()).toEqual([]);
    scene.cluster.put(helmRelease({ deletionTimestamp: '2030-01-01T00:00:05Z', finalizers: ['example.org/theirs'] }));
    expect((await scene.present()).message).toContain('is held by example.org/theirs since 2030');
  });

  it.each([
    ['a HelmRelease', () => scene.cluster.put(helmRelease({ labels: {} }))],
    ['a release', () => scene.cluster.put(releaseSecret({ labels: {} }))],
  ])('I6 touches nothing of %s that is not ours', async (_, putForeign) => {
    putForeign();
    const outcome = await scene.submit({ kind: 'uninstall', target: TARGET, observed: PRESENT });
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
    expect(scene.cluster.writes()).toEqual([]);
  });

  it('keeps the data of its claims when told to', async () => {
    const claim = '---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: data\n';
    run({ manifest: MANIFEST + claim });
    put({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop-ns', name: 'data' });
    await scene.remove(true);
    expect(recordOf().manifest).toContain('"helm.sh/resource-policy":"keep"');
  });

  it('begins although helm-controller writes its status in between', async () => {
    run();
    scene.disturb('merge-patch HelmRelease', 2);
    expect(await scene.remove()).toBe('accepted');
    expect((await scene.present()).delivery).toBe('removing');
  });

  it('drives on a removal whose process died after it was held back', async () => {
    run();
    scene.cluster.before = ({ line }) => {
      if (line.startsWith('delete HelmRelease')) throw new Error('killed');
    };
    await scene.remove();
    scene.cluster.before = () => undefined;
    expect(await scene.present()).toMatchObject({ delivery: 'removing' });
    await scene.remove();
    await scene.remove();
    expect(scene.cluster.get(RELEASE_REF)).toBeUndefined();
    expect(leftovers()).toEqual([]);
  });
});
