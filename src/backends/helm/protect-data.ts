import { isCode } from '../../api/errors.ts';
import type { ObjectRef } from '../../api/kube.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { Cluster } from '../../ports/cluster.ts';

const CRD_GROUP = 'apiextensions.k8s.io/';

export function isCrd(ref: ObjectRef): boolean {
  return ref.kind === 'CustomResourceDefinition' && ref.apiVersion.startsWith(CRD_GROUP);
}

/** Objects whose end is the end of data. */
export function holdsData(ref: ObjectRef): boolean {
  return isCrd(ref) || (ref.apiVersion === 'v1' && (ref.kind === 'PersistentVolumeClaim' || ref.kind === 'Namespace'));
}

/**
 * An upgrade deletes what its chart no longer has, unless the live object says to keep it. Which objects the next
 * manifest drops is not known before helm renders it, so all that hold data are marked.
 */
export async function protectData(refs: readonly ObjectRef[], cluster: Cluster): Promise<void> {
  for (const ref of refs.filter((candidate) => holdsData(candidate))) await protect(ref, cluster);
}

async function protect(ref: ObjectRef, cluster: Cluster): Promise<void> {
  const live = await readMetadata(ref, cluster);
  if (live === undefined || live.metadata.annotations?.[ANNOTATION.helmKeep] === 'keep') return;
  await cluster.write({
    verb: 'merge-patch',
    ref,
    patch: { metadata: { annotations: { [ANNOTATION.helmKeep]: 'keep' } } },
  });
}

/** Undefined for an object that is gone, and for one whose kind is. */
export async function readMetadata(ref: ObjectRef, cluster: Cluster): Promise<Awaited<ReturnType<Cluster['read']>>> {
  try {
    return await cluster.read(ref, { metadataOnly: true });
  } catch (error) {
    if (isCode(error, 'KindNotServed')) return undefined;
    throw error;
  }
}
