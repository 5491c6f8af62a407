import type { ObjectRef } from '../api/kube.ts';
import { GROUP } from '../api/names.ts';
import { CRD } from '../engine/crd-book.ts';
import type { Cluster } from '../ports/cluster.ts';
import { ifPossible } from './plan-attempt.ts';

/** What lasts as long as its cluster; the first one that may be read tells clusters apart. */
const LASTING: readonly ObjectRef[] = [
  { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' },
  { apiVersion: 'v1', kind: 'Namespace', name: 'default' },
  { ...CRD, name: `packages.${GROUP}` },
];

/** Of this cluster alone; empty: nothing that would tell may be read. */
export async function clusterIdentity(cluster: Pick<Cluster, 'read'>): Promise<string> {
  for (const ref of LASTING) {
    const object = await ifPossible(() => cluster.read(ref, { metadataOnly: true }), undefined);
    if (object?.metadata.uid !== undefined) return object.metadata.uid;
  }
  return '';
}
