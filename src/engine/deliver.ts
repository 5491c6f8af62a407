import { KubepkgError } from '../api/errors.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import type { Action } from '../domain/decide/decision.ts';
import { releaseKey } from '../domain/decide/world.ts';
import { isTaken } from '../domain/release/observation.ts';
import { attemptToken } from '../domain/release/token.ts';
import type { Backend, DesiredRelease, ReleaseObservation, ReleaseTarget, SubmitOutcome } from '../ports/backend.ts';
import { adoptPassedCrds } from './crds.ts';
import { desiredRelease } from './desired-release.ts';
import type { Hands } from './hands.ts';
import { Place } from './pool.ts';
import { ensureNamespace } from './namespaces.ts';
import { chartOf } from './takeover.ts';
import { readValues } from './values.ts';

export interface DeliverRequest {
  readonly action: Extract<Action, { kind: 'deliver' }>;
  /** What the component has. */
  readonly timeoutMs: number;
  readonly component: RevisionComponent;
  readonly adopt: boolean;
  /** It restores what ran before: CRDs are not taken back with it. */
  readonly rollback: boolean;
  /** It is a hook, which began at that moment (milliseconds since the epoch), or begins with this delivery. */
  readonly hookSince: DesiredRelease['hookSince'];
  readonly packageUid: string;
  readonly revisionUid: string;
  readonly backend: Backend;
}

const ACCEPTED: SubmitOutcome = { kind: 'accepted' };

/** Delivers one release in the background; the place in the pool is given back at its end. */
export function deliver(hands: Hands, request: DeliverRequest): void {
  const { packageUid, revisionUid, action } = request;
  const token = attemptToken({ packageUid, revisionUid, component: action.component, attempt: action.attempt });
  begin(hands, {
    target: action.target,
    token,
    ends: request.backend.capabilities.runsProcesses,
    timeoutMs: request.timeoutMs,
    work: (signal, place) => deliverRelease(hands, { ...request, token, place }, signal),
  });
}

type RemovalRequest = Pick<Extract<Action, { kind: 'uninstall' }>, 'target' | 'keepData'> &
  Pick<DeliverRequest, 'timeoutMs'>;

export function removeRelease(hands: Hands, backend: Backend, { target, keepData, timeoutMs }: RemovalRequest): void {
  begin(hands, {
    target,
    token: undefined,
    ends: true,
    timeoutMs,
    work: async (signal) => {
      const observed = await backend.observe(target);
      // Foreign or gone: nothing of ours is there.
      if (observed.state === 'absent' || observed.state === 'foreign') return ACCEPTED;
      if (observed.state === 'unknown') return { kind: 'failed', error: unreadable(observed.message) };
      return backend.submit({ kind: 'uninstall', target, observed, keepData }, signal);
    },
  });
}

/** Ends what a controller is at work on, or would try again. */
export function stopRelease(
  hands: Hands,
  backend: Backend,
  { target, token }: { readonly target: ReleaseTarget; readonly token: string },
): void {
  beginOnPresent(hands, backend, { kind: 'stop', target, token });
}

export function handBackRelease(hands: Hands, backend: Backend, target: ReleaseTarget): void {
  beginOnPresent(hands, backend, { kind: 'hand-back', target });
}

function beginOnPresent(
  hands: Hands,
  backend: Backend,
  {
    kind,
    target,
    token,
  }: { readonly kind: 'stop' | 'hand-back'; readonly target: ReleaseTarget; readonly token?: string },
): void {
  begin(hands, {
    target,
    token: undefined,
    ends: false,
    stops: token,
    work: async (signal) => {
      const observed = await backend.observe(target);
      return observed.state === 'present' ? backend.submit({ kind, target, observed }, signal) : ACCEPTED;
    },
  });
}

/** Settles a record whose owner is dead: its children died with it, so nobody is at work on the release. */
export function unlockRelease(hands: Hands, backend: Backend, target: ReleaseTarget): void {
  begin(hands, {
    target,
    token: undefined,
    ends: true,
    work: async (signal) => {
      const observed = await backend.observe(target);
      if (observed.state !== 'present' || observed.delivery !== 'pending') return ACCEPTED;
      return backend.submit({ kind: 'unlock', target, observed }, signal);
    },
  });
}

interface Work {
  readonly target: ReleaseTarget;
  readonly token: string | undefined;
  readonly ends: boolean;
  readonly timeoutMs?: number | undefined;
  readonly stops?: string | undefined;
  readonly work: (signal: AbortSignal, place: Place) => Promise<SubmitOutcome>;
}

/** Who comes to it while another package is at work on the release gives its place back, and is told when that has ended. */
function begin(hands: Hands, { work, ...rest }: Work): void {
  const { target } = rest;
  const place = new Place(hands.pool);
  const started = hands.deliveries.start({
    ...rest,
    work: (signal) => work(signal, place),
    onEnd: (awaitedBy) => {
      place.release();
      hands.book.markRelease(releaseKey(target));
      for (const pkg of [target.package, ...awaitedBy]) hands.wake(pkg);
    },
  });
  if (!started) place.release();
}

async function deliverRelease(
  hands: Hands,
  { place, ...request }: DeliverRequest & { readonly token: string; readonly place: Place },
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const { action, component, adopt, rollback, timeoutMs, hookSince, backend, token } = request;
  const { cluster } = hands.deps;
  const observed = await backend.observe(action.target);
  const standing = judgeStanding(observed, { adopt, token });
  if (standing !== undefined) return standing;
  if (component.chart === undefined) {
    return {
      kind: 'refused',
      error: new KubepkgError('Unsupported', `the revision does not record the chart of component ${component.name}`),
    };
  }
  const { privileged } = component;
  await ensureNamespace(cluster, component.namespace, { privileged, labels: hands.deps.options.namespaceLabels });
  const release = desiredRelease(action.target, component, {
    token,
    chart: await chartOf(hands, { component, chart: component.chart, target: action.target, backend }, signal),
    values: await readValues(cluster, component),
    adopt,
    rollback,
    timeoutMs,
    hookSince,
  });
  await adoptPassedCrds(hands, { revision: action.revision, backend, release });
  if (backend.capabilities.runsProcesses && release.chart.hasPostHooks) place.moveTo(hands.waitingPool);
  return backend.submit({ kind: observed.state === 'absent' ? 'install' : 'upgrade', release, observed }, signal);
}

/** A live look just before: what is there already, or is somebody else's, is not delivered. Undefined: go on. */
function judgeStanding(
  observed: ReleaseObservation,
  { adopt, token }: { readonly adopt: boolean; readonly token: string },
): SubmitOutcome | undefined {
  switch (observed.state) {
    case 'absent':
      return undefined;
    case 'unknown':
      return { kind: 'failed', error: unreadable(observed.message) };
    case 'foreign':
      if (!isTaken(observed, { adopt })) return undefined;
      return { kind: 'refused', error: new KubepkgError('OwnershipConflict', observed.message) };
    case 'present':
      break;
  }
  if (observed.delivery === 'delivered' && observed.token === token) return ACCEPTED;
  // A controller takes a new instruction at any time.
  if (['delivered', 'failed', 'underway'].includes(observed.delivery)) return undefined;
  return { kind: 'failed', error: new KubepkgError('ReleaseLocked', observed.message) };
}

function unreadable(message: string): KubepkgError {
  return new KubepkgError('ApiServerError', message);
}
