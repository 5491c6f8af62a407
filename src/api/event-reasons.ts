interface EventKind {
  readonly type: 'Normal' | 'Warning';
  readonly meaning: string;
  /** There is one for each component, so that a large package has many of them in a short time. */
  readonly each?: true;
}

/**
 * Reasons of the Events on a Package, beside the reasons of its `Ready` condition, each of which is told by an Event
 * as well when the condition changes to it.
 */
export const EVENT_REASONS = {
  RevisionCreated: { type: 'Normal', meaning: 'a revision was made for a new desired state' },
  RevisionApplied: { type: 'Normal', meaning: 'every component of a revision is ready' },
  RevisionFailed: { type: 'Warning', meaning: 'a revision failed; the message says whether it is undone' },
  RevisionInterrupted: { type: 'Normal', meaning: 'a newer desired state took over from a revision' },
  RollbackStarted: { type: 'Normal', meaning: 'a revision was made that restores an earlier one' },
  RollbackFinished: { type: 'Normal', meaning: 'an earlier revision runs again' },
  RollbackNotCompleted: { type: 'Warning', meaning: 'a rollback could not be completed' },
  HookStarted: { type: 'Normal', meaning: 'a hook was submitted', each: true },
  HookFinished: { type: 'Normal', meaning: 'a hook is done', each: true },
  HookFailed: { type: 'Warning', meaning: 'a hook failed', each: true },
  ComponentSubmitted: { type: 'Normal', meaning: 'a component was handed to the backend', each: true },
  ComponentRetried: {
    type: 'Normal',
    meaning: 'a component was handed to the backend again, after an error that may pass',
    each: true,
  },
  ComponentReady: { type: 'Normal', meaning: 'a component is ready', each: true },
  ComponentNotReady: {
    type: 'Warning',
    meaning: 'a component that was ready is no more, and is waited for before the next one starts',
    each: true,
  },
  ComponentFailed: { type: 'Warning', meaning: 'a component failed, and its revision with it', each: true },
  ComponentRemoved: { type: 'Normal', meaning: 'a rollback took away what only the failed revision had', each: true },
  ReleaseRemoving: { type: 'Normal', meaning: 'a release is being uninstalled', each: true },
  ReleaseUnlocking: {
    type: 'Normal',
    meaning: 'a release that an interrupted delivery left locked is being unlocked',
    each: true,
  },
  DeliveryStopped: { type: 'Warning', meaning: 'a delivery ran past its deadline and is being stopped', each: true },
  PodReplaced: {
    type: 'Normal',
    meaning: 'in a rollback, a pod that is not ready and that its StatefulSet would keep for ever is deleted',
    each: true,
  },
  RequirementsMet: { type: 'Normal', meaning: 'what the package waited for is there' },
  Resumed: { type: 'Normal', meaning: 'spec.suspend is no longer set' },
  Recovered: { type: 'Normal', meaning: 'what was degraded is healthy again' },
  DeletionBlocked: { type: 'Warning', meaning: 'the removal of the package waits for something named' },
} as const satisfies Record<string, EventKind>;

export type EventReason = keyof typeof EVENT_REASONS;

/** True for a reason that comes once for each component of a package. */
export function isPerComponent(reason: string): boolean {
  const kinds: Readonly<Record<string, EventKind>> = EVENT_REASONS;
  return kinds[reason]?.each === true;
}
