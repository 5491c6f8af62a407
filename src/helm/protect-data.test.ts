import { describe, expect, it } from 'vitest';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import type { ObjectRef } from '../api/kube.ts';
import { protectData } from './protect-data.ts';

const CLAIM: ObjectRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop-ns', name: 'data' };
const CRD: ObjectRef = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'orders.shop.example.org',
};
const CONFIG: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop-ns', name: 'web' };

function clusterWith(refs: readonly ObjectRef[], annotations: Readonly<Record<string, string>> = {}): MemoryCluster {
  const cluster = new MemoryCluster();
  for (const { apiVersion, kind, ...metadata } of refs) {
    cluster.put({ apiVersion, kind, metadata: { ...metadata, annotations: { ...annotations } } });
  }
  return cluster;
}

const policyOf = (cluster: MemoryCluster, ref: ObjectRef): string | undefined =>
  cluster.get(ref)?.metadata.annotations?.['helm.sh/resource-policy'];

describe('before an upgrade', () => {
  it.each([
    ['a claim', CLAIM],
    ['a CRD', CRD],
  ])('I7 %s is marked to be kept, whether the next manifest has it or not', async (_what, ref) => {
    const cluster = clusterWith([ref]);
    await protectData([ref], cluster);
    expect(policyOf(cluster, ref)).toBe('keep');
  });

  it('what holds no data is not marked', async () => {
    const cluster = clusterWith([CONFIG]);
    await protectData([CONFIG], cluster);
    expect(policyOf(cluster, CONFIG)).toBeUndefined();
  });

  it('P22 what is marked already is not written again, and what is gone is passed over', async () => {
    const cluster = clusterWith([CLAIM], { 'helm.sh/resource-policy': 'keep' });
    const before = cluster.get(CLAIM)?.metadata.resourceVersion;
    await protectData([CLAIM, CRD], cluster);
    expect(cluster.get(CLAIM)?.metadata.resourceVersion).toBe(before);
    expect(cluster.get(CRD)).toBeUndefined();
  });
});
