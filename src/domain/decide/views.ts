import { ANNOTATION } from '../../api/names.ts';
import type { ComponentProgress, PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import type { ComponentView, DeliveryView, HealthReport } from '../release/component-view.ts';
import type { ReleaseTarget } from '../release/observation.ts';
import { attemptToken } from '../release/token.ts';
import { withFormerDigest } from './former-revision.ts';
import { releaseKey, type ReleaseView, type World } from './world.ts';

const UNOBSERVED: HealthReport = { status: 'unobserved', message: 'not read yet', notes: [] };

export function targetOf(revision: PackageRevision, component: RevisionComponent): ReleaseTarget {
  const { name, releaseName, namespace } = component;
  return { package: revision.spec.package, component: name, releaseName, namespace };
}

/** The two lists of a revision that are worked off one after the other, each entry with progress of its own. */
export type Part = 'hooks' | 'components';

export function componentsOf(revision: PackageRevision): readonly RevisionComponent[] {
  return revision.spec.components ?? [];
}

export function membersOf(revision: PackageRevision, part: Part): readonly RevisionComponent[] {
  return revision.spec[part] ?? [];
}

/** Hooks first, as they run. */
export function everyMember(revision: PackageRevision): readonly RevisionComponent[] {
  return [...membersOf(revision, 'hooks'), ...membersOf(revision, 'components')];
}

/** Every component of a revision, in the order of its spec, which is the order of application. */
export function viewsOf(world: World, revision: PackageRevision, part: Part = 'components'): readonly ComponentView[] {
  return membersOf(revision, part).map((component) => viewOf(world, { revision, component, part }));
}

interface Member {
  readonly revision: PackageRevision;
  readonly component: RevisionComponent;
  readonly part: Part;
}

function viewOf(world: World, { revision, component, part }: Member): ComponentView {
  const release: ReleaseView | undefined = world.releases[releaseKey(component)];
  const progress = progressOf(revision, component.name, part);
  const token = tokenOf(world, { revision, component: component.name, attempt: progress.attempt ?? 0 });
  return {
    component,
    progress,
    release: withFormerDigest(world, component, release?.observation ?? { state: 'unknown', message: 'not read yet' }),
    token,
    lastToken: release?.lastToken,
    knownRevision: knownRevision(world, component),
    delivery: deliveryOf(release, token),
    stoppingUntil: stoppingUntil(release, token),
    health: release?.health ?? UNOBSERVED,
    hook: part === 'hooks',
    jobs: release?.jobs,
    formerPlaces: part === 'hooks' ? [] : formerPlaces(world, revision, component).map((target) => releaseKey(target)),
  };
}

/** Our releases of the same component in other places, unless this revision wants them there for another component. */
export function formerPlaces(
  world: World,
  revision: PackageRevision,
  component: RevisionComponent,
): readonly ReleaseTarget[] {
  const wanted = new Set(componentsOf(revision).map((each) => releaseKey(each)));
  const past = world.revisions.flatMap((each) => componentsOf(each).map((other) => targetOf(each, other)));
  const found = new Map<string, ReleaseTarget>();
  for (const target of past) {
    const key = releaseKey(target);
    const state = world.releases[key]?.observation.state;
    const isThere = state === 'present' || state === 'unknown';
    if (target.component === component.name && isThere && !wanted.has(key)) found.set(key, target);
  }
  return [...found.values()];
}

/** How a former attempt ended says nothing about this one. */
function deliveryOf(release: ReleaseView | undefined, token: string | undefined): DeliveryView {
  const delivery = release?.delivery ?? { kind: 'none' };
  const ended = delivery.kind === 'accepted' || delivery.kind === 'failed';
  return ended && delivery.token !== token ? { kind: 'none' } : delivery;
}

/** That a former attempt was stopped does not either. */
function stoppingUntil(release: ReleaseView | undefined, token: string | undefined): number | undefined {
  return release?.stop !== undefined && release.stop.token === token ? release.stop.until : undefined;
}

export function progressOf(revision: PackageRevision, name: string, part: Part = 'components'): ComponentProgress {
  const found = revision.status?.[part]?.find((progress) => progress.name === name);
  return found ?? { name, state: 'Pending', attempt: 0 };
}

/** Never two: a revision starts only when none is in progress. */
export function inProgress(world: World): PackageRevision | undefined {
  return world.revisions.find((revision) => isInProgress(revision));
}

export function isInProgress(revision: PackageRevision): boolean {
  const phase = revision.status?.phase ?? 'Pending';
  return phase === 'Pending' || phase === 'Applying';
}

/** Digest of what was wanted when it was made. */
export function desiredDigestOf(revision: PackageRevision): string | undefined {
  return revision.metadata.annotations?.[ANNOTATION.desiredDigest];
}

/** `revision 3 (1.2.0)`. */
export function labelOf({ spec }: PackageRevision): string {
  return `revision ${String(spec.revision)} (${spec.version})`;
}

/** It puts back what an earlier revision had. */
export function isRestoring({ spec }: PackageRevision): boolean {
  return (spec.restoredFrom ?? 0) > 0;
}

/** A rollback that somebody asked for. */
export function isRequested({ metadata }: PackageRevision): boolean {
  return metadata.annotations?.[ANNOTATION.rollbackRequested] === 'true';
}

/** Newest revision that was applied; it is what runs, whatever was tried since. */
export function lastApplied({ revisions }: Pick<World, 'revisions'>): PackageRevision | undefined {
  return revisions.findLast((revision) => revision.status?.appliedAt !== undefined);
}

/** P13: whether to a version is a move, from what runs; where nothing runs, it is none. */
export function isMoveTo(world: Pick<World, 'revisions'>, version: string): boolean {
  const applied = lastApplied(world);
  return applied !== undefined && applied.spec.version !== version;
}

/** What a revision delivered, or began to. */
export function hasSubmitted(revision: PackageRevision): boolean {
  const { hooks = [], components = [] } = revision.status ?? {};
  return [...hooks, ...components].some((progress) => (progress.attempt ?? 0) > 0);
}

function tokenOf(
  world: World,
  key: { readonly revision: PackageRevision; readonly component: string; readonly attempt: number },
): string | undefined {
  if (key.attempt === 0) return undefined;
  return attemptToken({
    packageUid: world.package.metadata.uid ?? '',
    revisionUid: key.revision.metadata.uid ?? '',
    component: key.component,
    attempt: key.attempt,
  });
}

/** The backend's number of a release as the newest revision that delivered it has noted it. */
export function knownRevision(world: World, component: RevisionComponent): number | undefined {
  for (const revision of [...world.revisions].reverse()) {
    const same = componentsOf(revision).find((candidate) => releaseKey(candidate) === releaseKey(component));
    const known = same === undefined ? undefined : progressOf(revision, same.name).backendRevision;
    if (known !== undefined) return known;
  }
  return undefined;
}
