import type { PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { ANNOTATION, FINALIZER } from '../../api/names.ts';
import { parseTime } from '../../lib/time.ts';
import { type DesiredPackage, desiredDigest } from '../resolve/desired.ts';
import { timeoutOf } from './deadline.ts';
import { act, type Decision, wait } from './decision.ts';
import { driveRevision } from './drive-revision.ts';
import { startRevision, startObstacle } from './start-revision.ts';
import { teardown } from './teardown.ts';
import { settle, tidy } from './tidy.ts';
import { componentsOf } from './views.ts';
import type { World } from './world.ts';

/** What to do next for one package. Total: every world has exactly one answer. */
export function decide(world: World): Decision {
  if (world.package.metadata.deletionTimestamp !== undefined) return teardown(world);
  if (!(world.package.metadata.finalizers ?? []).includes(FINALIZER)) {
    return act({ kind: 'add-finalizer' }, { reason: 'Progressing', message: 'the package is being taken up' });
  }
  if (world.package.spec.suspend === true) {
    return wait({ reason: 'Suspended', message: 'spec.suspend is set: no further step is taken' });
  }
  const current = inProgress(world);
  return current === undefined ? decideSettled(world) : decideRunning(world, current);
}

/** Never two: a revision starts only when none is in progress. */
export function inProgress(world: World): PackageRevision | undefined {
  return world.revisions.find((revision) => isInProgress(revision));
}

export function isInProgress(revision: PackageRevision): boolean {
  const phase = revision.status?.phase ?? 'Pending';
  return phase === 'Pending' || phase === 'Applying';
}

export function desiredDigestOf(revision: PackageRevision): string | undefined {
  return revision.metadata.annotations?.[ANNOTATION.desiredDigest];
}

/** A newer desired state takes over only when it could start now; until then the running revision goes on. */
function decideRunning(world: World, current: PackageRevision): Decision {
  const newer = newerDesired(world, current);
  if (newer !== undefined && startObstacle(world, newer) === undefined) {
    if (world.preparation.kind === 'none') {
      return act(
        { kind: 'prepare', digest: newer.digest },
        { reason: 'Progressing', message: 'a newer desired state is being prepared' },
      );
    }
    if (world.preparation.kind === 'ready') return takeOver(world, current);
  }
  const needsValues = componentsOf(current).some((component) => component.valuesRef !== undefined);
  if (needsValues && !world.valuesSaved) return saveValues(world, current);
  return driveRevision(world, current);
}

function newerDesired(world: World, current: PackageRevision): DesiredPackage | undefined {
  const { resolution } = world;
  if (resolution?.kind !== 'resolved') return undefined;
  const { desired } = resolution;
  // A retry token that arrives in mid-flight is honoured after the revision.
  const retry = current.metadata.annotations?.[ANNOTATION.retry];
  return desiredDigest(desired.core, retry) === desiredDigestOf(current) ? undefined : desired;
}

/** A delivery that is executing is let end; nothing is undone. */
function takeOver(world: World, current: PackageRevision): Decision {
  const number = String(current.spec.revision);
  const running = Object.values(world.releases).some((release) => release.delivery.kind === 'running');
  if (running) {
    return wait({
      reason: 'Progressing',
      message: `revision ${number} ends its running delivery, then a newer desired state takes over`,
    });
  }
  return interrupt(current, `revision ${number} was interrupted by a newer desired state`);
}

/** Ends a revision without undoing anything. */
function interrupt(current: PackageRevision, message: string): Decision {
  const status: PackageRevisionStatus = {
    ...current.status,
    phase: 'Failed',
    message,
    failure: { code: 'Interrupted', message },
  };
  return act({ kind: 'record', revision: current.metadata.name, status }, { reason: 'Progressing', message });
}

/** The values went with the process that created the revision; the Package still has them while it asks for the same. */
function saveValues(world: World, current: PackageRevision): Decision {
  const { resolution } = world;
  const explanation = {
    reason: 'Progressing',
    message: `revision ${String(current.spec.revision)}: its values are being saved`,
  } as const;
  if (resolution?.kind === 'resolved' && newerDesired(world, current) === undefined) {
    return act({ kind: 'save-values', revision: current.metadata.name }, explanation);
  }
  return interrupt(current, `revision ${String(current.spec.revision)} was interrupted before its values were saved`);
}

/** No revision is in progress. */
function decideSettled(world: World): Decision {
  const settling = settle(world);
  if (settling !== undefined) return settling;
  const { resolution } = world;
  if (resolution === undefined) {
    const { name } = world.package.metadata;
    return wait({
      reason: 'PackageSourceNotFound',
      message: `there is no PackageSource ${name}; create one, or add a repository that has the package`,
    });
  }
  if (resolution.kind === 'unresolvable') {
    return { kind: 'invalid', reason: resolution.reason, message: resolution.message };
  }
  return decideAgainst(world, resolution.desired, world.revisions.at(-1));
}

function decideAgainst(world: World, desired: DesiredPackage, newest: PackageRevision | undefined): Decision {
  if (newest === undefined) return startRevision(world, desired);
  if (desiredDigestOf(newest) !== desired.digest) return decideChanged(world, desired);
  if (newest.status?.phase !== 'Failed') return tidy(world, newest);
  return isReleasedByTimeout(world, newest) ? startRevision(world, desired) : hold(newest);
}

/** P12: a failed attempt that changed nothing, with the spec set back to what runs, needs no backend change. */
function decideChanged(world: World, desired: DesiredPackage): Decision {
  const applied = world.revisions.findLast((revision) => revision.status?.phase === 'Applied');
  const isApplied = applied !== undefined && desiredDigestOf(applied) === desired.digest;
  return isApplied && isUntouchedSince(world, applied) ? tidy(world, applied) : startRevision(world, desired);
}

/** No revision since has submitted anything, whatever the newest of them did: what it accepted may be another one's work. */
function isUntouchedSince(world: World, applied: PackageRevision): boolean {
  const since = world.revisions.filter((revision) => revision.spec.revision > applied.spec.revision);
  return since.every((revision) => hasChangedNothing(revision));
}

function hasChangedNothing(revision: PackageRevision): boolean {
  return (revision.status?.components ?? []).every((progress) => (progress.attempt ?? 0) === 0);
}

/** P12: after a missed deadline, a raised timeout is a reason to try again. */
function isReleasedByTimeout(world: World, failed: PackageRevision): boolean {
  const failure = failed.status?.failure;
  if (failure?.code !== 'DeadlineExceeded') return false;
  const progress = failed.status?.components?.find((candidate) => candidate.name === failure.component);
  if (progress?.startedAt === undefined || progress.deadline === undefined) return false;
  return timeoutOf(world.package) > parseTime(progress.deadline) - parseTime(progress.startedAt);
}

function hold(failed: PackageRevision): Decision {
  const { failure, message } = failed.status ?? {};
  const cause = message ?? failure?.message ?? 'the revision failed';
  const raise = failure?.code === 'DeadlineExceeded' ? ', raise spec.upgrade.timeout' : '';
  const remedy = `nothing is retried until the package changes: fix it forward${raise}, or set a new value in annotation ${ANNOTATION.retry}`;
  return {
    kind: 'stalled',
    reason: 'UpgradeFailed',
    message: `revision ${String(failed.spec.revision)} (${failed.spec.version}): ${cause}; ${remedy}`,
  };
}
