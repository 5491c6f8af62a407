import { earliest } from '../../lib/earliest.ts';
import type { ErrorCode } from '../../api/errors.ts';
import { nameOf } from '../../api/kube.ts';
import { formatSeconds } from '../../lib/time.ts';
import { type ComponentState, FAILURE_GRACE_MS, SEEN } from '../release/classify-component.ts';
import type { ComponentView, DeliveryView } from '../release/component-view.ts';

/** While something is awaited, the world is read anew this often, so that no lost event blocks for ever. */
export const REREAD_MS = 60_000;

const DISPLACED = 'its release was changed or removed by someone else after the delivery';

const UNPROVABLE =
  'its delivery was cut off and its Job is not there: whether it ran cannot be known, so it is not run again; check what it did, then set a new value in annotation kubepkg.dev/retry';

const VANISHED =
  'its release was removed by someone else before its Job was seen to end, so it is not run again; check what it did, then set a new value in annotation kubepkg.dev/retry';

interface Waiting {
  /** `2 of 4`. */
  readonly where: string;
  readonly state: ComponentState;
  readonly deadline: number | undefined;
}

/** One line: which component, what it waits for, until when. Deterministic: a status write must not cause another. */
export function waitingFor(view: ComponentView, { where, state, deadline }: Waiting): string {
  const until = deadline === undefined ? '' : `, until ${formatSeconds(deadline)}`;
  return `component ${view.component.name} (${where}): ${describe(view, state)}${until}`;
}

function describe(view: ComponentView, state: ComponentState): string {
  switch (state) {
    case 'executing':
      return 'its release is being delivered';
    case 'settling':
      return stoppingText(view) ?? underwayText(view) ?? 'its release is being delivered';
    case 'absent':
      return 'its release is being installed';
    case 'outOfSync':
      return 'its release is being upgraded';
    case 'begun':
      return 'its delivery was interrupted and is taken up again';
    case 'locked':
      return 'the release is left locked by an interrupted delivery and is being unlocked';
    case 'removing':
      return 'an interrupted uninstall is being completed';
    case 'draining':
      return view.release.state === 'present' ? view.release.message : 'its former objects are going';
    case 'leftover':
      return 'what a former attempt left is being removed';
    case 'misplaced':
      return `its release in its former place (${view.formerPlaces.join(', ')}) is being removed`;
    case 'displaced':
      return DISPLACED;
    case 'backingOff':
    case 'retryable':
      return retryText(view);
    case 'unknown':
      return view.release.state === 'unknown' ? view.release.message : view.health.message;
    case 'overrunning':
      return view.delivery.kind === 'failed'
        ? `its delivery is being stopped: ${view.delivery.message}`
        : 'its delivery ran past the deadline and is being stopped';
    case 'inSync':
    case 'delivered':
    case 'progressing':
    case 'degraded':
    case 'unhealthy':
    case 'healthy':
    case 'ready':
      return view.health.message;
    case 'failed':
    case 'foreign':
    case 'refused':
    case 'unprovable':
    case 'overdue':
      return failureOf(view, state, undefined).message;
  }
}

function stoppingText(view: ComponentView): string | undefined {
  return view.stoppingUntil === undefined ? undefined : 'its controller was told to stop its delivery';
}

/** What the controller that is at work on it says. */
function underwayText({ release, token }: ComponentView): string | undefined {
  const isOurs = release.state === 'present' && release.delivery === 'underway' && release.token === token;
  return isOurs ? release.message : undefined;
}

/** The budget is the deadline; how much of it is used up is the number of the attempt. */
export function retryText(view: ComponentView): string {
  return `attempt ${String(view.progress.attempt ?? 0)} failed and is followed by another: ${deliveryMessage(view)}`;
}

function deliveryMessage(view: ComponentView): string {
  if (view.delivery.kind === 'failed') return view.delivery.message;
  return view.release.state === 'present' ? view.release.message : 'an interrupted delivery';
}

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Why a component fails its revision. */
export function failureOf(view: ComponentView, state: ComponentState, deadline: number | undefined): Failure {
  if (state === 'failed') return { code: 'ComponentFailed', message: view.progress.message ?? 'it failed before' };
  if (state === 'foreign') {
    const found = view.release.state === 'foreign' ? view.release.message : 'it belongs to someone else';
    return { code: 'OwnershipConflict', message: `${releaseName(view)}: ${found}` };
  }
  if (state === 'refused' && view.delivery.kind === 'failed') {
    return { code: view.delivery.code, message: view.delivery.message };
  }
  if (state === 'unprovable') return { code: 'HookUnprovable', message: unprovableMessage(view) };
  if (state === 'unhealthy') return { code: 'ComponentFailed', message: view.health.message };
  return { code: 'DeadlineExceeded', message: overdueMessage(view, deadline) };
}

function unprovableMessage({ release }: ComponentView): string {
  return release.state === 'absent' ? VANISHED : UNPROVABLE;
}

function overdueMessage(view: ComponentView, deadline: number | undefined): string {
  const isUnread = view.release.state === 'unknown';
  const last = view.delivery.kind === 'failed' && !isUnread ? causeOf(view, view.delivery) : lastKnown(view);
  const when = deadline === undefined ? '' : ` (${formatSeconds(deadline)})`;
  return `not ready at its deadline${when}: ${last}`;
}

/** A delivery that was stopped at the deadline tells less than the attempt before it. */
function causeOf({ progress }: ComponentView, delivery: Extract<DeliveryView, { kind: 'failed' }>): string {
  return delivery.code === 'HelmKilled' ? (progress.message ?? delivery.message) : delivery.message;
}

function lastKnown(view: ComponentView): string {
  if (view.release.state === 'unknown') return view.release.message;
  if (view.progress.backendRevision !== undefined && !isStanding(view)) return DISPLACED;
  if (view.release.state !== 'present') return `${releaseName(view)} was not delivered`;
  return view.release.delivery === 'delivered' ? view.health.message : `${releaseName(view)}: ${view.release.message}`;
}

/** The record that was noted is still the newest one. */
function isStanding({ progress, release, token }: ComponentView): boolean {
  if (release.state !== 'present') return false;
  return progress.backendRevision === SEEN ? release.token === token : release.revision === progress.backendRevision;
}

function releaseName(view: ComponentView): string {
  const { namespace, releaseName: name } = view.component;
  return nameOf({ apiVersion: 'v1', kind: 'release', namespace, name });
}

/** The next moment at which the component must be looked at again. */
export function wakeAt(view: ComponentView, deadline: number | undefined, now: number): number | undefined {
  const moments: (number | undefined)[] = [deadline, view.health.until, view.stoppingUntil];
  if (view.delivery.kind === 'failed') moments.push(view.delivery.retryAt);
  if (view.health.status === 'failed' && view.health.failedSince !== undefined) {
    moments.push(view.health.failedSince + FAILURE_GRACE_MS);
  }
  return earliest(...moments.filter((moment) => moment !== undefined && moment > now));
}
