import { earliest } from '../../lib/earliest.ts';
import { act, type Decision, type Explanation, wait } from './decision.ts';
import { interrupt, NEWER } from './interrupt.ts';
import { removeRelease } from './tidy.ts';
import { formerPlaces, labelOf, targetOf } from './views.ts';
import { clockFrom, draft, draftStatus, explain, pause, pauseWith, type Place, statusOf, type Walk } from './walk.ts';
import type { ReleaseTarget } from '../release/observation.ts';
import { pauseOf, releaseKey, type World } from './world.ts';

/** Makes way for the delivery; after a failure not before its pause is over. */
export function clear(walk: Walk, place: Place, step: 'unlock' | 'uninstall'): Decision {
  const target = targetOf(walk.revision, place.view.component);
  const until = pauseOf(walk.world, target);
  if (until !== undefined) return wait(explain(walk, place), until);
  if (step === 'unlock') return act({ kind: step, target }, explain(walk, place));
  if (walk.yielding) return yieldNow(walk);
  startClock(walk, place);
  const { name: revision } = walk.revision.metadata;
  return act({ kind: step, target, keepData: true, revision, ...draftStatus(walk) }, explain(walk, place));
}

/** Ends what runs past its time; after a failure to do so, which is no attempt's, not before its pause is over. */
export function stopOutside(world: World, target: ReleaseTarget, explanation: Explanation): Decision {
  const delivery = world.releases[releaseKey(target)]?.delivery;
  const isOfAttempt = delivery?.kind === 'failed' && delivery.token !== undefined;
  const until = isOfAttempt ? undefined : pauseOf(world, target);
  return until === undefined ? act({ kind: 'stop', target }, explanation) : wait(explanation, until);
}

/** The release in the former place goes, with all its objects, before the new one comes. */
export function move(walk: Walk, place: Place): Decision {
  const { world, revision } = walk;
  for (const target of formerPlaces(world, revision, place.view.component)) {
    const release = world.releases[releaseKey(target)];
    const decision = release === undefined ? undefined : removeRelease(world, release, target);
    if (decision === undefined) continue;
    if (walk.yielding) return yieldNow(walk);
    startClock(walk, place);
    return removeFormer(walk, place, decision);
  }
  return pause(walk, place);
}

function removeFormer(walk: Walk, place: Place, decision: Decision): Decision {
  const { reason, message } = explain(walk, place);
  if (decision.kind === 'act' && decision.action.kind === 'uninstall') {
    const { name: revision } = walk.revision.metadata;
    return act({ ...decision.action, revision, ...draftStatus(walk) }, { reason, message });
  }
  const until = decision.kind === 'wait' ? decision.until : undefined;
  return pauseWith(walk, { reason, message: `${message}: ${decision.message}` }, earliest(until, place.deadline));
}

/** Its time runs from the first thing that is done for it. */
export function startClock(walk: Walk, place: Place): void {
  const { progress } = place.view;
  if (progress.startedAt === undefined) draft(walk, place, { ...progress, state: 'Pending', ...clockFrom(walk) });
}

/** Not while a delivery of ours still executes: two of them would be at work on one package. */
export function yieldNow(walk: Walk): Decision {
  const isRunning = Object.values(walk.world.releases).some(({ delivery }) => delivery.kind === 'running');
  if (isRunning) return wait({ reason: 'Progressing', message: `${labelOf(walk.revision)} ends its running delivery` });
  return interrupt(walk.revision, statusOf(walk), NEWER);
}
