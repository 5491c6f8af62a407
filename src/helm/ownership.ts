import { isCode } from '../api/errors.ts';
import { type KubeObject, type ObjectRef, refOf } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import type { ReleaseTarget } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';

const CRD_GROUP = 'apiextensions.k8s.io/';

export function isCrd(ref: ObjectRef): boolean {
  return ref.kind === 'CustomResourceDefinition' && ref.apiVersion.startsWith(CRD_GROUP);
}

export function isNamespace(ref: ObjectRef): boolean {
  return ref.apiVersion === 'v1' && ref.kind === 'Namespace';
}

/** Objects whose end is the end of data. */
export function holdsData(ref: ObjectRef): boolean {
  return isCrd(ref) || isNamespace(ref) || (ref.apiVersion === 'v1' && ref.kind === 'PersistentVolumeClaim');
}

export function isKept(object: KubeObject): boolean {
  return object.metadata.annotations?.[ANNOTATION.helmKeep] === 'keep';
}

/** By the live object: it can have passed from one release to another. */
export function belongsTo(object: KubeObject, target: ReleaseTarget): boolean {
  const annotations = object.metadata.annotations;
  return (
    annotations?.['meta.helm.sh/release-name'] === target.releaseName &&
    annotations['meta.helm.sh/release-namespace'] === target.namespace
  );
}

/** That very one, and not before what depends on it. */
export async function removeExactly(object: KubeObject, cluster: Pick<Cluster, 'write'>): Promise<void> {
  const { uid } = object.metadata;
  await unlessGone(() => cluster.write({ verb: 'delete', ref: refOf(object), propagation: 'Foreground', uid }));
}

/** Somebody else may be quicker: a namespace that ends takes everything with it. */
export async function unlessGone(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!isCode(error, 'ApiNotFound')) throw error;
  }
}

/** Undefined for an object that is gone, and for one whose kind is. */
export async function readMetadata(ref: ObjectRef, cluster: Cluster): Promise<KubeObject | undefined> {
  try {
    return await cluster.read(ref, { metadataOnly: true });
  } catch (error) {
    if (isCode(error, 'KindNotServed')) return undefined;
    throw error;
  }
}
