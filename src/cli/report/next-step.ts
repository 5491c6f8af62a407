import type { ReadyReason } from '../../api/reasons.ts';
import type { Worker } from '../install/operator-alive.ts';
import type { PackageReport } from './package-report.ts';

interface Place {
  /** How what is not held up goes on. */
  readonly on: string;
  /** All that `kubepkg status` says stands just there. */
  readonly shown: boolean;
}

type Advice = (name: string, place: Place) => string;

const correctOrRetry = (name: string, { shown }: Place): string => {
  const remedy = `correct the cause, then install again, or retry as it is: kubepkg retry ${name}`;
  return shown ? remedy : `see why: kubepkg status ${name}, kubepkg logs ${name} --failed; ${remedy}`;
};

const lookInto = (what: string, name: string, { shown }: Place): string =>
  `see ${what}: ${shown ? `kubepkg events ${name}, kubepkg logs ${name}` : `kubepkg status ${name}`}`;

const BY_REASON: Readonly<Record<string, Advice>> = {
  UpgradeFailed: correctOrRetry,
  UpgradeRolledBack: (name, place) => `the version before runs again; ${correctOrRetry(name, place)}`,
  RollbackFailed: (name, place) => lookInto('what stands against it', name, place),
  InvalidConfiguration: (name) => `correct the Package or its PackageSource ${name}, then install again`,
  VariantNotFound: (name) =>
    `list the variants: kubectl get packagesource ${name} -o jsonpath='{.spec.variants[*].name}'`,
  VersionMismatch: (name) => `give a constraint that the source satisfies: kubepkg install '${name}@VERSION'`,
  VersionNotAvailable: () => 'see what the repositories offer, or widen the constraint',
  PackageSourceNotFound: (name) => `give the source: kubepkg install ${name} -f FILE`,
  RequirementsNotMet: (_name, { on }) => `install what it requires; then it goes on ${on}`,
  Conflict: () => 'remove one of the two packages',
  CRDOwnershipConflict: () => 'remove the CRD from one of the two packages, or remove that package',
  FetchFailed: (_name, { on }) =>
    `see that the operator can reach the registry, accepts its certificate (--registry-ca-file) and has its credentials; it is tried again ${on}`,
  Degraded: (name, place) => lookInto('why it is not healthy', name, place),
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
  /** It is said below all that `kubepkg status` tells. */
  readonly shown?: boolean;
}

/** One sentence: what to do about the state that a package is in; undefined when there is nothing to do. */
export function nextStep(report: PackageReport, { worker, suspended, shown = false }: Situation): string | undefined {
  if (suspended) return resume(report.name);
  return BY_REASON[report.reason]?.(report.name, { on: ONWARD[worker], shown });
}
