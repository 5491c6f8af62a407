import type { Condition } from '../../api/kube.ts';
import type { Package } from '../../api/package.ts';
import type { ReadyReason } from '../../api/reasons.ts';

/** What a person wants to know of a package at a glance: waiting is no failure. */
export type PackageState = 'Ready' | 'Progressing' | 'Waiting' | 'Failed' | 'Unknown';

const BY_REASON: Readonly<Record<string, PackageState>> = {
  ReconciliationSucceeded: 'Ready',
  RolledBack: 'Ready',
  Progressing: 'Progressing',
  Deleting: 'Progressing',
  RequirementsNotMet: 'Waiting',
  Suspended: 'Waiting',
  FetchFailed: 'Waiting',
  VersionNotAvailable: 'Waiting',
  PackageSourceNotFound: 'Waiting',
  VariantNotFound: 'Failed',
  VersionMismatch: 'Failed',
  Conflict: 'Failed',
  CRDOwnershipConflict: 'Failed',
  InvalidConfiguration: 'Failed',
  UpgradeFailed: 'Failed',
  UpgradeRolledBack: 'Failed',
  RollbackFailed: 'Failed',
  Degraded: 'Failed',
} satisfies Record<ReadyReason, PackageState>;

/** Reasons that an edit of the Package or its source resolves. */
const CONFIGURATION_REASONS: ReadonlySet<string> = new Set<ReadyReason>([
  'PackageSourceNotFound',
  'VariantNotFound',
  'VersionMismatch',
  'VersionNotAvailable',
  'Conflict',
  'CRDOwnershipConflict',
  'InvalidConfiguration',
]);

export function conditionOf(pkg: Package, type: string): Condition | undefined {
  return pkg.status?.conditions?.find((condition) => condition.type === type);
}

export function isConfigurationReason(reason: string): boolean {
  return CONFIGURATION_REASONS.has(reason);
}

export function packageState(pkg: Package): PackageState {
  const ready = conditionOf(pkg, 'Ready');
  if (ready === undefined || isAboutFormer(pkg, ready)) return 'Unknown';
  if (ready.status === 'True') return 'Ready';
  if (conditionOf(pkg, 'Stalled')?.status === 'True') return 'Failed';
  return BY_REASON[ready.reason] ?? 'Progressing';
}

/** The operator has not looked at the Package as it is now. */
function isAboutFormer({ metadata }: Package, { observedGeneration }: Condition): boolean {
  return observedGeneration !== undefined && observedGeneration < (metadata.generation ?? 0);
}
