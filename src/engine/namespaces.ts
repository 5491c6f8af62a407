import { isCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import { at } from '../lib/json.ts';
import type { Cluster } from '../ports/cluster.ts';

const ENFORCE = 'pod-security.kubernetes.io/enforce';

/** Makes sure that a namespace can take objects: created when absent, waited for while it goes. Never deleted by us. */
export async function ensureNamespace(cluster: Cluster, name: string, privileged: boolean): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Namespace', name };
  const found = (await cluster.read(ref)) ?? (await createNamespace(cluster, name));
  if (found.metadata.deletionTimestamp !== undefined) {
    throw new KubepkgError('NamespaceTerminating', `namespace ${name} is being deleted${whatHolds(found)}`, {
      hint: 'kubepkg waits until it is gone and then creates it',
    });
  }
  if (!privileged || found.metadata.labels?.[ENFORCE] === 'privileged') return;
  const patch = {
    metadata: { labels: { [ENFORCE]: 'privileged' }, annotations: { [ANNOTATION.podSecurity]: 'privileged' } },
  };
  await cluster.write({ verb: 'merge-patch', ref, patch });
}

async function createNamespace(cluster: Cluster, name: string): Promise<KubeObject> {
  const annotations = { [ANNOTATION.helmKeep]: 'keep' };
  const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
  try {
    return await cluster.write({ verb: 'create', object });
  } catch (error) {
    // Another component of ours, or anybody, was quicker: all that is wanted is that it exists.
    if (isCode(error, 'ApiAlreadyExists')) return object;
    throw error;
  }
}

function whatHolds(namespace: KubeObject): string {
  const conditions = at(namespace, 'status', 'conditions');
  const remaining: unknown = Array.isArray(conditions)
    ? conditions.find(
        (condition) =>
          at(condition, 'type') === 'NamespaceContentRemaining' ||
          at(condition, 'type') === 'NamespaceFinalizersRemaining',
      )
    : undefined;
  const message = at(remaining, 'message');
  return typeof message === 'string' ? `: ${message}` : '';
}
