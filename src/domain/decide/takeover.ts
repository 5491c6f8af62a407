import { answerTo } from './answer.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { ComponentProgress, PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { formatTime } from '../../lib/time.ts';
import { isVersion } from '../release/additions.ts';
import type { DesiredPackage } from '../resolve/desired.ts';
import { act, type Decision, wait } from './decision.ts';
import { isFormer, isIncomplete } from './former-revision.ts';
import { componentsOf, isInProgress, isRequested, isRestoring, labelOf, lastApplied, progressOf } from './views.ts';
import type { World } from './world.ts';

/** Nothing of the former operator's verdict is open any more. */
const SETTLED = 'settled';

/** The revisions that the Go implementation left are closed and marked, oldest first; nothing else is touched. */
export function closeFormer(world: World): Decision | undefined {
  const open = world.revisions.find((revision) => isFormer(revision) && markOf(revision) === undefined);
  if (open === undefined) return undefined;
  return act(
    {
      kind: 'take-over',
      revision: open.metadata.name,
      annotations: { [ANNOTATION.takenOver]: newMark(world, open) },
      status: statusOf(world, open),
    },
    { reason: 'Progressing', message: `${labelOf(open)} is taken over` },
  );
}

function markOf({ metadata }: PackageRevision): string | undefined {
  return metadata.annotations?.[ANNOTATION.takenOver];
}

/** Of the newest revision, if the package is held: the generation that the former operator had seen. */
function newMark({ package: pkg, revisions }: World, open: PackageRevision): string {
  if (open !== revisions.at(-1) || !isHeld(open)) return SETTLED;
  const ready = pkg.status?.conditions?.find(({ type }) => type === 'Ready');
  return String(ready?.observedGeneration ?? pkg.metadata.generation);
}

function isHeld(open: PackageRevision): boolean {
  return open.status?.phase === 'Failed' || (isGood(open) && isRestoring(open));
}

function isGood({ status }: PackageRevision): boolean {
  return status?.phase === 'Applied' || status?.phase === 'Superseded';
}

function statusOf(world: World, open: PackageRevision): PackageRevisionStatus {
  const components = componentsOf(open).map(({ name }) => taken(progressOf(open, name)));
  const status = { ...open.status, components };
  if (isGood(open)) return goodStatus(world, open, status);
  return isInProgress(open) ? interruptedStatus(open, status) : failedStatus(world, open, status);
}

/** What it may have submitted, it has: going back over its version is asked of its version. */
function taken(progress: ComponentProgress): ComponentProgress {
  const isDelivered = (progress.backendRevision ?? 0) > 0;
  return { ...progress, state: isDelivered ? 'Ready' : 'Pending', attempt: 1 };
}

function goodStatus(
  { revisions, now }: World,
  open: PackageRevision,
  status: PackageRevisionStatus,
): PackageRevisionStatus {
  const isLast = open === revisions.findLast((revision) => isGood(revision));
  const appliedAt = open.metadata.creationTimestamp ?? formatTime(now);
  return { ...status, phase: isLast ? 'Applied' : 'Superseded', appliedAt };
}

function interruptedStatus(open: PackageRevision, status: PackageRevisionStatus): PackageRevisionStatus {
  const message = `revision ${String(open.spec.revision)} was left unfinished by an earlier implementation`;
  return { ...status, phase: 'Failed', message, failure: { code: 'Interrupted', message } };
}

/** The Go implementation restores in a revision of its own, and leaves the failed one as it is. */
function failedStatus(
  { revisions }: World,
  open: PackageRevision,
  status: PackageRevisionStatus,
): PackageRevisionStatus {
  const next = revisions[revisions.indexOf(open) + 1];
  const to = next === undefined || !isFormer(next) || isRequested(next) ? 0 : (next.spec.restoredFrom ?? 0);
  if (next === undefined || to === 0) return status;
  return { ...status, phase: 'RolledBack', rollback: { to, state: 'Done', revision: next.spec.revision } };
}

/** Before anything is compared with what is wanted: what runs is known in full, and a verdict that stands is kept. */
export function completeFormer(world: World, desired: DesiredPackage): Decision | undefined {
  const applied = lastApplied(world);
  const completion = applied !== undefined && isIncomplete(applied) ? completeWith(world, desired, applied) : undefined;
  return completion ?? keepVerdict(world, desired);
}

/** From the backend's records; where the source still has the version that runs, with its charts, readiness and CRDs. */
function completeWith(world: World, desired: DesiredPackage, applied: PackageRevision): Decision {
  return (isVersion(applied, desired) ? fetchCharts(world, desired) : undefined) ?? completeRevision(applied);
}

/** Undefined: they are there, or cannot be had, and the records have to do. */
function fetchCharts({ preparation }: World, desired: DesiredPackage): Decision | undefined {
  const message = `version ${desired.version}: charts are being fetched and verified`;
  if (preparation.kind === 'none') {
    return act({ kind: 'prepare', digest: desired.digest, hooks: false }, { reason: 'Progressing', message });
  }
  if (preparation.kind === 'running') return wait({ reason: 'Progressing', message });
  if (preparation.kind !== 'failed' || preparation.class !== 'transient') return undefined;
  if (preparation.code === 'ArtifactNotFound') return undefined;
  return wait({ reason: 'FetchFailed', message: `${preparation.message}; it is tried again` }, preparation.retryAt);
}

export function completeRevision(revision: PackageRevision): Decision {
  return act(
    { kind: 'complete-revision', revision: revision.metadata.name },
    { reason: 'Progressing', message: `${labelOf(revision)} is being completed from its release records` },
  );
}

/** What the former operator held stays held, unless what is wanted has changed since it looked last. */
function keepVerdict(world: World, desired: DesiredPackage): Decision | undefined {
  const newest = world.revisions.at(-1);
  const mark = newest === undefined ? undefined : markOf(newest);
  if (newest === undefined || mark === undefined || mark === SETTLED) return undefined;
  const isSeen = mark === String(world.package.metadata.generation) && isTried(world, newest, desired);
  return act(
    {
      kind: 'take-over',
      revision: newest.metadata.name,
      annotations: { [ANNOTATION.takenOver]: SETTLED, ...(isSeen ? answerTo(world, desired) : {}) },
    },
    { reason: 'Progressing', message: `${labelOf(newest)} is taken over` },
  );
}

/** A restoring revision is held against the version that it undid. */
function isTried({ revisions }: World, newest: PackageRevision, desired: DesiredPackage): boolean {
  const tried = isRestoring(newest) ? revisions.at(-2) : newest;
  return tried === undefined || isVersion(tried, desired);
}
