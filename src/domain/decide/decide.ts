import type { PackageRevision } from '../../api/package-revision.ts';
import { ANNOTATION, FINALIZER } from '../../api/names.ts';
import { type DesiredPackage, desiredDigest } from '../resolve/desired.ts';
import { goingOutside, SEEN } from '../release/classify-component.ts';
import type { ComponentView } from '../release/component-view.ts';
import { act, type Decision, wait } from './decision.ts';
import { driveRevision } from './drive-revision.ts';
import { hold, holdRollback, isReleasedByTimeout } from './hold.ts';
import { interrupt, NEWER } from './interrupt.ts';
import { stopOutside } from './make-way.ts';
import { endOfRun, stopOverrun } from './overrun.ts';
import { oweRollback } from './owed-rollback.ts';
import { decideRequest } from './rollback-request.ts';
import { startRevision } from './start-revision.ts';
import { resumeClocks, suspend } from './suspend.ts';
import { closeFormer, completeFormer } from './takeover.ts';
import { teardown } from './teardown.ts';
import { settle, tidy } from './tidy.ts';
import { desiredDigestOf, everyMember, inProgress, isRestoring, labelOf, targetOf, viewsOf } from './views.ts';
import type { World } from './world.ts';

/** What to do next for one package. Total: every world has exactly one answer. */
export function decide(world: World): Decision {
  if (world.package.metadata.deletionTimestamp !== undefined) return teardown(world);
  if (!(world.package.metadata.finalizers ?? []).includes(FINALIZER)) {
    return act({ kind: 'add-finalizer' }, { reason: 'Progressing', message: 'the package is being taken up' });
  }
  const takeover = closeFormer(world);
  if (takeover !== undefined) return takeover;
  const current = inProgress(world);
  if (world.package.spec.suspend === true) return suspend(world, current);
  if (current === undefined) return decideRequest(world, current) ?? decideSettled(world);
  return resumeClocks(world, current) ?? dropForce(world, current) ?? decideRunning(world, current);
}

/** The force of a way back is used up by the revision that it let start. */
function dropForce(world: World, current: PackageRevision): Decision | undefined {
  const force = world.package.metadata.annotations?.[ANNOTATION.forceRollback];
  if (force === undefined || current.metadata.annotations?.[ANNOTATION.forceRollback] !== force) return undefined;
  return act(
    { kind: 'drop-annotations', annotations: [ANNOTATION.forceRollback] },
    { reason: 'Progressing', message: `${labelOf(current)} goes back by force, which is used up by it` },
  );
}

/** Something newer takes over only when it could start now; until then the running revision goes on. */
function decideRunning(world: World, current: PackageRevision): Decision {
  const request = decideRequest(world, current);
  if (request !== undefined) return request.kind === 'act' ? startInstead(world, current, request) : request;
  const newer = newerDesired(world, current);
  const start = newer === undefined ? undefined : startRevision(world, newer);
  if (start?.kind === 'act') return startInstead(world, current, start);
  const needsValues = everyMember(current).some((component) => component.valuesRef !== undefined);
  if (needsValues && !world.valuesSaved) return saveValues(world, current);
  return driveRevision(world, current);
}

/** What makes ready for something newer is done at once; what starts it, only after the running revision has ended. */
function startInstead(world: World, current: PackageRevision, start: Extract<Decision, { kind: 'act' }>): Decision {
  return start.action.kind === 'create-revision' ? takeOver(world, current) : start;
}

function newerDesired(world: World, current: PackageRevision): DesiredPackage | undefined {
  const { resolution } = world;
  if (resolution?.kind !== 'resolved') return undefined;
  const { desired } = resolution;
  // A retry token that arrives in mid-flight is honoured after the revision.
  const retry = current.metadata.annotations?.[ANNOTATION.retry];
  return desiredDigest(desired.core, retry) === desiredDigestOf(current) ? undefined : desired;
}

/** A delivery that is executing is let end, and so is a hook: a running migration is never cut off. Nothing is undone. */
function takeOver(world: World, current: PackageRevision): Decision {
  const isRunning = Object.values(world.releases).some((release) => release.delivery.kind === 'running');
  const isMigrating = current.status?.hooks?.some(({ state }) => state === 'Submitted') === true;
  if (isRunning || isMigrating) return driveRevision(world, current, { yielding: true });
  return endOutside(world, current) ?? interrupt(current, current.status, NEWER);
}

/** What a controller is at work on is let end as well, and what it would try again is stopped. */
function endOutside(world: World, current: PackageRevision): Decision | undefined {
  const views = [...viewsOf(world, current, 'hooks'), ...viewsOf(world, current, 'components')];
  const view = views.find((each) => goingOutside(each, world.now) !== 'nothing' || isUntold(each));
  if (view === undefined) return undefined;
  if (goingOutside(view, world.now) !== 'failing') return driveRevision(world, current, { yielding: true });
  const message = `component ${view.component.name}: its delivery is being stopped`;
  return stopOutside(world, targetOf(current, view.component), { reason: 'Progressing', message });
}

/** Begun, and what became of it cannot be read at the moment. */
function isUntold({ progress, release }: ComponentView): boolean {
  const { state, attempt = 0, backendRevision = SEEN } = progress;
  return release.state === 'unknown' && state === 'Submitted' && attempt > 0 && backendRevision === SEEN;
}

/** The values went with the process that created the revision; whoever asked for them may still have them. */
function saveValues(world: World, current: PackageRevision): Decision {
  const { resolution } = world;
  const explanation = {
    reason: 'Progressing',
    message: `revision ${String(current.spec.revision)}: its values are being saved`,
  } as const;
  const isAtHand = resolution?.kind === 'resolved' && newerDesired(world, current) === undefined;
  if (isAtHand || isRestoring(current)) {
    return act({ kind: 'save-values', revision: current.metadata.name }, explanation);
  }
  return interrupt(current, current.status, 'before its values were saved');
}

/** No revision is in progress. */
function decideSettled(world: World): Decision {
  const settling = settle(world) ?? oweRollback(world);
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
  return completeFormer(world, resolution.desired) ?? decideAgainst(world, resolution.desired, world.revisions.at(-1));
}

function decideAgainst(world: World, desired: DesiredPackage, newest: PackageRevision | undefined): Decision {
  if (newest === undefined) return startSettled(world, desired);
  if (desiredDigestOf(newest) !== desired.digest) return decideChanged(world, desired);
  if (isReleasedByTimeout(world, newest)) return startSettled(world, desired);
  if (newest.status?.phase === 'Failed') return hold(world, newest);
  return isRestoring(newest) ? holdRollback(world, newest) : tidy(world, newest);
}

/** P12: a failed attempt that changed nothing, with the spec set back to what runs, needs no backend change. */
function decideChanged(world: World, desired: DesiredPackage): Decision {
  const applied = world.revisions.findLast((revision) => revision.status?.phase === 'Applied');
  const isApplied = applied !== undefined && runningDigest(applied) === desired.digest;
  return isApplied && isUntouchedSince(world, applied) ? tidy(world, applied) : startSettled(world, desired);
}

/** The desired state that an applied revision carried out; a rollback answers to another one than it restores. */
function runningDigest(applied: PackageRevision): string | undefined {
  return isRestoring(applied) ? applied.metadata.annotations?.[ANNOTATION.restoredDigest] : desiredDigestOf(applied);
}

/** I3: what the former revision has begun, a removal say, has ended before anything of the next one begins. */
function startSettled(world: World, desired: DesiredPackage): Decision {
  const start = startRevision(world, desired);
  if (start.kind !== 'act' || start.action.kind !== 'create-revision') return start;
  const busy = Object.values(world.releases).find(({ delivery }) => delivery.kind === 'running');
  if (busy === undefined) return start;
  const overrun = stopOverrun(world, busy);
  if (overrun !== undefined) return overrun;
  const message = `${start.message}, once what was begun with component ${busy.target.component} has ended`;
  return wait({ reason: start.reason, message }, endOfRun(world, busy));
}

/** No revision since has submitted anything, whatever the newest of them did: what it accepted may be another one's work. */
function isUntouchedSince(world: World, applied: PackageRevision): boolean {
  const since = world.revisions.filter((revision) => revision.spec.revision > applied.spec.revision);
  return since.every(
    (revision) =>
      !hasMigrated(revision) && (revision.status?.components ?? []).every(({ attempt = 0 }) => attempt === 0),
  );
}

/** A hook of it has done its work, which going back does not undo. */
function hasMigrated({ spec, status }: PackageRevision): boolean {
  return spec.rollbackSafe !== true && (status?.hooks ?? []).some(({ state }) => state === 'Ready');
}
