import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { createReleaseReader, type ReleaseReader, type ReleaseReaderQuery } from '../../compose/release-reader.ts';
import { targetOf } from '../../domain/decide/views.ts';
import type { CliHost, Cluster } from '../host.ts';
import { Troubles } from './troubles.ts';

/** What a command looks with: the cluster, what was delivered there, and a note of what may not be seen. */
export interface Sight {
  readonly cluster: Cluster;
  readonly releases: ReleaseReader;
  readonly troubles: Troubles;
}

export function openSight({ clock }: Pick<CliHost, 'clock'>, cluster: Cluster): Sight {
  return { cluster, releases: createReleaseReader(cluster, clock), troubles: new Troubles() };
}

/** The release of a component, as its revision delivered it. */
export function releaseQuery(revision: PackageRevision, component: RevisionComponent): ReleaseReaderQuery {
  return { backend: revision.spec.backend, target: targetOf(revision, component) };
}
