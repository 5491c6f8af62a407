import type { ObjectRef } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import type { Cluster } from '../ports/cluster.ts';
import { holdsData, isKept, readMetadata } from './ownership.ts';

/**
 * An upgrade deletes what its chart no longer has, unless the live object says to keep it. Which objects the next
 * manifest drops is not known before helm renders it, so all that hold data are marked.
 */
export async function protectData(refs: readonly ObjectRef[], cluster: Cluster): Promise<void> {
  for (const ref of refs.filter((candidate) => holdsData(candidate))) {
    const live = await readMetadata(ref, cluster);
    if (live === undefined || isKept(live)) continue;
    const patch = { metadata: { annotations: { [ANNOTATION.helmKeep]: 'keep' } } };
    await cluster.write({ verb: 'merge-patch', ref, patch });
  }
}
