import { ANNOTATION } from '../../api/names.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { compareVersions, parseVersion } from '../../lib/semver/version.ts';
import { whyLost } from './former-revision.ts';
import { componentsOf, hasSubmitted, lastApplied } from './views.ts';
import { releaseKey, type World } from './world.ts';

/** Where a package would go back to. */
export interface Release {
  readonly version: string;
  readonly build?: number | undefined;
}

export type RollbackVerdict =
  | { readonly kind: 'owed'; readonly to: PackageRevision }
  | { readonly kind: 'none'; readonly why: string };

/** P10: whether a revision that has just failed is undone, and if not, why. */
export function judgeRollback(world: World, failed: PackageRevision): RollbackVerdict {
  const target = lastApplied(world);
  if (target === undefined) return none('there is no applied revision to go back to');
  const since = revisionsSince(world, target, failed);
  if (!since.some((revision) => hasChanged(revision, target))) return none('nothing had been changed');
  if (world.package.spec.upgrade?.atomic === false) return none('spec.upgrade.atomic is false');
  const lost = whyLost(target);
  if (lost !== undefined) return none(lost);
  const unsafe = since.filter((revision) => isUnsafe(revision, target));
  return unsafe.length === 0 ? { kind: 'owed', to: target } : none(whyUnsafe(unsafe));
}

function none(why: string): RollbackVerdict {
  return { kind: 'none', why };
}

function revisionsSince(world: World, target: PackageRevision, failed: PackageRevision): readonly PackageRevision[] {
  const others = world.revisions.filter(({ metadata }) => metadata.name !== failed.metadata.name);
  return [...others, failed].filter(({ spec }) => spec.revision > target.spec.revision);
}

function hasChanged(revision: PackageRevision, target: PackageRevision): boolean {
  const { components = [] } = revision.status ?? {};
  return components.some((progress) => (progress.attempt ?? 0) > 0) || hasMoved(revision, target);
}

/** The former place of a component may have been given up before anything was delivered. */
function hasMoved(revision: PackageRevision, target: PackageRevision): boolean {
  const { components = [] } = revision.status ?? {};
  return isMoved(revision, target) && components.some((progress) => progress.startedAt !== undefined);
}

/** The versions that a rollback to a revision would leave behind, and that do not allow it. */
export function unsafeSince(world: World, target: PackageRevision): readonly PackageRevision[] {
  const newestFirst = [...world.revisions].reverse();
  const left = newestFirst.slice(
    0,
    indexOr(newestFirst, (revision) => isBase(revision, target)),
  );
  return left.filter((revision) => isUnsafe(revision, target));
}

/** P11: the same for a version that the Package now asks for and that is older than what has run. */
export function unsafeAbove(world: World, wanted: Release): readonly PackageRevision[] {
  const newestFirst = [...world.revisions].reverse();
  const isAtMost = (revision: PackageRevision): boolean =>
    revision.status?.appliedAt !== undefined && (compareReleases(revision.spec, wanted) ?? 0) <= 0;
  const left = newestFirst.slice(0, indexOr(newestFirst, isAtMost));
  return left.filter(
    (revision) => isUnsafeVersion(revision, wanted) && (compareReleases(revision.spec, wanted) ?? 0) > 0,
  );
}

function indexOr(revisions: readonly PackageRevision[], isIt: (revision: PackageRevision) => boolean): number {
  const index = revisions.findIndex((revision) => isIt(revision));
  return index === -1 ? revisions.length : index;
}

/** Going back to a target leaves nothing of what is older than it, or than a later run of the same version. */
function isBase(revision: PackageRevision, target: PackageRevision): boolean {
  if (revision.spec.revision <= target.spec.revision) return true;
  return revision.status?.appliedAt !== undefined && isSameRelease(revision.spec, target.spec);
}

function isUnsafe(revision: PackageRevision, target: PackageRevision): boolean {
  return isUnsafeVersion(revision, target.spec) || hasMoved(revision, target);
}

/** The target's own version and build need no declaration. */
function isUnsafeVersion(revision: PackageRevision, target: Release): boolean {
  return hasSubmitted(revision) && revision.spec.rollbackSafe !== true && !isSameRelease(revision.spec, target);
}

function isSameRelease(a: Release, b: Release): boolean {
  return a.version === b.version && (a.build ?? 0) === (b.build ?? 0);
}

/** A component that has another place than in the target: its data did not go along. */
export function isMoved(
  revision: { readonly spec: Pick<PackageRevision['spec'], 'components'> },
  target: PackageRevision,
): boolean {
  const places = new Map(componentsOf(target).map((component) => [component.name, releaseKey(component)]));
  return (revision.spec.components ?? []).some(({ name, ...placed }) => {
    const place = places.get(name);
    return place !== undefined && place !== releaseKey(placed);
  });
}

/** Negative: `a` is older; undefined: there is no order between them. */
function compareReleases(a: Release, b: Release): number | undefined {
  const [left, right] = [parseVersion(a.version), parseVersion(b.version)];
  if (left.kind !== 'version' || right.kind !== 'version') return undefined;
  return compareVersions(left.version, right.version) || (a.build ?? 0) - (b.build ?? 0);
}

/** Every one of the versions is named in the annotation that forces a way back. */
export function isForced(world: World, unsafe: readonly PackageRevision[]): boolean {
  const named = new Set((world.package.metadata.annotations?.[ANNOTATION.forceRollback] ?? '').split(/[\s,]+/));
  return unsafe.every(({ spec }) => named.has(spec.version));
}

export function whyUnsafe(unsafe: readonly PackageRevision[]): string {
  const versions = [...new Set(unsafe.map(({ spec }) => spec.version))].join(', ');
  const isOne = !versions.includes(',');
  return `version${isOne ? '' : 's'} ${versions} ${isOne ? 'does' : 'do'} not declare that going back is safe (rollback.safe), or moved a component`;
}

export function howToForce(unsafe: readonly PackageRevision[]): string {
  const versions = [...new Set(unsafe.map(({ spec }) => spec.version))].join(',');
  return `fix it forward, or force it with annotation ${ANNOTATION.forceRollback}=${versions}`;
}
