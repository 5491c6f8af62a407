/** Reasons of a Package's `Ready` condition; the words of the Go implementation plus the additions of the design. */
export const READY_REASONS = {
  ReconciliationSucceeded: 'the wanted state is applied and healthy',
  RolledBack: 'a requested rollback runs and is held',
  Progressing: 'a revision is in progress, or about to start',
  PackageSourceNotFound: 'no PackageSource of that name exists',
  VariantNotFound: 'the source has no variant of that name',
  VersionMismatch: "the source's version does not satisfy the Package's constraint",
  VersionNotAvailable: 'no repository offers a version that satisfies the constraint',
  RequirementsNotMet: 'a required package or capability is not there yet; waiting, not an error',
  Conflict: 'the package conflicts with one that is installed',
  CRDOwnershipConflict: 'a CRD of the package belongs to another package',
  InvalidConfiguration: 'the Package or its source cannot be carried out as written',
  FetchFailed: 'a chart or tree could not be fetched; retried',
  UpgradeFailed: 'the last revision failed and was not undone',
  UpgradeRolledBack: 'the last revision failed and the one before it runs again',
  RollbackFailed: 'a requested rollback could not be completed',
  Degraded: 'applied, and no longer healthy',
  Suspended: 'spec.suspend is set: no further step is taken',
  Deleting: 'the package is being removed',
} as const;

export type ReadyReason = keyof typeof READY_REASONS;

/** A retry, or a change of what is wanted, goes on from these; nothing else does (P12). */
export const HELD_REASONS: readonly string[] = [
  'RolledBack',
  'UpgradeRolledBack',
  'UpgradeFailed',
  'RollbackFailed',
] satisfies readonly ReadyReason[];

export const CONDITION_TYPES = ['Ready', 'Available', 'Reconciling', 'Stalled'] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];
