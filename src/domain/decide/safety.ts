import { ANNOTATION } from '../../api/names.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { compareVersions, parseVersion } from '../../lib/semver/version.ts';
import { whyLost } from './former-revision.ts';
import { componentsOf, hasSubmitted, labelOf, lastApplied } from './views.ts';
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
  const moved = since.find((revision) => hasMoved(revision, target));
  if (moved !== undefined) return none(`${labelOf(moved)} has given a component another place`);
  const unsafe = versionsOf(since.filter((revision) => isUnsafe(revision, target)));
  return unsafe.length === 0 ? { kind: 'owed', to: target } : none(whyUnsafe(world, unsafe, target));
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
export function unsafeSince(world: World, target: PackageRevision): readonly string[] {
  const newestFirst = [...world.revisions].reverse();
  const left = newestFirst.slice(
    0,
    indexOr(newestFirst, (revision) => isBase(revision, target)),
  );
  return versionsOf(left.filter((revision) => isUnsafe(revision, target)));
}

/** P11: the same for a version that the Package now asks for and that is older than what has run. */
export function unsafeAbove(world: World, wanted: Release): readonly string[] {
  const newestFirst = [...world.revisions].reverse();
  const isAbove = (release: Release): boolean => (compareReleases(release, wanted) ?? 0) > 0;
  const base = newestFirst.findIndex(({ spec, status }) => status?.appliedAt !== undefined && !isAbove(spec));
  const left = base === -1 ? newestFirst : newestFirst.slice(0, base);
  const unsafe = versionsOf(left.filter((revision) => isUnsafeVersion(revision, wanted) && isAbove(revision.spec)));
  // What came before the oldest revision that is left is known by what that one was told.
  const forgotten = base === -1 ? forgottenUnsafe(world).filter((version) => isAbove({ version })) : [];
  return [...new Set([...forgotten, ...unsafe])];
}

/** Unsafe versions that ran and whose revisions are forgotten, or will be: a new revision carries them on. */
export function unsafeToRemember(world: World): readonly string[] {
  const unsafe = world.revisions.filter((revision) => hasSubmitted(revision) && revision.spec.rollbackSafe !== true);
  return [...new Set([...forgottenUnsafe(world), ...versionsOf(unsafe)])];
}

function forgottenUnsafe({ revisions }: World): readonly string[] {
  const text = revisions[0]?.metadata.annotations?.[ANNOTATION.unsafeVersions] ?? '';
  return text === '' ? [] : text.split(',');
}

function versionsOf(revisions: readonly PackageRevision[]): readonly string[] {
  return [...new Set(revisions.map(({ spec }) => spec.version))];
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
export function isForced(world: World, unsafe: readonly string[]): boolean {
  const named = new Set((world.package.metadata.annotations?.[ANNOTATION.forceRollback] ?? '').split(/[\s,]+/));
  return unsafe.every((version) => named.has(version));
}

/** `target`: where the way back would lead to; absent: none is known yet, and what is not safe was not declared so. */
export function whyUnsafe({ revisions }: World, unsafe: readonly string[], target?: PackageRevision): string {
  const left = target === undefined ? [] : revisions.filter(({ spec }) => spec.revision > target.spec.revision);
  const versionsThat = (isSo: (revision: PackageRevision, target: PackageRevision) => boolean): readonly string[] =>
    target === undefined ? [] : versionsOf(left.filter((revision) => isSo(revision, target)));
  const movers = versionsThat(hasMoved);
  const undeclared = versionsThat((revision, { spec }) => isUnsafeVersion(revision, spec));
  const moved = unsafe.filter((version) => movers.includes(version));
  const others = unsafe.filter((version) => !movers.includes(version) || undeclared.includes(version));
  const texts = [
    ...(others.length === 0
      ? []
      : [
          `${named(others)} ${others.length === 1 ? 'does' : 'do'} not declare that going back is safe (rollback.safe)`,
        ]),
    ...(moved.length === 0 ? [] : [`${named(moved)} gave a component another place, where its data did not go along`]),
  ];
  return texts.join(', and ');
}

function named(versions: readonly string[]): string {
  return `version${versions.length === 1 ? '' : 's'} ${versions.join(', ')}`;
}

export function howToForce(unsafe: readonly string[]): string {
  return `fix it forward, or force it with annotation ${ANNOTATION.forceRollback}=${unsafe.join(',')}`;
}
