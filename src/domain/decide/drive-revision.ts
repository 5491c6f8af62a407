import type { PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { assertNever } from '../../lib/assert-never.ts';
import { formatTime } from '../../lib/time.ts';
import { isFirstSeen, isUntried } from '../release/classify-component.ts';
import { handOverCrds } from './crds.ts';
import { countedFrom } from './deadline.ts';
import { act, type Action, type Decision, type Explanation } from './decision.ts';
import { retryText } from './explain.ts';
import { accept, awaitedFrom, begunAnew, markReady, note, noteSight, rewait, submitted } from './drafts.ts';
import { failPlace } from './fail-revision.ts';
import { clear, move, startClock, stopOutside, yieldNow } from './make-way.ts';
import { restoreReleases } from './restore.ts';
import { STEPS, type Step } from './steps.ts';
import { isRestoring, labelOf, type Part, targetOf } from './views.ts';
import {
  beginWalk,
  clockFrom,
  draft,
  draftStatus,
  explain,
  locate,
  pause,
  pauseWith,
  type Place,
  recordAction,
  statusOf,
  type Walk,
} from './walk.ts';
import type { World } from './world.ts';

export interface DriveOptions {
  /** Something newer is about to take over: a running hook is awaited, and nothing is begun. */
  readonly yielding: boolean;
}

/**
 * The next step of a revision in progress: its hooks, one after the other; for a rollback the releases, newest change
 * first; then its components in order, each only after all before it are ready.
 */
export function driveRevision(
  world: World,
  revision: PackageRevision,
  { yielding }: DriveOptions = { yielding: false },
): Decision {
  const walk = beginWalk(world, revision, yielding);
  return walkPart(walk, 'hooks') ?? passCrds(walk) ?? restorePart(walk) ?? walkPart(walk, 'components') ?? commit(walk);
}

/** Whenever one more is ready, those before it are looked at again: all of them must be, at that moment. Undefined: all are. */
function walkPart(walk: Walk, part: Part): Decision | undefined {
  for (const index of walk.drafts[part].keys()) {
    const found = visit(walk, part, index);
    if (found === 'one-more') return walkPart(walk, part);
    if (found !== 'ready') return found;
  }
  return undefined;
}

/** After the hooks, whose end is written down first. */
function passCrds(walk: Walk): Decision | undefined {
  const passing = walk.yielding ? undefined : handOverCrds(walk.world, walk.revision);
  return passing !== undefined && walk.changed ? pauseWith(walk, passing, undefined) : passing;
}

function restorePart(walk: Walk): Decision | undefined {
  if (!isRestoring(walk.revision)) return undefined;
  return restoreReleases(walk, (place, step) => take(walk, place, step));
}

function visit(walk: Walk, part: Part, index: number): Decision | 'ready' | 'one-more' {
  const place = locate(walk, { part, index });
  if (place === undefined) return 'ready';
  if (place.view.progress.state === 'Ready' && isLaterStarted(walk, place)) return 'ready';
  if (isTurnToBeJudged(walk, place)) {
    draft(walk, place, { ...place.view.progress, ...awaitedFrom(walk) });
    return visit(walk, part, index);
  }
  const { step } = STEPS[place.state];
  if (step === 'next') return 'ready';
  if (step === 'mark-ready') {
    draft(walk, place, markReady(walk, place));
    return 'one-more';
  }
  if (step !== 'accept') return take(walk, place, step);
  draft(walk, place, accept(walk, place));
  return visit(walk, part, index);
}

/** The steps that end a walk. */
function take(walk: Walk, place: Place, step: Exclude<Step, 'next' | 'mark-ready' | 'accept'>): Decision {
  switch (step) {
    case 'note':
      draft(walk, place, note(place));
      return pause(walk, place);
    case 'rewait':
      draft(walk, place, rewait(walk, place));
      putOff(walk, place);
      return pause(walk, place);
    case 'wait':
      tellRetry(walk, place);
      if (isFirstSeen(place.view)) draft(walk, place, noteSight(place));
      if (place.state === 'draining') startClock(walk, place);
      return replacePod(walk, place) ?? pause(walk, place);
    case 'fail':
      return failPlace(walk, place);
    case 'stop':
      return stopOutside(walk.world, targetOf(walk.revision, place.view.component), explain(walk, place));
    case 'unlock':
    case 'uninstall':
      return clear(walk, place, step);
    case 'move':
      return move(walk, place);
    case 'install':
    case 'upgrade':
    case 'redrive':
    case 'retry':
      return deliver(walk, place, step);
    default:
      return assertNever(step, 'step');
  }
}

/**
 * P10: the version that failed may have left a pod that is not ready, and that its StatefulSet would wait for for ever,
 * though its template is the old one again. Going forward such a pod is left to people: it may be about to recover.
 */
function replacePod(walk: Walk, place: Place): Decision | undefined {
  const { keptPod: pod } = place.view.health;
  const isAwaited = isRestoring(walk.revision) && place.state === 'progressing';
  if (!isAwaited || pod === undefined || walk.changed || walk.yielding) return undefined;
  const target = targetOf(walk.revision, place.view.component);
  const message = `component ${target.component}: pod ${pod.namespace}/${pod.name} is deleted, which its StatefulSet would keep for ever: it is of another revision and not ready`;
  return act({ kind: 'replace-pod', pod, target }, { reason: 'Progressing', message });
}

/** Why an attempt failed is in the journal before the next one is made. */
function tellRetry(walk: Walk, place: Place): void {
  if (place.state !== 'backingOff') return;
  const message = retryText(place.view);
  if (place.view.progress.message !== message) draft(walk, place, { ...place.view.progress, message });
}

/** A component that degrades while a later one is under way is waited for again only before the one after that. */
function isLaterStarted(walk: Walk, { part, index }: Place): boolean {
  const later = walk.drafts[part].map((progress, at) => ({ progress, at })).slice(index + 1);
  return later.some(({ progress, at }) => progress.state === 'Submitted' && !isYetToBegin(walk, { part, index: at }));
}

/** Nothing was begun of what is only accepted: its turn, and its time, come anew after what is waited for again. */
function putOff(walk: Walk, { part, index }: Place): void {
  for (const [at, progress] of walk.drafts[part].entries()) {
    const isAccepted = progress.state === 'Submitted' && (progress.attempt ?? 0) === 0;
    if (at > index && isAccepted)
      draft(walk, { part, index: at }, { name: progress.name, state: 'Pending', attempt: 0 });
  }
}

/** It was right when the revision came to it, is so no more, and now has to be delivered after all. */
function isYetToBegin(walk: Walk, key: Pick<Place, 'part' | 'index'>): boolean {
  const place = locate(walk, key);
  return place !== undefined && (place.view.progress.attempt ?? 0) === 0 && BEGINNINGS.has(STEPS[place.state].step);
}

const BEGINNINGS: ReadonlySet<Step> = new Set(['install', 'upgrade', 'move', 'unlock', 'uninstall']);

/** A rollback delivers long before it judges: a component's time begins anew when its turn has come. */
function isTurnToBeJudged({ revision }: Walk, { view: { progress } }: Place): boolean {
  return isRestoring(revision) && progress.state === 'Submitted' && progress.awaitedSince === undefined;
}

function deliver(walk: Walk, place: Place, step: 'install' | 'upgrade' | 'redrive' | 'retry'): Decision {
  if (walk.yielding) return yieldNow(walk);
  const { view } = place;
  const attempt = (view.progress.attempt ?? 0) + (step === 'redrive' ? 0 : 1);
  const isFirst = step === 'redrive' && isUntried(view);
  if (isFirst && countedFrom(view.progress) !== clockFrom(walk).startedAt) draft(walk, place, begunAnew(walk, place));
  else if (step !== 'redrive') draft(walk, place, submitted(walk, place, attempt));
  const action: Action = {
    kind: 'deliver',
    mode: view.release.state === 'absent' ? 'install' : 'upgrade',
    revision: walk.revision.metadata.name,
    component: view.component.name,
    attempt,
    target: targetOf(walk.revision, view.component),
    ...draftStatus(walk),
  };
  // The clock that it is recorded with is not the one that it will have.
  return act(action, explain(walk, isFirst ? { ...place, deadline: undefined } : place));
}

function commit(walk: Walk): Decision {
  const { message: _waited, ...status } = statusOf(walk);
  const explanation: Explanation = {
    reason: 'Progressing',
    message: `${labelOf(walk.revision)}: every component is ready`,
  };
  const applied: PackageRevisionStatus = { ...status, phase: 'Applied', appliedAt: formatTime(walk.world.now) };
  return act(recordAction(walk, applied), explanation);
}
