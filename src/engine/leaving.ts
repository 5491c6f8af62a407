import { isCode } from '../api/errors.ts';
import type { ObjectRef } from '../api/kube.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { ObjectTracker } from './object-tracker.ts';

/** An uninstalled release whose objects are followed until they are gone. */
export interface Leaving {
  readonly revision: number;
  /** Those that were still there when it was first looked at. */
  readonly refs: readonly ObjectRef[];
  /** How many of them were gone when the release was last observed. */
  readonly gone: number;
}

/** Those objects of a release that are still there, by a live look: most of them go at once and need no watch. */
export async function stillThere(cluster: Cluster, refs: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  const present = await Promise.all(refs.map((ref) => isThere(cluster, ref)));
  return refs.filter((_ref, index) => present[index] === true);
}

/** Of objects that may not be read the backend has to tell. */
async function isThere(cluster: Cluster, { apiVersion, kind, namespace, name }: ObjectRef): Promise<boolean> {
  try {
    const ref = { apiVersion, kind, name };
    const placed = namespace === undefined ? ref : { ...ref, namespace };
    return (await cluster.read(placed, { metadataOnly: true })) !== undefined;
  } catch (error) {
    if (isCode(error, 'KindNotServed', 'ApiForbidden')) return false;
    throw error;
  }
}

export function countGone(tracker: ObjectTracker, refs: readonly ObjectRef[]): number {
  return refs.filter((ref) => ['missing', 'unserved'].includes(tracker.look(ref).kind)).length;
}
