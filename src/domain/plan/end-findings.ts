import type { Package } from '../../api/package.ts';
import type { ReadyReason } from '../../api/reasons.ts';
import { READY_REASONS } from '../../api/reasons.ts';
import type { Severity } from './finding.ts';
import type { ForecastEnd } from './forecast.ts';
import type { PredictedFinding } from './predictions/facts.ts';

/** Nothing is wrong with a package that stops for these: somebody wishes it, or it is going. */
const WISHED: readonly ReadyReason[] = ['Suspended', 'Deleting', 'ReconciliationSucceeded', 'RolledBack'];
/** It does not pass by itself. */
const STANDING: readonly ReadyReason[] = ['Conflict', 'CRDOwnershipConflict', 'InvalidConfiguration'];

const REMEDIES: Partial<Record<ReadyReason, string>> = {
  RequirementsNotMet: 'install what is missing, or add it to the plan',
  Conflict: 'remove one of the packages',
  CRDOwnershipConflict: 'let one of the packages declare the CustomResourceDefinition',
  PackageSourceNotFound: 'give the PackageSource with -f',
  FetchFailed: 'see that the registry answers, and plan again',
  Suspended: 'set spec.suspend to false when it is to go on',
  Degraded: 'see what is wrong: kubepkg status',
  UpgradeFailed: 'change the package, or ask for another attempt: kubepkg retry',
  UpgradeRolledBack: 'change the package, or ask for another attempt: kubepkg retry',
  RollbackFailed: 'change the package, or ask for another attempt: kubepkg retry',
  RolledBack: 'to go on to what is wanted: kubepkg retry',
};

/** What stands against the package, as a finding. */
export function endFinding(pkg: string, end: ForecastEnd): readonly PredictedFinding[] {
  // One that a rollback by request holds is well, and not what is wanted.
  if (end.kind === 'removed' || (end.kind === 'converged' && end.reason !== 'RolledBack')) return [];
  const { reason, message } = end;
  const remedy = REMEDIES[reason] ?? `see why ${READY_REASONS[reason]}`;
  return [
    { code: reason, severity: severityOf(end), subject: `package ${pkg}`, message, remedy: hintFor(end) ?? remedy },
  ];
}

function severityOf({ kind, reason }: ForecastEnd): Severity {
  if ((kind === 'blocked' || kind === 'converged') && WISHED.includes(reason)) return 'info';
  return kind === 'blocked' && !STANDING.includes(reason) ? 'warning' : 'error';
}

function hintFor({ kind }: ForecastEnd): string | undefined {
  if (kind === 'endless') return 'report it';
  return kind === 'invalid' ? 'correct the Package or its PackageSource' : undefined;
}

/** How a package that is left alone is doing, by the operator's newest word; undefined: well, or not known. */
export function restFinding(end: ForecastEnd, { metadata, status }: Package): ForecastEnd | undefined {
  if (end.kind !== 'converged') return undefined;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'False' || ready.observedGeneration !== metadata.generation) return undefined;
  return isReason(ready.reason) ? { kind: 'blocked', reason: ready.reason, message: ready.message } : undefined;
}

function isReason(reason: string): reason is ReadyReason {
  return Object.hasOwn(READY_REASONS, reason);
}
