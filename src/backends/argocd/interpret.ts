import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import { formatSeconds } from '../../lib/time.ts';
import { nameLabel } from '../../helm/labels.ts';
import type { PresentRelease, ReleaseObservation, ReleaseTarget } from '../../ports/backend.ts';
import {
  type ApplicationFacts,
  isInProgress,
  isStopped,
  type Operation,
  readApplication,
  releaseOf,
} from './application.ts';
import { explainFailure, sayOperation, saySpecErrors } from './failure.ts';

/** A controller that runs takes an operation within a second or two. */
export const SILENCE_MS = 30_000;

/** Between its reading of an operation and its word that it has begun it; nothing tells that it has seen one go. */
const TAKEN_BACK_MS = 5000;

/** Of the first sync that gets into a history. */
const FIRST = 1;

/** What an Application says, and when it is looked at. */
interface Situation extends ApplicationFacts {
  readonly now: number;
}

type Verdict = Pick<PresentRelease, 'delivery' | 'message'> &
  Partial<Pick<PresentRelease, 'token' | 'digest' | 'failure' | 'handBack' | 'note'>>;

export interface Reason {
  readonly name: string;
  readonly why: string;
  readonly holds: (situation: Situation) => boolean;
  readonly verdict: (situation: Situation) => Verdict;
}

/** Of nobody's attempt: no step of a revision takes it for its own. */
const NOT_OURS = { token: undefined, digest: undefined } as const;

/** The first that holds counts. */
export const REASONS: readonly Reason[] = [
  {
    name: 'Deleting',
    why: 'a removal that was begun is carried to its end, and nothing takes it back',
    holds: ({ deletedAt }) => deletedAt !== undefined,
    verdict: (s) => ({ delivery: 'draining', message: `${s.name} is being removed` }),
  },
  {
    name: 'Running',
    why: 'the operation of the attempt goes on; its record in the history is written a moment before it ends',
    holds: (s) => s.current !== undefined && isOurs(s, s.current) && isInProgress(s.current),
    verdict: (s) => ({ delivery: 'underway', message: `${s.name}: ${sayOperation(s)}` }),
  },
  {
    name: 'SpecRefused',
    why: 'the project forbids it: the operation is about to fail with the same message, and then it has failed',
    holds: (s) => isRequested(s) && s.specErrors.length > 0,
    verdict: (s) => ({ delivery: 'underway', message: saySpecErrors(s) }),
  },
  {
    name: 'Paused',
    why: 'the controller does not look at an Application with this annotation',
    holds: (s) => isRequested(s) && s.isPaused,
    verdict: (s) => ({ delivery: 'underway', message: sayPaused(s) }),
  },
  {
    name: 'NotTaken',
    why: 'a controller that is down says nothing: only the time tells',
    holds: (s) => isRequested(s) && s.now - s.instructedAt >= SILENCE_MS,
    verdict: (s) => ({ delivery: 'underway', message: sayNotTaken(s) }),
  },
  {
    name: 'Requested',
    why: 'whatever the status says is older than the request',
    holds: isRequested,
    verdict: (s) => ({ delivery: 'underway', message: `${s.name} waits for Argo CD's application controller` }),
  },
  {
    name: 'Edited',
    why: 'what was delivered still runs, but the next sync would deliver something else',
    holds: (s) => hasSynced(s) && s.wanted !== s.instructed,
    verdict: (s) => ({
      delivery: 'delivered',
      digest: undefined,
      message: sayEdited(s),
      note: sayEdited(s),
    }),
  },
  {
    name: 'NotCompared',
    why: 'the list of objects in the status is still that of the source before',
    holds: (s) => hasSynced(s) && s.compared !== s.instructed,
    verdict: (s) => ({ delivery: 'underway', message: `${s.name} is synced, and not compared with the cluster yet` }),
  },
  {
    name: 'Synced',
    why: 'a sync that began after the attempt was written is in the history, with what was written',
    holds: hasSynced,
    verdict: (s) => ({
      delivery: 'delivered',
      handBack: s.hasPutAside,
      message: `${s.name} is synced`,
      note: s.isPaused ? sayPaused(s) : undefined,
    }),
  },
  {
    name: 'Displaced',
    why: 'something else was synced after the attempt was written',
    holds: (s) => isNewer(s),
    verdict: (s) => ({
      ...NOT_OURS,
      delivery: 'delivered',
      message: `${s.name} was changed outside kubepkg: ${s.newest?.by ?? 'somebody'} synced another source or destination`,
    }),
  },
  {
    name: 'Occupied',
    why: 'an operation of somebody else says nothing of the attempt, and is not ours to stop',
    holds: (s) => occupant(s) !== undefined,
    verdict: (s) => ({
      ...NOT_OURS,
      delivery: 'underway',
      message: `${s.name}: an operation started by ${occupant(s)?.by ?? 'somebody'} is in progress`,
    }),
  },
  {
    name: 'Failed',
    why: 'the operation of the attempt ended, and nothing was synced after it',
    holds: (s) => s.current !== undefined && isOurs(s, s.current) && s.current.phase !== 'Succeeded',
    verdict: (s) => failed(explainFailure(s)),
  },
  {
    name: 'TakenBack',
    why: 'the controller may have read the request before it was taken back, and says that it begins a moment later',
    holds: (s) => isStopped(s) && !s.isPaused && s.now - s.stoppedAt < TAKEN_BACK_MS,
    verdict: (s) => ({ delivery: 'underway', message: `${sayNotTaken(s)}; it was taken back, and may have begun` }),
  },
  {
    name: 'Stopped',
    why: 'the operation was taken back before the controller had begun it',
    holds: isStopped,
    verdict: (s) =>
      failed({ code: 'HelmKilled', message: `${s.isPaused ? sayPaused(s) : sayNotTaken(s)}; it was stopped` }),
  },
  {
    name: 'Lost',
    why: 'an operation that is nowhere was removed, or its record in the history was; another attempt makes it good',
    holds: () => true,
    verdict: (s) =>
      failed({
        code: 'ApiConflict',
        message: `${s.name} was changed outside kubepkg: nothing is left of the sync that was requested`,
      }),
  },
];

/** Where a release stands, by its Application alone. */
export function interpret(target: ReleaseTarget, application: KubeObject, now: number): ReleaseObservation {
  const facts = readApplication(application);
  const owner = foreignOwner(target, application);
  if (owner !== undefined) return { state: 'foreign', message: `${facts.name} ${owner.message}`, ...owner.package };
  const situation = { ...facts, now };
  const reason = REASONS.find(({ holds }) => holds(situation));
  if (reason === undefined) return { state: 'unknown', message: `${facts.name} cannot be judged` };
  return {
    state: 'present',
    revision: revisionOf(situation),
    token: facts.token,
    digest: facts.digest,
    everDelivered: facts.newest !== undefined && facts.deletedAt === undefined,
    ...reason.verdict(situation),
  };
}

/**
 * The first sync of an attempt has the id after the newest one before it. Whoever syncs the same again changes nothing,
 * and so does not count. An operation that was begun has done something, though it never gets into the history.
 */
function revisionOf(s: Situation): number {
  if (hasSynced(s)) return s.historyBefore + 2;
  if (s.newest !== undefined) return s.newest.id + 1;
  return s.current !== undefined && isOurs(s, s.current) ? FIRST : 0;
}

function foreignOwner(
  target: ReleaseTarget,
  application: KubeObject,
): { readonly message: string; readonly package?: { readonly otherPackage: string } } | undefined {
  const owner = application.metadata.labels?.[LABEL.package];
  if (owner === undefined) return { message: 'was not made by kubepkg' };
  if (owner !== nameLabel(target.package)) {
    return { message: `belongs to package ${owner}`, package: { otherPackage: owner } };
  }
  const { namespace, releaseName } = releaseOf(application);
  if (namespace === target.namespace && releaseName === target.releaseName) return undefined;
  return { message: `is that of release ${namespace}/${releaseName}`, package: { otherPackage: owner } };
}

function isOurs({ token }: ApplicationFacts, operation: Operation): boolean {
  return token !== undefined && operation.token === token;
}

/** Of the attempt, and not begun: an operation that the controller has begun is in progress in the status too. */
function isRequested(s: Situation): boolean {
  const { requested, current } = s;
  if (requested === undefined || !isOurs(s, requested)) return false;
  return current === undefined || !isInProgress(current);
}

/** Whoever else has an operation in progress, or requested. */
function occupant(s: Situation): Operation | undefined {
  if (s.current !== undefined && isInProgress(s.current)) return s.current;
  return s.requested;
}

function isNewer({ newest, historyBefore }: Situation): boolean {
  return newest !== undefined && newest.id > historyBefore;
}

function hasSynced(s: Situation): boolean {
  return isNewer(s) && s.instructed !== undefined && s.newest?.instruction === s.instructed;
}

function failed(failure: NonNullable<PresentRelease['failure']>): Verdict {
  return { delivery: 'failed', message: failure.message, failure };
}

function sayEdited({ name }: Situation): string {
  return `${name} was changed outside kubepkg: its source or destination is another, and not synced`;
}

function sayPaused({ name }: Situation): string {
  return `${name} is paused outside kubepkg by its annotation argocd.argoproj.io/skip-reconcile`;
}

function sayNotTaken({ name, instructedAt }: Situation): string {
  return `${name}: Argo CD's application controller has not taken the operation requested at ${formatSeconds(instructedAt)}: is it running?`;
}
