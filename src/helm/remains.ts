import type { KubeObject } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import type { ReleaseTarget } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import { annotationIn, type ManifestDocument } from './manifest.ts';
import { belongsTo, isCrd, isKept, isNamespace, readMetadata } from './ownership.ts';

/**
 * Objects of an uninstalled release that are still there, in the order of its manifest. Not among them is what an
 * uninstall leaves: what is to be kept, CRDs and namespaces, what has passed to another release, what controllers made.
 */
export async function findRemains(
  documents: readonly ManifestDocument[],
  target: ReleaseTarget,
  cluster: Cluster,
): Promise<readonly KubeObject[]> {
  const remains: KubeObject[] = [];
  for (const document of documents.filter((candidate) => !isLeft(candidate))) {
    const live = await readMetadata(document.ref, cluster);
    if (live === undefined || !belongsTo(live, target)) continue;
    if (isTerminating(live) || !isKept(live)) remains.push(live);
  }
  return remains;
}

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Helm goes by the stored manifest, not by the live object. */
function isLeft(document: ManifestDocument): boolean {
  const policy = annotationIn(document, ANNOTATION.helmKeep);
  return isCrd(document.ref) || isNamespace(document.ref) || policy?.trim().toLowerCase() === 'keep';
}
