import type { KubeClient } from '../../../../src/adapters/kube/kube-client.ts';
import type { KubeObject } from '../../../../src/api/kube.ts';
import type { Release } from './backend.ts';

/** Numbers of helm's records of a release that were completed, oldest first. */
export async function completedRecords(cluster: KubeClient, { namespace, name }: Release): Promise<readonly number[]> {
  const records = await listRecords(cluster, namespace, `owner=helm,name=${name},status in (deployed,superseded)`);
  return records.map(({ metadata }) => Number(metadata.labels?.version)).sort((a, b) => a - b);
}

/** Names of helm's records in a namespace. */
export async function recordsIn(cluster: KubeClient, namespace: string): Promise<readonly string[]> {
  return (await listRecords(cluster, namespace, 'owner=helm')).map(({ metadata }) => metadata.name);
}

async function listRecords(
  cluster: KubeClient,
  namespace: string,
  labelSelector: string,
): Promise<readonly KubeObject[]> {
  const secrets = { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector, metadataOnly: true };
  return (await cluster.list(secrets)).items;
}
