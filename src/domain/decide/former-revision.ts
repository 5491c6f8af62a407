import { ANNOTATION, FINALIZER } from '../../api/names.ts';
import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import type { PresentRelease, ReleaseObservation } from '../release/observation.ts';
import { releaseKey, type World } from './world.ts';

/** It was made by the Go implementation, whether it has been taken over or not. */
export function isFormer({ metadata, spec }: PackageRevision): boolean {
  if (metadata.annotations?.[ANNOTATION.takenOver] !== undefined) return true;
  const isOurs = (metadata.finalizers ?? []).includes(FINALIZER) || spec.backend !== undefined;
  return !isOurs && (spec.components ?? []).every(({ digest }) => digest === undefined);
}

/** Its spec lacks what a rollback needs, and nobody has looked for it yet. */
export function isIncomplete(revision: PackageRevision): boolean {
  return isFormer(revision) && revision.metadata.annotations?.[ANNOTATION.additions] === undefined;
}

/** Why a revision can never be restored; undefined: nothing stands against it, or nobody has looked yet. */
export function whyLost(revision: PackageRevision): string | undefined {
  if (!isFormer(revision) || isIncomplete(revision)) return undefined;
  const lost = (revision.spec.components ?? []).filter(({ chart }) => chart === undefined);
  if (lost.length === 0) return undefined;
  const releases = lost.map((component) => releaseKey(component)).join(', ');
  return `revision ${String(revision.spec.revision)} was made by an earlier implementation, and its record of release ${releases} is gone`;
}

/**
 * A record of the Go implementation carries no digest; what the revision that delivered it was completed with is told
 * by its number.
 */
export function withFormerDigest(
  world: World,
  component: RevisionComponent,
  release: ReleaseObservation,
): ReleaseObservation {
  if (release.state !== 'present' || release.digest !== undefined || release.token !== undefined) return release;
  const digest = formerDigest(world, component, release);
  return digest === undefined ? release : { ...release, digest };
}

function formerDigest(world: World, component: RevisionComponent, { revision }: PresentRelease): string | undefined {
  const key = releaseKey(component);
  for (const { spec, status, ...former } of [...world.revisions].reverse()) {
    if (!isFormer({ spec, ...former })) continue;
    const same = spec.components?.find(
      (candidate) => releaseKey(candidate) === key && candidate.name === component.name,
    );
    const progress = status?.components?.find(({ name }) => name === component.name);
    if (same !== undefined && progress?.backendRevision === revision) return same.digest;
  }
  return undefined;
}
