import type { KubeObject } from '../../../src/api/kube.ts';
import { LABEL } from '../../../src/api/names.ts';
import type { PackageRevision } from '../../../src/api/package-revision.ts';
import type { MemoryCluster } from '../../fakes/memory-cluster.ts';

export function asRevision(object: KubeObject | undefined): PackageRevision | undefined {
  // Written by the operator alone, and parsed by it before it is.
  return object?.kind === 'PackageRevision' ? (object as unknown as PackageRevision) : undefined;
}

export function isRunning(revision: PackageRevision): boolean {
  return ['Pending', 'Applying'].includes(revision.status?.phase ?? 'Pending');
}

/** Of the package as it is now: what a former one of the same name left does not count. Oldest first. */
export function revisionsOf(cluster: MemoryCluster, pkg: string): readonly PackageRevision[] {
  const owner = cluster.get({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: pkg })?.metadata.uid;
  return cluster
    .all('PackageRevision')
    .flatMap((object) => asRevision(object) ?? [])
    .filter(({ metadata }) => metadata.labels?.[LABEL.package] === pkg)
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner) === true)
    .sort((a, b) => a.spec.revision - b.spec.revision);
}

export function runningRevision(cluster: MemoryCluster, pkg: string): PackageRevision | undefined {
  return revisionsOf(cluster, pkg).find((revision) => isRunning(revision));
}

export function nameOfRevision({ metadata, spec }: PackageRevision): string {
  return `${metadata.name} (${spec.version})`;
}
