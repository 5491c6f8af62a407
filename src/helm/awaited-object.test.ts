import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { releaseSecret, TARGET } from '../../test/build/helm-release.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import type { KubeObject, ObjectMeta } from '../api/kube.ts';
import type { ReleaseTarget } from '../ports/backend.ts';
import { awaitedObject } from './awaited-object.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { ReleaseStore } from './release-store.ts';

const HELD = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.org/x'] };
const HELM = ['3.17.2', '4.1.4'];

/** What helm really said, collected on a real API server. */
function said(version: string, name: string): string {
  const file = new URL(`../../test/fixtures/helm-output/${version}.json`, import.meta.url);
  const outputs = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, { readonly stderr: string }>>;
  return outputs[name]?.stderr ?? '';
}

/** Record of a release o1 in the namespace shop. */
function record(manifest: string): KubeObject {
  const secret = releaseSecret({ status: 'uninstalled', manifest });
  const { uid: _uid, resourceVersion: _version, labels, ...metadata } = secret.metadata;
  const moved = { ...metadata, namespace: 'shop', labels: { ...labels, name: 'o1' } };
  return encodeRecord({ ...secret, metadata: moved }, decodeRecord(secret).raw);
}

describe('P10 an object that another release had', () => {
  const target: ReleaseTarget = { ...TARGET, namespace: 'shop', releaseName: 'o2' };
  let cluster: MemoryCluster;

  beforeEach(() => {
    cluster = new MemoryCluster();
    cluster.put(record('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: oned\n'));
  });

  function put(metadata: Partial<ObjectMeta>): void {
    const annotations = { 'meta.helm.sh/release-name': 'o1', 'meta.helm.sh/release-namespace': 'shop' };
    const own = { name: 'oned', namespace: 'shop', annotations };
    cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...own, ...metadata } });
  }

  async function judge(text: string): Promise<string | undefined> {
    const error = await awaitedObject(text, target, { cluster, store: new ReleaseStore(cluster) });
    return error === undefined ? undefined : `${error.class} ${error.code}: ${error.message}`;
  }

  it.each(HELM)('is waited for while it goes, and named, as helm %s tells of it', async (version) => {
    put(HELD);
    const held = 'ConfigMap shop/oned is held by finalizer a.org/x since 2026-01-01T00:00:00Z';
    const expected = `transient ReleaseLocked: release shop/o2: ${held}; it was of release shop/o1, and has to be gone first`;
    expect(await judge(said(version, 'ownership-other'))).toBe(expected);
    expect(await judge(said(version, 'ownership-upgrade'))).toBe(expected);
  });

  it.each(HELM)('has gone meanwhile, as helm %s tells of it', async (version) => {
    expect(await judge(said(version, 'ownership-other'))).toContain('ConfigMap shop/oned was in the way and is gone');
  });

  it.each(HELM)('P21 and stands is a conflict for good, as helm %s tells of it', async (version) => {
    put({});
    expect(await judge(said(version, 'ownership-other'))).toBeUndefined();
  });

  it.each([
    ['that nobody has signed', said('4.1.4', 'ownership-none')],
    ['of a release that left no record', said('4.1.4', 'ownership-other').replace('value is "o1"', 'value is "o9"')],
    ['in another namespace than its record says', said('4.1.4', 'ownership-other').replace('"shop"', '"other"')],
    ['that helm says nothing of', said('4.1.4', 'name-in-use')],
  ])('P21 %s is a conflict for good', async (_, text) => {
    put(HELD);
    expect(await judge(text)).toBeUndefined();
  });

  it('is looked up where its owner is, if that is in another namespace', async () => {
    put(HELD);
    const owner =
      'annotation validation error: key "meta.helm.sh/release-namespace" must equal "x": current value is "shop"';
    const text = said('4.1.4', 'ownership-other').replace(/annotation validation error: .*/, owner);
    const elsewhere = { ...target, namespace: 'x', releaseName: 'o1' };
    const error = await awaitedObject(text, elsewhere, { cluster, store: new ReleaseStore(cluster) });
    expect(error?.message).toContain('it was of release shop/o1');
  });
});
