import { type KubeObject, nameOf, type ObjectRef } from '../api/kube.ts';
import { conditionsOf, generationEvidence } from '../domain/readiness/conditions.ts';
import { countsAt, type Happenings, type Held, stableAt, writtenSince } from '../domain/readiness/newer-than-change.ts';
import { progressing, type Verdict } from '../domain/readiness/verdict.ts';
import type { HealthReport, PodRef } from '../domain/release/component-view.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Witness } from './witness.ts';

/** One thing that a component waits for, judged. */
export interface Finding {
  readonly ref: ObjectRef;
  readonly verdict: Verdict;
  readonly message: string;
  readonly until?: number;
  readonly keptPod?: PodRef | undefined;
}

/** Something that an object says, and that may count only after a while. */
export interface Claim {
  /** Of this claim among all that are made about the release. */
  readonly key: string;
  /** undefined: it is not there. */
  readonly object: KubeObject | undefined;
  /** Type of the condition that it is about; undefined: it is about the object as a whole. */
  readonly condition?: string | undefined;
  readonly inRelease: boolean;
  /** Whether it is newer than what happened is not asked. */
  readonly isOpen?: boolean;
  readonly stableFor?: string | undefined;
}

interface Waiting {
  readonly happenings: Happenings;
  readonly isAwaited: boolean;
  readonly witness: Witness;
  readonly now: number;
}

/** What holds counts only once it is newer than what happened, and has been stable for as long as it has to be. */
export function admit(finding: Finding, claim: Claim, waiting: Waiting): Finding {
  const { witness, now } = waiting;
  const { object } = claim;
  if (finding.verdict.status !== 'ready' || object === undefined) {
    witness.breaks(claim.key, now);
    return finding;
  }
  const doubt = doubtOf({ ...claim, object }, waiting);
  if (doubt === undefined || now >= doubt.until) return finding;
  const message = `${finding.message}, ${doubt.text}`;
  return { ...finding, verdict: progressing(doubt.reason, message), message, until: doubt.until };
}

interface Doubt {
  readonly until: number;
  readonly reason: string;
  readonly text: string;
}

function doubtOf(claim: Claim & { readonly object: KubeObject }, waiting: Waiting): Doubt | undefined {
  const { happenings, isAwaited } = waiting;
  const { object, condition, stableFor } = claim;
  const transition = conditionsOf(object).find(({ type }) => type === condition)?.transition;
  const held = heldOf(claim, waiting);
  if (stableFor !== undefined && isAwaited) {
    const until = stableAt(parseDuration(stableFor) ?? 0, { transition, held }, happenings);
    return { until, reason: 'NotStable', text: `which has to last for ${stableFor} without a break` };
  }
  if (claim.isOpen === true) return undefined;
  const generation = generationEvidence(object, condition).kind === 'none' ? 'none' : 'current';
  const { inRelease } = claim;
  const generationBefore = waiting.witness.generationBefore(object);
  const until = countsAt({ object, generation, transition, inRelease, generationBefore }, happenings, held);
  if (until === undefined) return undefined;
  const isUnnumbered = generation === 'none' && happenings.change !== undefined;
  const source = isUnnumbered ? 'it names no generation' : 'its controller was delivered anew';
  return { until, reason: 'NotObserved', text: `perhaps from before the change: ${source}` };
}

function heldOf({ key, object }: Claim & { readonly object: KubeObject }, { happenings, witness, now }: Waiting): Held {
  const held = witness.holds(key, now);
  const { controllerReadyAt } = happenings;
  if (controllerReadyAt === undefined) return held;
  const writtenAt = witness.firstWrite(key, controllerReadyAt, writtenSince(object, controllerReadyAt));
  return { ...held, writtenAt };
}

export function reportOf(findings: readonly Finding[]): HealthReport {
  const notes = findings.filter(({ verdict }) => verdict.note !== undefined).map(describe);
  const failed = findings.filter(({ verdict }) => verdict.status === 'failed');
  const worst = failed.find(({ verdict }) => verdict.final === true) ?? failed[0];
  if (worst !== undefined) {
    return { status: 'failed', message: describe(worst), notes, final: worst.verdict.final === true };
  }
  const waiting = findings.find(({ verdict }) => verdict.status !== 'ready');
  if (waiting !== undefined) {
    const keptPod = findings.map((finding) => finding.keptPod).find((pod) => pod !== undefined);
    return { status: 'progressing', message: describe(waiting), notes, until: waiting.until, keptPod };
  }
  return { status: 'ready', message: 'every object is ready', notes };
}

function describe({ ref, message }: Finding): string {
  return `${nameOf(ref)}: ${message}`;
}
