import type { KubeObject } from '../../api/kube.ts';
import { type Facts, factsOf, type FluxRelease } from './facts.ts';
import { failedReasons, waitingReasons } from './reasons.ts';

/** A record of an action that was cut off is settled, for a moment, before the next action. */
const CUT_OFF = 'PendingRelease';

/** helm-controller takes up a change within a second unless it is busy or down. */
export const SILENCE_MS = 30_000;

export const SITUATIONS = [
  'stopped',
  'stopping',
  'paused',
  'stalled',
  'settling',
  'failing',
  'failed',
  'delivered',
  'changed',
  'skipped',
  'waiting',
  'unseen',
  'working',
] as const;

export type Situation = (typeof SITUATIONS)[number];

/**
 * Where the attempt stands that a HelmRelease was written for. A condition's own generation is the newest one at the
 * moment when it was written, whatever was tried, so it never proves anything alone; what does is the generation that
 * a turn ended with, the one that an action was planned for, and the tokens that were handled.
 */
export function situationOf(facts: Facts): Situation {
  if (facts.suspended) return suspendedSituation(facts);
  if (isStalled(facts)) return 'stalled';
  if (hasFailed(facts)) return failedSituation(facts);
  const content = contentOf(facts);
  if (content !== undefined) return content;
  if (isWaiting(facts)) return 'waiting';
  return isSeen(facts) ? 'working' : 'unseen';
}

/**
 * A turn that began before it was told to stop goes on to its end. One that has not said so yet may begin all the same:
 * helm-controller has seen the suspension when a turn has ended with it. What was only made was never told to begin.
 */
function suspendedSituation(facts: Facts): Situation {
  if (!isStopped(facts)) return 'paused';
  if (facts.reconciling?.reason === 'Progressing' && facts.ready?.status !== 'False') return 'working';
  return facts.observed === facts.generation || isUntold(facts) ? 'stopped' : 'stopping';
}

/** helm-controller is at it, or between two writes at the end of a turn: what says so goes before the rest is written. */
function isSeen(facts: Facts): boolean {
  const { reconciling, ready, attempted, generation } = facts;
  if (reconciling !== undefined || isEnded(facts) || isPlanned(facts)) return true;
  return attempted !== generation && ready?.generation === generation;
}

function isStopped({ stamps }: Facts): boolean {
  return stamps.stopped !== undefined && stamps.stopped === stamps.attempt;
}

/** Once is enough, whether or not helm-controller has seen it. */
export function isToldToStop(facts: Facts): boolean {
  return facts.suspended && isStopped(facts);
}

/** It was only made, by a process that died then or that found something in the way: Flux was never told to do anything. */
export function isUninstructed(object: KubeObject): boolean {
  const facts = factsOf(object);
  return isToldToStop(facts) && isUntold(facts) && facts.history.length === 0;
}

function isUntold({ stamps }: Facts): boolean {
  return stamps.specDigest === undefined;
}

/**
 * A turn that began after the attempt was written has ended; where there is no attempt, any turn will do. Somebody else
 * may have asked for a turn since, which hides whether the attempt's own request was handled: then a release newer than
 * the attempt is the proof.
 */
function isHandled({ requestedAt, handledAt, stamps, history }: Facts): boolean {
  if (stamps.attempt === undefined || (requestedAt !== undefined && requestedAt === handledAt)) return true;
  return requestedAt !== stamps.attempt && isNewer(history[0], stamps);
}

/** Whatever it delivers, it was made since the attempt was written. */
function isNewer(release: FluxRelease | undefined, { former }: Facts['stamps']): boolean {
  return former !== undefined && release?.digest !== former;
}

/** Such a turn ended for good with this very spec. */
function isEnded(facts: Facts): boolean {
  return facts.observed === facts.generation && isHandled(facts);
}

function isStalled(facts: Facts): boolean {
  return isEnded(facts) && facts.stalled?.status === 'True';
}

/** An action for this attempt was planned. A further attempt with the same spec is known by its counters alone. */
function isPlanned({ attempted, generation, resetAt, handledResetAt }: Facts): boolean {
  return attempted === generation && (resetAt === undefined || resetAt === handledResetAt);
}

/**
 * An action for this attempt has failed. The counters are set back when the first one is planned, while `Released`
 * keeps the failure of the former attempt until the end of the next action.
 */
function hasFailed(facts: Facts): boolean {
  const { failures, released } = facts;
  return isPlanned(facts) && failures > 0 && released?.status === 'False' && failedReasons.has(released.reason);
}

/** What left a release record behind is settled in the same turn; what did not is tried again for ever. */
function failedSituation({ reconciling, recordedFailures }: Facts): Situation {
  if (reconciling === undefined) return 'failed';
  return recordedFailures > 0 && reconciling.reason === 'Progressing' ? 'settling' : 'failing';
}

/** What runs, once it is certain that this spec was carried out. */
function contentOf(facts: Facts): 'delivered' | 'changed' | 'skipped' | undefined {
  const newest = carriedOut(facts);
  return newest === undefined ? undefined : judgeRelease(newest, facts);
}

function judgeRelease(newest: FluxRelease, facts: Facts): ReturnType<typeof contentOf> {
  const isOurs = isWantedChart(newest, facts) && isWantedConfig(newest, facts);
  const { ready, generation } = facts;
  if (ready?.status !== 'True') return isOurs ? judgeUnready(newest, facts) : undefined;
  if (ready.generation !== generation) return undefined;
  if (!isOurs) return 'changed';
  return isSkipped(newest, facts) ? 'skipped' : 'delivered';
}

/** What the conditions say is of an earlier turn, or of a later one that waits. */
function judgeUnready(newest: FluxRelease, facts: Facts): 'delivered' | 'skipped' | undefined {
  if (isKnownDelivered(newest, facts)) return 'delivered';
  const tellsOfFailure = failedReasons.has(facts.ready?.reason ?? '') && facts.reconciling === undefined;
  return tellsOfFailure && isSkipped(newest, facts) ? 'skipped' : undefined;
}

/**
 * Every attempt asks for a release of its own. A turn that has to wait for the chart uses that request up, and the next
 * one sees the version and the values that it knows.
 */
function isSkipped(newest: FluxRelease, { forceAt, stamps }: Facts): boolean {
  return forceAt !== undefined && forceAt === stamps.attempt && !isNewer(newest, stamps);
}

/** The newest release, where it runs and is what was planned for this spec by a turn that ended since. */
function carriedOut(facts: Facts): FluxRelease | undefined {
  const { generation, attempted, history } = facts;
  if (!isEnded(facts) || attempted !== generation || isActing(facts)) return undefined;
  const newest = history[0];
  return newest?.status === 'deployed' && isAsPlanned(newest, facts) ? newest : undefined;
}

function isAsPlanned({ configDigest, chartVersion }: FluxRelease, { planned }: Facts): boolean {
  return configDigest === planned.configDigest && chartVersion === planned.revision;
}

/**
 * A later turn that waits, for a source that was lost or the like, takes nothing away from what was delivered; one that
 * was cut off does.
 */
function isKnownDelivered(newest: FluxRelease, { released, ready, stamps }: Facts): boolean {
  const wasCutOff = ready?.status !== 'False' || ready.reason === CUT_OFF;
  return released?.status === 'True' && !wasCutOff && isNewer(newest, stamps);
}

/** An action runs, or what became of it is not all written yet. Any turn begins by saying that it fulfils prerequisites. */
function isActing({ reconciling }: Facts): boolean {
  return reconciling?.message.startsWith('Running ') === true;
}

/** Flux adds the first digits of the manifest's digest to the version, in place of build metadata. */
function isWantedChart({ chartVersion, ociDigest }: FluxRelease, { stamps, isSpecOurs }: Facts): boolean {
  const [version, manifestDigest] = (stamps.chart ?? '').split('@');
  if (manifestDigest === undefined) return chartVersion === version;
  if (withoutBuild(chartVersion) !== withoutBuild(version)) return false;
  // Whoever switched off that Flux tracks digests has the spec alone, which pins it.
  return ociDigest === manifestDigest || (ociDigest === undefined && isSpecOurs);
}

/**
 * The digest that was foretold; or whatever digest Flux gave to the values of the very spec that was written, which
 * names its Secret by content: should another Flux write values otherwise, nothing waits in vain.
 */
function isWantedConfig({ configDigest }: FluxRelease, { stamps, isSpecOurs }: Facts): boolean {
  return isSpecOurs || (stamps.configDigest !== undefined && configDigest === stamps.configDigest);
}

function withoutBuild(version = ''): string {
  return version.replace(/\+.*$/, '');
}

function isWaiting({ ready, generation, reconciling }: Facts): boolean {
  if (ready?.status !== 'False' || reconciling === undefined) return false;
  return ready.generation === generation && waitingReasons.has(ready.reason);
}
