import type { ReadyReason } from '../../api/reasons.ts';
import type { PackageReport } from './package-report.ts';

type Advice = (name: string) => string;

const correctOrRetry: Advice = (name) =>
  `correct the cause, then install again, or retry as it is: kubepkg retry ${name}`;

const BY_REASON: Readonly<Record<string, Advice>> = {
  UpgradeFailed: correctOrRetry,
  UpgradeRolledBack: (name) => `the version before runs again; ${correctOrRetry(name)}`,
  RollbackFailed: (name) => `see what stands against it: kubepkg status ${name}`,
  InvalidConfiguration: (name) => `correct the Package or its PackageSource ${name}, then install again`,
  VariantNotFound: (name) =>
    `list the variants: kubectl get packagesource ${name} -o jsonpath='{.spec.variants[*].name}'`,
  VersionMismatch: (name) => `give a constraint that the source satisfies: kubepkg install '${name}@VERSION'`,
  VersionNotAvailable: () => 'see what the repositories offer, or widen the constraint',
  PackageSourceNotFound: (name) => `give the source: kubepkg install ${name} -f FILE`,
  RequirementsNotMet: () => 'install what it requires; it goes on by itself then',
  Conflict: () => 'remove one of the two packages',
  CRDOwnershipConflict: () => 'remove the CRD from one of the two packages, or remove that package',
  FetchFailed: () => 'it is retried; see that the registry can be reached and accepts the credentials',
  Degraded: (name) => `see which component is not healthy: kubepkg status ${name}`,
  Suspended: (name) => `to go on: kubepkg resume ${name}`,
} satisfies Partial<Record<ReadyReason, Advice>>;

/** One sentence: what to do about the state that a package is in; undefined when there is nothing to do. */
export function nextStep(report: PackageReport): string | undefined {
  return BY_REASON[report.reason]?.(report.name);
}
