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
}

/** Milliseconds until a package is looked at again at the latest; undefined: only an event can change anything. */
export function restMs(decision: Exclude<Decision, { kind: 'act' }>, { now, count, unread }: Rest): number | undefined {
  if (decision.kind === 'observe') return OBSERVE_MS;
  const look = unread ? (LOOKS_MS[count] ?? REREAD_MS) : lookMs(decision, count);
  if (decision.kind !== 'wait') return unread ? look : undefined;
  const due = decision.until === undefined ? undefined : Math.max(0, decision.until - now);
  return earliest(look, due);
}

/** A revision in progress is read anew again and again; what is only degraded, until its cause can be told. */
function lookMs({ reason }: Decision, count: number): number | undefined {
  if (AWAITED.includes(reason)) return LOOKS_MS[count] ?? REREAD_MS;
  return reason === 'Degraded' ? LOOKS_MS[count] : undefined;
}
