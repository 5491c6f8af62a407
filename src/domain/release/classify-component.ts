import type { PresentRelease } from './observation.ts';
import type { ComponentView } from './component-view.ts';

/** A failing verdict other than a Job's must have lasted this long before it fails a component. */
export const FAILURE_GRACE_MS = 30_000;

export const COMPONENT_STATES = [
  'failed',
  'executing',
  'overrunning',
  'unknown',
  'foreign',
  'absent',
  'outOfSync',
  'inSync',
  'locked',
  'removing',
  'begun',
  'settling',
  'displaced',
  'refused',
  'backingOff',
  'retryable',
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

/** Where one component of a revision stands. */
export function classifyComponent(view: ComponentView, context: ClassifyContext): ComponentState {
  const overdue = context.deadline !== undefined && context.now >= context.deadline;
  if (view.progress.state === 'Failed') return 'failed';
  if (view.delivery.kind === 'running') return overdue ? 'overrunning' : 'executing';
  if (view.progress.state === 'Ready') return classifyReady(view);
  const state = view.progress.state === 'Submitted' ? classifySubmitted(view, context) : classifyPending(view, context);
  return overdue && isWaiting(state) ? 'overdue' : state;
}

/** States that something outside must end; past the deadline they become `overdue`. */
function isWaiting(state: ComponentState): boolean {
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
  ];
  return waiting.includes(state);
}

function classifyReady(view: ComponentView): ComponentState {
  if (view.release.state === 'unknown') return 'unknown';
  // Of a release that is gone or being changed nothing will ever be read.
  if (view.release.state !== 'present' || view.release.delivery !== 'delivered') return 'degraded';
  if (view.health.status === 'unobserved') return 'unknown';
  return view.health.status === 'ready' ? 'ready' : 'degraded';
}

/** Nothing was begun at this revision: what is there decides how to start. */
function classifyPending(view: ComponentView, context: ClassifyContext): ComponentState {
  const { release } = view;
  switch (release.state) {
    case 'unknown':
      return 'unknown';
    case 'absent':
      return 'absent';
    case 'foreign':
      return context.adopt ? 'outOfSync' : 'foreign';
    case 'present':
      return classifyStanding(view, release);
  }
}

function classifyStanding(view: ComponentView, release: PresentRelease): ComponentState {
  if (release.delivery === 'pending') return 'locked';
  if (release.delivery === 'removing') return 'removing';
  return isInSync(view, release) ? 'inSync' : 'outOfSync';
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
  if (release.state === 'unknown') return 'unknown';
  if (release.state === 'foreign') return 'foreign';
  if (view.progress.backendRevision !== undefined) return 'displaced';
  if (view.delivery.kind === 'accepted') return 'settling';
  if (view.delivery.kind === 'failed') return classifyFailed(view, view.delivery, context);
  return release.state === 'absent' ? 'begun' : classifyBegun(view, release);
}

/** Its release was right when the revision came to it; should that end, it is delivered like any other. */
function classifyAccepted(view: ComponentView, context: ClassifyContext): ComponentState {
  const pending = classifyPending(view, context);
  return pending === 'inSync' ? classifyDelivered(view, context) : pending;
}

/** Begun by a process that is no more. */
function classifyBegun(view: ComponentView, release: PresentRelease): ComponentState {
  if (release.delivery === 'pending') return 'locked';
  if (release.delivery === 'removing') return 'removing';
  return release.delivery === 'failed' && release.token === view.token ? 'retryable' : 'begun';
}

function classifyFailed(
  { release }: ComponentView,
  delivery: Extract<ComponentView['delivery'], { kind: 'failed' }>,
  context: ClassifyContext,
): ComponentState {
  if (!delivery.transient) return 'refused';
  if (release.state === 'present' && release.delivery === 'pending') return 'locked';
  return context.now < delivery.retryAt ? 'backingOff' : 'retryable';
}

/** The backend's own record says that the attempt was completed; the token alone would prove only its beginning. */
export function isDelivered(view: ComponentView): boolean {
  const { release } = view;
  if (release.state !== 'present' || release.delivery !== 'delivered') return false;
  const known = view.progress.backendRevision;
  return release.token === view.token && (known === undefined || known === release.revision);
}

function classifyDelivered(view: ComponentView, context: ClassifyContext): ComponentState {
  const { health, progress } = view;
  if (health.status === 'ready') return 'healthy';
  if (hasFailed(view, context.now)) return 'unhealthy';
  if (progress.backendRevision === undefined) return 'delivered';
  return 'progressing';
}

function hasFailed({ health }: ComponentView, now: number): boolean {
  if (health.status !== 'failed') return false;
  return health.final === true || (health.failedSince !== undefined && now - health.failedSince >= FAILURE_GRACE_MS);
}
