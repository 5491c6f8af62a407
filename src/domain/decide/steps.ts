import type { ComponentState } from '../release/classify-component.ts';

export type Step =
  | 'fail'
  | 'wait'
  | 'stop'
  | 'install'
  | 'upgrade'
  | 'accept'
  | 'unlock'
  | 'uninstall'
  | 'move'
  | 'redrive'
  | 'retry'
  | 'note'
  | 'mark-ready'
  | 'next'
  | 'rewait';

interface StepRow {
  readonly step: Step;
  /** While a rollback restores releases, newest change first, only their delivery counts: what it does instead. */
  readonly restore?: 'pass' | 'accept' | 'note';
  /** What the state means and why the step is right; the reference page is made from these rows. */
  readonly why: string;
}

/** The one table from a component's state to what is done about it. */
export const STEPS: Readonly<Record<ComponentState, StepRow>> = {
  failed: { step: 'fail', why: 'it failed at this revision; the revision fails with it' },
  executing: { step: 'wait', why: 'its delivery is running in this process' },
  overrunning: { step: 'stop', why: 'its delivery is running past the deadline and is stopped' },
  unknown: { step: 'wait', why: 'its release or objects have not been read yet' },
  foreign: { step: 'fail', why: 'a release of that name belongs to someone else (P21)' },
  absent: { step: 'install', why: 'there is no release of that name' },
  misplaced: { step: 'move', why: 'our release of it is still in its former place: that one goes first' },
  leftover: { step: 'uninstall', why: 'a release that a former attempt of this hook left; a hook runs afresh (P16)' },
  outOfSync: { step: 'upgrade', why: 'our release differs from what is wanted' },
  inSync: {
    restore: 'accept',
    step: 'accept',
    why: 'our release is what is wanted already: only its readiness is awaited (P22)',
  },
  locked: { step: 'unlock', why: 'a delivery was begun by a process that is dead, and its record is still pending' },
  removing: { step: 'uninstall', why: 'an uninstall was begun by a process that is dead' },
  draining: { step: 'wait', why: 'it was uninstalled, and some of its objects are not gone yet' },
  begun: {
    step: 'redrive',
    why: 'recorded as submitted, and the backend knows nothing of it: the process died in between',
  },
  settling: { step: 'wait', why: 'the delivery ended well and its record has not been seen yet' },
  displaced: { step: 'wait', why: 'it was delivered, and then changed or removed by someone else' },
  refused: { step: 'fail', why: 'the delivery ended with a terminal error' },
  backingOff: { step: 'wait', why: 'the delivery ended with a transient error and is retried later' },
  retryable: { step: 'retry', why: 'the delivery ended with an error that may pass: a new attempt' },
  unprovable: {
    step: 'fail',
    why: 'the delivery of a hook was cut off, or its release removed by someone else, and whether its Job ran cannot be known: it is not run twice (P16)',
  },
  delivered: {
    restore: 'note',
    step: 'note',
    why: 'the delivery is complete: its record is noted, readiness is awaited',
  },
  progressing: { restore: 'pass', step: 'wait', why: 'delivered, and not ready yet' },
  unhealthy: {
    restore: 'pass',
    step: 'fail',
    why: 'an object failed for good, or has been failing for longer than the grace period',
  },
  overdue: { step: 'fail', why: 'not ready at its deadline (P9)' },
  healthy: { restore: 'pass', step: 'mark-ready', why: 'delivered, and every object and condition is ready' },
  ready: { restore: 'pass', step: 'next', why: 'ready: the next component may start (P1)' },
  degraded: {
    restore: 'pass',
    step: 'rewait',
    why: 'it was ready and is no more: waited for again before the next one starts (P1)',
  },
};
