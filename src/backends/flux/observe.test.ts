import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HelmReleaseShape, helmRelease } from '../../../test/build/flux-release.ts';
import { OWN_LABELS, releaseSecret, TARGET } from '../../../test/build/helm-release.ts';
import { FluxScene } from '../../../test/fakes/flux-scene.ts';
import { HELM_RELEASE } from './names.ts';

const FAILED: HelmReleaseShape = {
  ready: ['False', 'UpgradeFailed', 2],
  released: ['False', 'UpgradeFailed', 2],
  stalled: 'RetriesExceeded',
  failures: 1,
  recorded: 1,
  message: 'Helm upgrade failed for release shop-ns/web with chart web@1.0.0: password hunter2-is-secret is weak',
};

describe('observing a release of Flux', () => {
  let folder: string;
  let scene: FluxScene;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubepkg-flux-'));
    scene = new FluxScene(folder);
  });
  afterEach(() => rm(folder, { recursive: true }));

  function putValues(password: string): void {
    scene.cluster.put({
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubepkg.dev/values' },
      metadata: { name: 'web-values-1', namespace: TARGET.namespace },
      data: { 'values.yaml': Buffer.from(`password: ${password}\n`).toString('base64') },
    });
  }

  it('costs one request while all is well', async () => {
    scene.cluster.put(helmRelease());
    expect(await scene.present()).toMatchObject({ delivery: 'delivered', token: 'token-2' });
    expect(scene.cluster.requests.map(({ line }) => line)).toEqual(['read HelmRelease shop-ns/web']);
  });

  it('is absent where there is neither a HelmRelease nor a release', async () => {
    expect(await scene.observe()).toEqual({ state: 'absent' });
    scene.cluster.put(releaseSecret({ status: 'uninstalled', labels: {} }));
    expect(await scene.observe()).toEqual({ state: 'absent' });
  });

  it.each([
    ['helm by hand', {}, undefined, 'without a HelmRelease of kubepkg'],
    ['backend helm for this package', OWN_LABELS, undefined, 'was delivered by backend helm'],
    [
      'backend helm for another package',
      { ...OWN_LABELS, 'kubepkg.dev/package': 'bar' },
      'bar',
      'belongs to package bar',
    ],
  ])('P21 is foreign where a release runs that was made by %s', async (_, labels, otherPackage, message) => {
    scene.cluster.put(releaseSecret({ labels }));
    const observed = await scene.observe();
    expect(observed).toMatchObject({ state: 'foreign', message: expect.stringContaining(message) as string });
    expect('otherPackage' in observed ? observed.otherPackage : undefined).toBe(otherPackage);
  });

  it('P21 is foreign where the HelmRelease is somebody else’s', async () => {
    scene.cluster.put(helmRelease({ labels: {} }));
    expect(await scene.observe()).toMatchObject({
      state: 'foreign',
      message: 'HelmRelease shop-ns/web was not made by kubepkg',
    });
    scene.cluster.put(helmRelease({ labels: { 'kubepkg.dev/package': 'bar' } }));
    expect(await scene.observe()).toMatchObject({ state: 'foreign', otherPackage: 'bar' });
  });

  it('a component that was renamed goes on with its release', async () => {
    scene.cluster.put(helmRelease());
    expect((await scene.backend.observe({ ...TARGET, component: 'other' })).state).toBe('present');
  });

  it('I10 reads the values of a failure, and shows none of them', async () => {
    scene.cluster.put(helmRelease(FAILED));
    putValues('hunter2-is-secret');
    const observed = await scene.present();
    expect(observed.failure?.message).toBe('release shop-ns/web: password (hidden) is weak');
    expect(observed.message).toBe(observed.failure?.message);
  });

  it('I10 keeps Flux’s words to itself when the values are gone', async () => {
    scene.cluster.put(helmRelease(FAILED));
    const observed = await scene.present();
    expect(observed).toMatchObject({ delivery: 'failed', failure: { code: 'HelmFailed' } });
    expect(JSON.stringify(observed)).not.toContain('hunter2');
  });

  it.each<[string, object | undefined, string]>([
    [
      'is going is another try',
      { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.org/x'] },
      'ReleaseLocked',
    ],
    ['stands is a failure for good', {}, 'OwnershipConflict'],
  ])('P10 a failure over an object that another release had and that %s', async (_, metadata, code) => {
    const conflict =
      'ConfigMap "own" in namespace "shop-ns" exists and cannot be imported into the current release: invalid ownership metadata; annotation validation error: key "meta.helm.sh/release-name" must equal "web": current value is "old"';
    const message = `Helm upgrade failed for release shop-ns/web with chart web@1.0.0: unable to continue with update: ${conflict}`;
    scene.cluster.put(helmRelease({ ...FAILED, message }));
    const record = releaseSecret({ manifest: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: own\n' });
    const { labels, ...own } = record.metadata;
    scene.cluster.put({ ...record, metadata: { ...own, name: 'old', labels: { ...labels, name: 'old' } } });
    const place = { name: 'own', namespace: 'shop-ns' };
    scene.cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...place, ...metadata } });
    const observed = await scene.present();
    expect(observed.failure?.code).toBe(code);
    expect(observed.message).toBe(observed.failure?.message);
  });

  it('cannot be told while Flux is not installed', async () => {
    const other = new FluxScene(folder, { isInstalled: false });
    await expect(other.observe()).rejects.toMatchObject({ code: 'KindNotServed', class: 'transient' });
  });

  it('finds its releases by label, in every namespace, and knows whose a HelmRelease is', async () => {
    scene.cluster.put(helmRelease());
    scene.cluster.put({ ...helmRelease({ labels: {} }), metadata: { name: 'theirs', namespace: 'elsewhere' } });
    expect(await scene.backend.releasesOf('shop')).toEqual([TARGET]);
    expect(await scene.backend.releasesOf('bar')).toEqual([]);
    const [watch] = scene.backend.watches();
    expect(watch?.selection).toMatchObject({
      ...HELM_RELEASE,
      labelSelector: 'kubepkg.dev/package',
      metadataOnly: true,
    });
    expect(watch?.owner(helmRelease())).toEqual({ package: 'shop', namespace: 'shop-ns', releaseName: 'web' });
    expect(watch?.owner(helmRelease({ labels: {} }))).toBeUndefined();
  });

  it('R14 recalls what was delivered from the records of Flux, which bear no mark of ours', async () => {
    scene.cluster.put(releaseSecret({ revision: 3, labels: {}, config: { color: 'red' } }));
    expect(await scene.backend.archive?.recall(TARGET)).toBeUndefined();
    scene.cluster.put(helmRelease());
    expect(await scene.backend.archive?.recall(TARGET, 3)).toMatchObject({ revision: 3, values: { color: 'red' } });
    expect(await scene.backend.archive?.recall(TARGET, 2)).toBeUndefined();
  });
});
