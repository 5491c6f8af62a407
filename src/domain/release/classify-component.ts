import { isTaken, type PresentRelease } from './observation.ts';
import type { ComponentView } from './component-view.ts';

/** A failing verdict other than a Job's must have lasted this long before it fails a component. */
export const FAILURE_GRACE_MS = 30_000;

/**
 * What cannot be read at its deadline is asked for so much longer: one lost answer must not fail a component that is
 * ready, nor leave a controller at work that was to be stopped.
 */
export const UNREAD_GRACE_MS = 30_000;

/** Noted of the release of a hook that is there, before it has a number for good. */
export const SEEN = 0;

export const COMPONENT_STATES = [
  'failed',
  'executing',
  'overrunning',
  'unknown',
  'foreign',
  'absent',
  'misplaced',
  'outOfSync',
  'inSync',
  'leftover',
  'locked',
  'removing',
  'draining',
  'begun',
  'settling',
  'displaced',
  'refused',
  'backingOff',
  'retryable',
  'unprovable',
  'delivered',
  'progressing',
  'unhealthy',
  'overdue',
  'healthy',
  'ready',
  'degraded',
] as const;

export type ComponentState = (typeof COMPONENT_STATES)[number];

export interface ClassifyContext {
  readonly now: number;
  /** Milliseconds since the epoch; undefined while no clock runs. */
  readonly deadline: number | undefined;
  /** Release records that are not ours may be taken over. */
  readonly adopt: boolean;
}

/** Where one component of a revision, or one of its hooks, stands. */
export function classifyComponent(view: ComponentView, context: ClassifyContext): ComponentState {
  const overdue = context.deadline !== undefined && context.now >= context.deadline;
  const { state: recorded } = view.progress;
  if (recorded === 'Failed') return 'failed';
  // What a hook has done is done, whatever became of its objects since.
  if (recorded === 'Ready' && view.hook) return 'ready';
  if (view.delivery.kind === 'running') return overdue ? 'overrunning' : 'executing';
  if (recorded === 'Ready') return classifyReady(view, overdue);
  const state = recorded === 'Submitted' ? classifySubmitted(view, context) : classifyPending(view, context);
  return stoppedFirst(view, overdue ? overdueState(view, state, context) : state, context.now);
}

/** What ends an attempt. */
const ENDS: readonly ComponentState[] = ['refused', 'overdue', 'unprovable'];
/** A component that is tried again is written over; a hook is removed first, which must not meet a Job of it that runs. */
const ENDS_OF_HOOKS: readonly ComponentState[] = [...ENDS, 'retryable'];

/** An attempt that ends here does not go on outside, unless its controller does not listen. */
function stoppedFirst(view: ComponentView, state: ComponentState, now: number): ComponentState {
  const ends = view.hook ? ENDS_OF_HOOKS : ENDS;
  const outside = ends.includes(state) ? goingOutside(view, now) : 'nothing';
  if (outside === 'stopping') return 'settling';
  return outside === 'nothing' ? state : 'overrunning';
}

/**
 * What a controller still does for the attempt: it is at work on it; it would try it again; or it was told to stop, and
 * is given time for that. One that has not listened until then is waited for no longer.
 */
export function goingOutside(view: ComponentView, now: number): 'nothing' | 'underway' | 'failing' | 'stopping' {
  const { release, stoppingUntil } = view;
  const isStopping = stoppingUntil !== undefined && now < stoppingUntil;
  // Told to stop, and not to be read at the moment: it has its time all the same.
  if (release.state === 'unknown') return isStopping ? 'stopping' : 'nothing';
  const work = workOf(view);
  if (work === 'nothing' || stoppingUntil === undefined) return work;
  return isStopping ? 'stopping' : 'nothing';
}

/** Of its controller, on the attempt. */
function workOf({ release, token }: ComponentView): 'nothing' | 'underway' | 'failing' {
  if (release.state !== 'present' || release.token !== token) return 'nothing';
  if (release.delivery === 'underway') return 'underway';
  return release.delivery === 'failed' && release.goesOn === true ? 'failing' : 'nothing';
}

/** Past the deadline, what something outside must end is overdue; what has only waited for its turn is not. */
function overdueState(view: ComponentView, state: ComponentState, context: ClassifyContext): ComponentState {
  if (state === 'begun' && isUntried(view)) return state;
  if (isUnread(view) && context.now < (context.deadline ?? 0) + UNREAD_GRACE_MS) return state;
  const waiting: readonly ComponentState[] = [
    'unknown',
    'begun',
    'settling',
    'displaced',
    'backingOff',
    'retryable',
    'delivered',
    'progressing',
    'locked',
    'removing',
    'draining',
    'leftover',
    'misplaced',
  ];
  return waiting.includes(state) ? 'overdue' : state;
}

/** A controller that was told to stop has its own time for that. */
function isUnread({ release, stoppingUntil }: ComponentView): boolean {
  return release.state === 'unknown' && stoppingUntil === undefined;
}

function classifyReady(view: ComponentView, overdue: boolean): ComponentState {
  // What cannot be read is waited for anew, with a deadline, once the old one is over.
  const unread = overdue ? 'degraded' : 'unknown';
  if (view.release.state === 'unknown') return unread;
  // Of a release that is gone or being changed nothing will ever be read.
  if (view.release.state !== 'present' || view.release.delivery !== 'delivered') return 'degraded';
  if (view.health.status === 'unobserved') return unread;
  return view.health.status === 'ready' ? 'ready' : 'degraded';
}

/** Nothing was begun at this revision: what is there decides how to start. */
function classifyPending(view: ComponentView, context: ClassifyContext): ComponentState {
  const { release } = view;
  switch (release.state) {
    case 'unknown':
      return 'unknown';
    case 'absent':
      return view.formerPlaces.length > 0 ? 'misplaced' : 'absent';
    case 'foreign':
      return isTaken(release, { adopt: context.adopt && !view.hook }) ? 'foreign' : 'outOfSync';
    case 'present':
      return classifyStanding(view, release);
  }
}

function classifyStanding(view: ComponentView, release: PresentRelease): ComponentState {
  const going = goingOf(release);
  if (going !== undefined) return going;
  // A hook runs afresh: whatever there is, is of a former attempt.
  if (view.hook) return 'leftover';
  if (release.delivery === 'pending') return 'locked';
  if (view.formerPlaces.length > 0) return 'misplaced';
  return isInSync(view, release) ? 'inSync' : 'outOfSync';
}

function goingOf({ delivery }: PresentRelease): 'removing' | 'draining' | undefined {
  return delivery === 'removing' || delivery === 'draining' ? delivery : undefined;
}

/** Labels carry over to a record that somebody else makes, so the number must be the one that the journal knows. */
function isInSync(view: ComponentView, release: PresentRelease): boolean {
  return (
    release.delivery === 'delivered' &&
    release.digest === view.component.digest &&
    release.revision === view.knownRevision
  );
}

function classifySubmitted(view: ComponentView, context: ClassifyContext): ComponentState {
  if ((view.progress.attempt ?? 0) === 0) return classifyAccepted(view, context);
  if (isDelivered(view)) return classifyDelivered(view, context);
  const { release } = view;
  if (release.state === 'unknown' || release.state === 'foreign') return release.state;
  return replacedState(view) ?? classifyUndelivered(view, release, context);
}

/** It was there, and is gone or another one. */
function replacedState(view: ComponentView): ComponentState | undefined {
  const isNotedOfOther = view.progress.backendRevision !== undefined && !isItsOwn(view);
  // Of a hook nothing is left that could tell what its Jobs did.
  if (view.hook && view.release.state === 'absent' && (isNotedOfOther || wasSeen(view))) return 'unprovable';
  return isNotedOfOther ? 'displaced' : undefined;
}

/** A hook is noted before its delivery is complete, once it is there, or when its Job counts: that record is its own still. */
function isItsOwn({ hook, release, token, progress }: ComponentView): boolean {
  if (!hook || release.state !== 'present' || release.token !== token) return false;
  return progress.backendRevision === SEEN || progress.backendRevision === release.revision;
}

/** By this process, though it may not have been able to note it. */
function wasSeen({ token, lastToken }: ComponentView): boolean {
  return token !== undefined && lastToken === token;
}

/**
 * Recorded as submitted, and no trace of it was ever seen: the process died in between, or the answer to that write was
 * lost and the place in the pool went to somebody else. Its time is counted from the place that it gets (P9).
 */
export function isUntried(view: ComponentView): boolean {
  const { attempt, backendRevision } = view.progress;
  return attempt === 1 && backendRevision === undefined && view.stoppingUntil === undefined && !wasSeen(view);
}

/** The release of a hook is there, and the attempt is not forgotten should somebody remove it. */
export function isFirstSeen({ hook, release, token, progress }: ComponentView): boolean {
  if (!hook || progress.state !== 'Submitted' || progress.backendRevision !== undefined) return false;
  return release.state === 'present' && token !== undefined && release.token === token;
}

/** Begun, and the backend's record does not say that it was completed. */
function classifyUndelivered(
  view: ComponentView,
  release: PresentRelease | { readonly state: 'absent' },
  context: ClassifyContext,
): ComponentState {
  const delivery = deliveryOf(view);
  if (delivery.kind === 'accepted' || isUnderway(view)) return 'settling';
  if (delivery.kind === 'failed' && !delivery.transient) return 'refused';
  if (view.hook && release.state === 'present') return classifyBegunHook(view, release, context);
  if (delivery.kind === 'failed') return classifyFailed(view, delivery, context);
  return release.state === 'absent' ? 'begun' : classifyBegun(view, release);
}

/** A controller was instructed by this very attempt, and has not ended it. */
function isUnderway({ release, token }: ComponentView): boolean {
  return release.state === 'present' && release.delivery === 'underway' && release.token === token;
}

/** What is told of another attempt says nothing of this one. */
function deliveryOf({ delivery, token }: ComponentView): ComponentView['delivery'] {
  const isOther = delivery.kind === 'failed' && delivery.token !== undefined && delivery.token !== token;
  return isOther ? { kind: 'none' } : delivery;
}

/** A Job that ran is not run again: begun and not completed, what is known of its Jobs decides. */
function classifyBegunHook(view: ComponentView, release: PresentRelease, context: ClassifyContext): ComponentState {
  const delivery = deliveryOf(view);
  const going = goingOf(release);
  if (going !== undefined) return going;
  if (release.token !== view.token) return 'leftover';
  switch (view.jobs) {
    case undefined:
      return 'unknown';
    case 'unknown':
      return 'unprovable';
    case 'some':
      return classifyDelivered(view, context);
    case 'never':
      // Its Job counted once: what shows none now has been taken away since.
      if ((view.progress.backendRevision ?? SEEN) !== SEEN) return 'unprovable';
      return delivery.kind === 'failed' ? classifyFailed(view, delivery, context) : classifyBegun(view, release);
  }
}

/** Its release was right when the revision came to it; should that end, it is delivered like any other. */
function classifyAccepted(view: ComponentView, context: ClassifyContext): ComponentState {
  const pending = classifyPending(view, context);
  return pending === 'inSync' ? classifyDelivered(view, context) : pending;
}

/** Begun by a process that is no more. */
function classifyBegun(view: ComponentView, release: PresentRelease): ComponentState {
  if (release.delivery === 'pending') return 'locked';
  return goingOf(release) ?? (release.delivery === 'failed' && release.token === view.token ? 'retryable' : 'begun');
}

function classifyFailed(
  { release }: ComponentView,
  delivery: Extract<ComponentView['delivery'], { kind: 'failed' }>,
  context: ClassifyContext,
): ComponentState {
  if (release.state === 'present' && release.delivery === 'pending') return 'locked';
  return context.now < delivery.retryAt ? 'backingOff' : 'retryable';
}

/** The backend's own record says that the attempt was completed; the token alone would prove only its beginning. */
export function isDelivered(view: ComponentView): boolean {
  const { release } = view;
  if (release.state !== 'present' || release.delivery !== 'delivered') return false;
  const known = view.progress.backendRevision === SEEN ? undefined : view.progress.backendRevision;
  return release.token === view.token && (known === undefined || known === release.revision);
}

function classifyDelivered(view: ComponentView, context: ClassifyContext): ComponentState {
  const { health } = view;
  if (health.status === 'ready') return 'healthy';
  if (hasFailed(view, context.now)) return 'unhealthy';
  return isNoted(view) ? 'progressing' : 'delivered';
}

function isNoted({ progress: { backendRevision }, release }: ComponentView): boolean {
  if (backendRevision === SEEN) return release.state === 'present' && release.revision === SEEN;
  return backendRevision !== undefined;
}

function hasFailed({ health }: ComponentView, now: number): boolean {
  if (health.status !== 'failed') return false;
  return health.final === true || (health.failedSince !== undefined && now - health.failedSince >= FAILURE_GRACE_MS);
}
