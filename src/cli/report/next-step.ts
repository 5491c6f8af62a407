import type { ReadyReason } from '../../api/reasons.ts';
import type { Worker } from '../install/operator-alive.ts';
import type { PackageReport } from './package-report.ts';

/** `on`: how what is not held up goes on. */
type Advice = (name: string, on: string) => string;

const correctOrRetry = (name: string): string =>
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
  RequirementsNotMet: (_name, on) => `install what it requires; then it goes on ${on}`,
  Conflict: () => 'remove one of the two packages',
  CRDOwnershipConflict: () => 'remove the CRD from one of the two packages, or remove that package',
  FetchFailed: (_name, on) =>
    `see that the operator can reach the registry, accepts its certificate (--registry-ca-file) and has its credentials; it is tried again ${on}`,
  Degraded: (name) => `see which component is not healthy: kubepkg status ${name}`,
  Suspended: (name) => resume(name),
} satisfies Partial<Record<ReadyReason, Advice>>;

const ONWARD: Readonly<Record<Worker, string>> = {
  operator: 'by itself',
  here: 'when the command is run again',
  nobody: 'once an operator runs',
};

function resume(name: string): string {
  return `to go on: kubepkg resume ${name}`;
}

export interface Situation {
  readonly worker: Worker;
  /** `spec.suspend`, which the status may not tell of yet. */
  readonly suspended: boolean;
}

/** One sentence: what to do about the state that a package is in; undefined when there is nothing to do. */
export function nextStep(report: PackageReport, { worker, suspended }: Situation): string | undefined {
  if (suspended) return resume(report.name);
  return BY_REASON[report.reason]?.(report.name, ONWARD[worker]);
}
