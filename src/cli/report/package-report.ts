import type { Package } from '../../api/package.ts';
import type { ComponentProgress, PackageRevision } from '../../api/package-revision.ts';
import { oneLine } from '../text/sanitize.ts';
import { newestFailure, withExitCode } from './failure-evidence.ts';
import { conditionOf, type PackageState, packageState } from './package-state.ts';

export type ComponentState = 'Pending' | 'Submitted' | 'Ready' | 'Failed';

/** One component of a revision as reports show it. */
export interface ComponentReport {
  readonly name: string;
  readonly hook: boolean;
  readonly state: ComponentState;
  readonly attempt: number;
  readonly startedAt?: string | undefined;
  readonly readyAt?: string | undefined;
  readonly deadline?: string | undefined;
  readonly message: string;
}

/** One package as reports show it: plain data, safe to print. */
export interface PackageReport {
  readonly name: string;
  /** What runs. */
  readonly version: string;
  readonly state: PackageState;
  readonly reason: string;
  readonly message: string;
  readonly revision?: RevisionReport | undefined;
}

export interface RevisionReport {
  readonly number: number;
  readonly version: string;
  readonly phase: string;
  readonly restoredFrom?: number | undefined;
  readonly components: readonly ComponentReport[];
}

/** A package and its revisions as they were read last; without the package there is nothing to tell but its name. */
export function reportOn(
  name: string,
  {
    package: pkg,
    revisions,
  }: { readonly package: Package | undefined; readonly revisions: readonly PackageRevision[] },
): PackageReport {
  if (pkg === undefined) return { name, version: '', state: 'Unknown', reason: '', message: '' };
  const state = packageState(pkg);
  const newest = newestRevision(revisions);
  // What was said of the package as it was before is no news of it as it is.
  const isSaid = state !== 'Unknown';
  return {
    name,
    version: oneLine(pkg.status?.version ?? ''),
    state,
    reason: isSaid ? oneLine(conditionOf(pkg, 'Ready')?.reason ?? '') : '',
    message: isSaid ? messageOf(pkg, revisions) : '',
    revision: newest === undefined ? undefined : revisionReport(newest),
  };
}

function messageOf(pkg: Package, revisions: readonly PackageRevision[]): string {
  const message = oneLine(conditionOf(pkg, 'Ready')?.message ?? '');
  return packageState(pkg) === 'Failed' ? withExitCode(message, newestFailure(revisions)) : message;
}

/** Reason and message; a reason that only repeats the state is left out. */
export function whyText({ state, reason, message }: PackageReport): string {
  return [reason === state ? '' : reason, message].filter((part) => part !== '').join(': ');
}

export function newestRevision(revisions: readonly PackageRevision[]): PackageRevision | undefined {
  return revisions.reduce<PackageRevision | undefined>(
    (newest, one) => (newest === undefined || one.spec.revision > newest.spec.revision ? one : newest),
    undefined,
  );
}

function revisionReport({ spec, status }: PackageRevision): RevisionReport {
  const progress = new Map((status?.components ?? []).map((one) => [one.name, one]));
  const hooks = (status?.hooks ?? []).map((one) => componentReport(one, true));
  const components = (spec.components ?? []).map(({ name }) => componentReport(progress.get(name) ?? { name }, false));
  return {
    number: spec.revision,
    version: spec.version,
    phase: status?.phase ?? 'Pending',
    restoredFrom: spec.restoredFrom === 0 ? undefined : spec.restoredFrom,
    components: [...hooks, ...components],
  };
}

function componentReport(one: ComponentProgress, hook: boolean): ComponentReport {
  return {
    name: one.name,
    hook,
    state: one.state ?? 'Pending',
    attempt: one.attempt ?? 0,
    startedAt: one.startedAt,
    readyAt: one.readyAt,
    deadline: one.deadline,
    message: oneLine(one.message ?? ''),
  };
}
