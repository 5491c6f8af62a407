import type { KubeObject } from '../api/kube.ts';
import { API_VERSION, LABEL } from '../api/names.ts';
import type { Package } from '../api/package.ts';
import type { PackageRevision } from '../api/package-revision.ts';
import type { Selection } from '../ports/cluster.ts';

export const PACKAGES: Selection = { apiVersion: API_VERSION, kind: 'Package' };
export const PACKAGE_SOURCES: Selection = { apiVersion: API_VERSION, kind: 'PackageSource' };
export const REVISIONS: Selection = { apiVersion: API_VERSION, kind: 'PackageRevision' };
export const REPOSITORIES: Selection = { apiVersion: API_VERSION, kind: 'Repository' };

export function revisionsOf(names: readonly string[]): Selection {
  const value = names.length === 1 ? `=${names[0] ?? ''}` : ` in (${names.join(',')})`;
  return { apiVersion: API_VERSION, kind: 'PackageRevision', labelSelector: `${LABEL.package}${value}` };
}

/** The API server holds every stored object to our schema, so one that was read is what its kind says. */
export function asPackage(object: KubeObject): Package {
  return object as unknown as Package;
}

/** The other way round, for what prints objects. */
export function asObject(typed: Package | PackageRevision): KubeObject {
  return typed as unknown as KubeObject;
}

function asRevision(object: KubeObject): PackageRevision {
  return object as unknown as PackageRevision;
}

/** Revisions of this very package, oldest first; a former one of the same name may have left some behind. */
export function ownRevisions(pkg: Package | undefined, objects: readonly KubeObject[]): readonly PackageRevision[] {
  const uid = pkg?.metadata.uid;
  const isOwn = ({ ownerReferences }: PackageRevision['metadata']): boolean =>
    uid === undefined || ownerReferences === undefined || ownerReferences.some((owner) => owner.uid === uid);
  const own = objects.map(asRevision).filter(({ metadata }) => isOwn(metadata));
  return own.sort((a, b) => a.spec.revision - b.spec.revision);
}
