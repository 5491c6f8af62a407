import { FINALIZER } from '../../api/names.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { formatSeconds } from '../../lib/time.ts';
import { goingOutside, isDelivered } from '../release/classify-component.ts';
import type { ComponentView } from '../release/component-view.ts';
import type { ReleaseTarget } from '../release/observation.ts';
import { releaseOwnedCrds } from './crds.ts';
import { deadlineOf, timeoutOf } from './deadline.ts';
import { act, type Decision, wait } from './decision.ts';
import { stopOutside } from './make-way.ts';
import { resumeClocks } from './suspend.ts';
import { tearDownSurroundings } from './surroundings.ts';
import { pastTargets, removeFirst } from './tidy.ts';
import { inProgress, targetOf, viewsOf } from './views.ts';
import type { World } from './world.ts';

/** P20: releases go in reverse order, each waited for; then the journal; the Package's own finalizer is the last thing to go. */
export function teardown(world: World): Decision {
  if (!(world.package.metadata.finalizers ?? []).includes(FINALIZER)) {
    return wait({ reason: 'Deleting', message: 'kubepkg has let go of the package' });
  }
  if (world.leavingDependents.length > 0) {
    const needed = world.leavingDependents.join(', ');
    return wait({ reason: 'Deleting', message: `packages that need it are removed first: ${needed}` });
  }
  const released = releaseOwnedCrds(world);
  if (released !== undefined) return { ...released, reason: 'Deleting' };
  const left = endDelivery(world) ?? removeReleases(world) ?? tearDownSurroundings(world);
  if (left !== undefined) return { ...left, reason: 'Deleting' };
  const held = world.revisions.findLast((revision) => (revision.metadata.finalizers ?? []).includes(FINALIZER));
  if (held !== undefined) {
    return act(
      { kind: 'release-revision', revision: held.metadata.name },
      { reason: 'Deleting', message: 'the revisions are being let go' },
    );
  }
  return act({ kind: 'release-finalizer' }, { reason: 'Deleting', message: 'everything is removed' });
}

/** What is being delivered is not wanted any more, and is stopped before anything is removed. A migration has its time. */
function endDelivery(world: World): Decision | undefined {
  const current = inProgress(world);
  if (current === undefined) return undefined;
  const views = [...viewsOf(world, current, 'hooks'), ...viewsOf(world, current)];
  // Whether something goes on that cannot be read now is not known.
  const unread = views.find(({ progress, release }) => progress.state === 'Submitted' && release.state === 'unknown');
  if (unread?.release.state === 'unknown') return wait({ reason: 'Deleting', message: unread.release.message });
  for (const view of views) {
    const decision = awaitHook(world, current, view) ?? stopDelivery(world, targetOf(current, view.component), view);
    if (decision !== undefined) return decision;
  }
  return undefined;
}

/** By whatever delivers it, and by its Job, until its deadline, which a suspension has put off. */
function awaitHook(world: World, current: PackageRevision, view: ComponentView): Decision | undefined {
  if (!view.hook || !goesOn(view, world.now)) return undefined;
  const resumed = resumeClocks(world, current);
  if (resumed !== undefined) return resumed;
  const { watchingSince, now } = world;
  const until = deadlineOf(view.progress, { timeoutMs: timeoutOf(world.package), watchingSince });
  if (until === undefined || now >= until) return undefined;
  const message = `hook ${view.component.name} is let end before anything is removed, until ${formatSeconds(until)}`;
  return wait({ reason: 'Deleting', message }, until);
}

/** What has only failed up to now, with no Job made, must not begin either. */
function goesOn(view: ComponentView, now: number): boolean {
  const outside = goingOutside(view, now);
  return isBeingDelivered(view) || outside === 'underway' || outside === 'stopping' || isMigrating(view);
}

/** Its Job has not ended, as far as is known, whatever became of its delivery. */
function isMigrating(view: ComponentView): boolean {
  const { health, progress, release, token, jobs } = view;
  const isBegun = release.state === 'present' && release.token === token && jobs === 'some';
  if (progress.state !== 'Submitted' || !(isBegun || isDelivered(view))) return false;
  return health.status !== 'ready' && health.status !== 'failed';
}

function stopDelivery(world: World, target: ReleaseTarget, view: ComponentView): Decision | undefined {
  const outside = goingOutside(view, world.now);
  if (!isBeingDelivered(view) && outside === 'nothing') return undefined;
  const message = `component ${target.component}: its delivery is being stopped`;
  if (outside === 'stopping') return wait({ reason: 'Deleting', message }, view.stoppingUntil);
  return stopOutside(world, target, { reason: 'Deleting', message });
}

/** By this revision; a removal has no token, nor has what the revision found as it wanted it. */
function isBeingDelivered({ delivery, token }: ComponentView): boolean {
  return delivery.kind === 'running' && token !== undefined && delivery.token === token;
}

function removeReleases(world: World): Decision | undefined {
  const decision = removeFirst(world, [...pastTargets(world), ...world.strays]);
  return decision === undefined ? undefined : withData(decision);
}

/** What the charts themselves made of claims goes with them, as with helm. */
function withData(decision: Decision): Decision {
  if (decision.kind !== 'act' || decision.action.kind !== 'uninstall') return decision;
  return { ...decision, action: { ...decision.action, keepData: false } };
}
