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
  | 'redrive'
  | 'retry'
  | 'note'
  | 'mark-ready'
  | 'next'
  | 'rewait';

interface StepRow {
  readonly step: Step;
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
  outOfSync: { step: 'upgrade', why: 'our release differs from what is wanted' },
  inSync: { step: 'accept', why: 'our release is what is wanted already: only its readiness is awaited (P22)' },
  locked: { step: 'unlock', why: 'a delivery was begun by a process that is dead, and its record is still pending' },
  removing: { step: 'uninstall', why: 'an uninstall was begun by a process that is dead' },
  begun: {
    step: 'redrive',
    why: 'recorded as submitted, and the backend knows nothing of it: the process died in between',
  },
  settling: { step: 'wait', why: 'the delivery ended well and its record has not been seen yet' },
  displaced: { step: 'wait', why: 'it was delivered, and then changed or removed by someone else' },
  refused: { step: 'fail', why: 'the delivery ended with a terminal error' },
  backingOff: { step: 'wait', why: 'the delivery ended with a transient error and is retried later' },
  retryable: { step: 'retry', why: 'the delivery ended with an error that may pass: a new attempt' },
  delivered: { step: 'note', why: 'the delivery is complete: its record is noted, readiness is awaited' },
  progressing: { step: 'wait', why: 'delivered, and not ready yet' },
  unhealthy: { step: 'fail', why: 'an object failed for good, or has been failing for longer than the grace period' },
  overdue: { step: 'fail', why: 'not ready at its deadline (P9)' },
  healthy: { step: 'mark-ready', why: 'delivered, and every object and condition is ready' },
  ready: { step: 'next', why: 'ready: the next component may start (P1)' },
  degraded: { step: 'rewait', why: 'it was ready and is no more: waited for again before the next one starts (P1)' },
};
