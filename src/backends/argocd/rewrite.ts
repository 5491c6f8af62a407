import { isCode, KubepkgError } from '../../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef } from '../../api/kube.ts';
import type { Cluster } from '../../ports/cluster.ts';

/** Argo CD writes its status into the same object, at any time, and with it takes the version away. */
const ATTEMPTS = 5;

/**
 * Replaces an object by what `change` makes of its newest version; undefined: it stays as it is. What may be written is
 * decided anew on every version, so nothing is done on old knowledge.
 */
export async function rewrite(
  ref: ObjectRef,
  change: (live: KubeObject | undefined) => KubeObject | undefined,
  cluster: Cluster,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const live = await cluster.read(ref);
    const object = change(live);
    if (object === undefined || (await tryWrite(object, live, cluster))) return;
  }
  throw new KubepkgError('ApiConflict', `${nameOf(ref)} is changed by Argo CD all the time`);
}

async function tryWrite(object: KubeObject, live: KubeObject | undefined, cluster: Cluster): Promise<boolean> {
  try {
    await cluster.write({ verb: live === undefined ? 'create' : 'replace', object });
    return true;
  } catch (error) {
    if (isCode(error, 'ApiConflict') || (live === undefined && isCode(error, 'ApiAlreadyExists'))) return false;
    throw error;
  }
}
