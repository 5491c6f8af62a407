import type { KubeClient } from '../../../../src/adapters/kube/kube-client.ts';
import type { KubeObject } from '../../../../src/api/kube.ts';
import type { Release } from './backend.ts';

/** Numbers of helm's records of a release that were completed, oldest first. */
export async function completedRecords(cluster: KubeClient, { namespace, name }: Release): Promise<readonly number[]> {
  const records = await listRecords(cluster, namespace, `owner=helm,name=${name},status in (deployed,superseded)`);
  return records.map(({ metadata }) => Number(metadata.labels?.version)).sort((a, b) => a - b);
}

/** Names of helm's records in a namespace, all or only those of a certain status. */
export async function recordsIn(
  cluster: KubeClient,
  namespace: string,
  statuses: readonly string[] = [],
): Promise<readonly string[]> {
  const selector = statuses.length === 0 ? 'owner=helm' : `owner=helm,status in (${statuses.join(',')})`;
  return (await listRecords(cluster, namespace, selector)).map(({ metadata }) => metadata.name);
}

/** Statuses of records that neither are nor were delivered, nor belong to a delivery that died. */
export const PENDING: readonly string[] = ['pending-install', 'pending-upgrade', 'pending-rollback', 'uninstalling'];

async function listRecords(
  cluster: KubeClient,
  namespace: string,
  labelSelector: string,
): Promise<readonly KubeObject[]> {
  const secrets = { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector, metadataOnly: true };
  return (await cluster.list(secrets)).items;
}
