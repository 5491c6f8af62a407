import { earliest } from '../../lib/earliest.ts';
import type { Decision } from './decision.ts';
import { REREAD_MS } from './explain.ts';

/** Pauses between looks at something that is awaited, while nothing new is heard of it. */
const LOOKS_MS: readonly number[] = [1000, 2000, 5000, 10_000, 30_000];
const OBSERVE_MS = 1000;

/** Something goes on that may end without an event: a revision, or the removal of what one left. */
const AWAITED: readonly string[] = [
  'Progressing',
  'Deleting',
  'ReconciliationSucceeded',
  'RolledBack',
  'UpgradeRolledBack',
];

export interface Rest {
  readonly now: number;
  /** Looks since the message last changed. */
  readonly count: number;
  /** Something that is installed could not be read: the word on it is kept, and may be out of date. */
  readonly unread: boolean;
  /** When what is said of something that is installed may come to count, without an event. */
  readonly nextWordAt?: number | undefined;
}

/** Milliseconds until a package is looked at again at the latest; undefined: only an event can change anything. */
export function restMs(
  decision: Exclude<Decision, { kind: 'act' }>,
  { now, count, unread, nextWordAt }: Rest,
): number | undefined {
  if (decision.kind === 'observe') return OBSERVE_MS;
  const until = decision.kind === 'wait' ? earliest(decision.until, nextWordAt) : nextWordAt;
  const due = until === undefined ? undefined : Math.max(0, until - now);
  const unwatched = decision.kind === 'invalid' && decision.unwatched === true ? REREAD_MS : undefined;
  return earliest(lookMs(decision, count, unread), due, unwatched);
}

/** A revision in progress is read anew again and again; what is only degraded, until its cause can be told. */
function lookMs(decision: Decision, count: number, unread: boolean): number | undefined {
  if (unread) return LOOKS_MS[count] ?? REREAD_MS;
  if (decision.kind !== 'wait') return undefined;
  if (decision.besides === true || AWAITED.includes(decision.reason)) return LOOKS_MS[count] ?? REREAD_MS;
  return decision.reason === 'Degraded' ? LOOKS_MS[count] : undefined;
}
