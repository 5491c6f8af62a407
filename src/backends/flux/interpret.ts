import { parseTime } from '../../lib/time.ts';
import type { PresentRelease, ReleaseTarget } from '../../ports/backend.ts';
import type { Facts } from './facts.ts';
import { type Failure, failureOf } from './failure.ts';
import { REASONS } from './reasons.ts';
import { SILENCE_MS, type Situation, situationOf } from './situation.ts';

const MAX_LENGTH = 600;
const COMPLETED: readonly string[] = ['deployed', 'superseded'];
/** Whatever was delivered, it is not what the stamps say. */
const UNKNOWN_CONTENT = { token: undefined, digest: undefined };

interface VerdictRow {
  readonly delivery: PresentRelease['delivery'];
  /** helm-controller tries on by itself. */
  readonly goesOn?: true;
  readonly why: string;
}

/** What each situation means; the one table from a HelmRelease's status to the state of the release. */
export const VERDICTS: Readonly<Record<Situation, VerdictRow>> = {
  stopped: { delivery: 'failed', why: 'kubepkg stopped it by suspending it: nothing is begun any more' },
  stopping: { delivery: 'underway', why: 'kubepkg suspended it, and helm-controller may not have seen that' },
  paused: { delivery: 'underway', why: 'somebody suspended it: nothing happens until it is resumed (F03)' },
  stalled: { delivery: 'failed', why: 'a turn that began after it was written gave it up for good' },
  settling: { delivery: 'underway', why: 'an action failed, and helm-controller gives up or undoes it in this turn' },
  failing: {
    delivery: 'failed',
    goesOn: true,
    why: 'an action failed before it left a record: it is tried again without end and never stalls (R5)',
  },
  failed: { delivery: 'failed', why: 'an action failed, and no further one is due' },
  delivered: {
    delivery: 'delivered',
    why: 'the newest release is deployed and is what was written, by a turn begun since',
  },
  skipped: {
    delivery: 'failed',
    why: 'the turn that took the request had to wait for the chart, and the next one saw nothing to do: it is asked again',
  },
  changed: { delivery: 'delivered', why: 'somebody edited it, and Flux delivered that: it is not what was written' },
  waiting: {
    delivery: 'underway',
    why: 'something that it needs is not there yet; no failure however long it takes (R5)',
  },
  unseen: {
    delivery: 'underway',
    why: 'helm-controller has not taken it up; what the status says is about what was before',
  },
  working: { delivery: 'underway', why: 'helm-controller is at work on it, or between two of the writes of one turn' },
};

const SAYINGS: Readonly<Record<Situation, (facts: Facts, now: number) => string>> = {
  stopped: ({ name }) => `${name} was stopped`,
  stopping: (facts, now) => `${sayBefore(facts, now)}; it is suspended to stop it, which was not seen yet`,
  paused: ({ name }) => `paused outside kubepkg: ${name} is suspended`,
  stalled: ({ name }) => `${name} has failed`,
  settling: ({ name }) => `an action of ${name} failed, and helm-controller is not done with it`,
  failing: ({ name }) => `${name} fails, and is tried again`,
  failed: ({ name }) => `${name} has failed`,
  delivered: sayDelivered,
  changed: sayChanged,
  skipped: ({ name }) =>
    `helm-controller took the request for ${name} before the chart was there, and delivered nothing`,
  waiting: sayWaiting,
  unseen: sayUnseen,
  // Between two tries it repeats why the last one failed, which may have been another attempt's.
  working: ({ name, reconciling }) =>
    reconciling?.reason === 'Progressing'
      ? `helm-controller is at work on ${name}: ${reconciling.message}`
      : `helm-controller is at work on ${name}`,
};

export interface InterpretContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The values that the HelmRelease refers to, so that no message shows any of them; absent: they cannot be read. */
  readonly values?: { readonly known: unknown } | undefined;
}

/** A HelmRelease of ours that is not being removed. */
export function interpret(facts: Facts, target: ReleaseTarget, context: InterpretContext): PresentRelease {
  const situation = situationOf(facts);
  const { delivery, goesOn } = VERDICTS[situation];
  const explain = EXPLANATIONS[situation] ?? explainFailure;
  const failure = delivery === 'failed' ? explain(facts, target, context) : undefined;
  return {
    state: 'present',
    revision: facts.history[0]?.version ?? 0,
    ...(situation === 'changed' ? UNKNOWN_CONTENT : { token: facts.stamps.attempt, digest: facts.stamps.digest }),
    delivery,
    ...(failure === undefined ? {} : { failure }),
    ...(goesOn === undefined ? {} : { goesOn }),
    everDelivered: facts.history.some(({ status }) => COMPLETED.includes(status)),
    message: failure?.message ?? SAYINGS[situation](facts, context.now),
    ...noteOn(situation, facts),
  };
}

/** Its words may quote values. */
export function isAboutFailure(facts: Facts): boolean {
  return VERDICTS[situationOf(facts)].delivery === 'failed';
}

function explainFailure(facts: Facts, target: ReleaseTarget, { values }: InterpretContext): Failure {
  return failureOf(facts, target, values);
}

function skippedFailure(facts: Facts, _target: ReleaseTarget, { now }: InterpretContext): Failure {
  return { code: 'ApiConflict', message: SAYINGS.skipped(facts, now) };
}

function stoppedFailure(facts: Facts, target: ReleaseTarget, { now, values }: InterpretContext): Failure {
  if (VERDICTS[situationOf(beforeStop(facts))].delivery === 'failed') return failureOf(facts, target, values);
  return { code: 'HelmKilled', message: `${facts.name} was stopped: ${sayBefore(facts, now)}` };
}

/** What was known of it at the moment when it was suspended, which made the generation after its own. */
function beforeStop(facts: Facts): Facts {
  return { ...facts, suspended: false, generation: facts.generation - 1 };
}

function sayBefore(facts: Facts, now: number): string {
  const before = beforeStop(facts);
  return SAYINGS[situationOf(before)](before, now);
}

/** Of failures that no condition tells of. */
const EXPLANATIONS: Readonly<Partial<Record<Situation, typeof explainFailure>>> = {
  stopped: stoppedFailure,
  skipped: skippedFailure,
};

function sayDelivered(facts: Facts): string {
  const said = `release revision ${String(facts.history[0]?.version)} is deployed`;
  return isEdited(facts) ? `${said}; ${sayEdited(facts)}` : said;
}

function noteOn(situation: Situation, facts: Facts): Pick<PresentRelease, 'note'> {
  return situation === 'delivered' && isEdited(facts) ? { note: sayEdited(facts) } : {};
}

/** Somebody wrote something else, which came to the same. */
function isEdited({ isSpecOurs, stamps }: Facts): boolean {
  return !isSpecOurs && stamps.specDigest !== undefined;
}

function sayEdited({ name }: Facts): string {
  return `${name} was edited outside kubepkg`;
}

function sayChanged({ name, history, stamps }: Facts): string {
  const revision = `release revision ${String(history[0]?.version)}`;
  if (stamps.attempt === undefined) return `${revision} is deployed, and ${name} names no attempt that it is of`;
  return `${name} was changed outside kubepkg: ${revision} is not what was delivered`;
}

function sayWaiting({ name, ready }: Facts): string {
  const { reason = '', message = '' } = ready ?? {};
  return sayWaitsFor(name, REASONS[reason]?.speaks === true ? message : reason);
}

export function sayWaitsFor(name: string, cause: string): string {
  return `${name} waits: ${cut(cause)}`;
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

function sayUnseen(facts: Facts, now: number): string {
  return unseenSince(facts, now) ?? `helm-controller has not looked at ${facts.name} yet`;
}

/** What to say of a silence that is too long; the time is noted when it is written, so it is the same each time. */
export function unseenSince({ name, stamps }: Facts, now: number): string | undefined {
  const since = stamps.instructedAt ?? '';
  if (!(now - parseTime(since) >= SILENCE_MS)) return undefined;
  return `helm-controller has not looked at ${name} since ${since}: is it running?`;
}
