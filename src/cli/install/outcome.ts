import { OPERATOR_LEASE } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import { formatDuration } from '../../lib/duration.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { nextStep } from '../report/next-step.ts';
import { isConfigurationReason } from '../report/package-state.ts';
import { whyText } from '../report/package-report.ts';
import type { AwaitedPackage, AwaitResult } from '../watch/await-packages.ts';
import type { Problem } from '../watch/verdict.ts';
import { START_OPERATOR, type Worker } from './operator-alive.ts';

/** How a wait ended, in words: what stands for itself, what went wrong, and what to do about it. */
export interface Outcome {
  readonly exitCode: ExitCode;
  readonly results: readonly string[];
  readonly problems: readonly Problem[];
}

/** What is awaited, where it is not that packages are ready. */
export interface Goal {
  /** `ready`, as in “package shop is not ready”. */
  readonly state: string;
  /** Said of one that has reached it. */
  readonly reached: (awaited: AwaitedPackage) => string;
  /** Why one that is well is not what was asked for all the same. */
  readonly unmet?: (awaited: AwaitedPackage) => Problem | undefined;
}

const READY: Goal = { state: 'ready', reached: readyLine };

/** A package that a rollback by request holds is ready, and not at what an install asks for. */
export const INSTALLED: Goal = { ...READY, unmet: held };

export interface Wait {
  readonly waitMs: number;
  readonly goal?: Goal | undefined;
  /** As it is at the end. */
  readonly worker: Worker;
}

export function outcomeOf({ end, packages }: AwaitResult, { waitMs, goal = READY, worker }: Wait): Outcome {
  const well = packages.filter(({ verdict }) => verdict === 'ready');
  const unmet = well.flatMap((one) => goal.unmet?.(one) ?? []);
  const ready = well.filter((one) => goal.unmet?.(one) === undefined);
  const failed = packages.filter(({ verdict }) => verdict === 'failed' || verdict === 'gone');
  const open = packages.filter(({ verdict }) => verdict === 'pending' || verdict === 'waiting');
  const problems = [
    ...unmet,
    ...failed.map((one) => failure(one, worker)),
    ...open.map((one) => unfinished(one, { end, waitMs, worker, state: goal.state })),
  ];
  return {
    exitCode: exitCode(end, failed, open.length + unmet.length),
    results: ready.map((one) => goal.reached(one)),
    problems,
  };
}

function exitCode(end: AwaitResult['end'], failed: readonly AwaitedPackage[], unreached: number): ExitCode {
  if (end === 'interrupted') return EXIT.interrupted;
  const [first] = failed;
  if (first !== undefined) return isConfigurationReason(first.report.reason) ? EXIT.configuration : EXIT.failed;
  return unreached > 0 ? EXIT.notReady : EXIT.ok;
}

function readyLine({ report }: AwaitedPackage): string {
  const { name, version, revision, reason } = report;
  const where = revision === undefined ? '' : ` (revision ${String(revision.number)})`;
  const rolledBack = reason === 'RolledBack' ? ', rolled back as requested' : '';
  return `${[name, version].filter((part) => part !== '').join(' ')} is ready${where}${rolledBack}`;
}

function held({ report: { name, version, reason } }: AwaitedPackage): Problem | undefined {
  if (reason !== 'RolledBack') return undefined;
  return {
    error: `package ${name} is held at ${version}, to which it was rolled back as requested: what is asked for is not applied`,
    hint: `to go on to it: kubepkg retry ${name}`,
  };
}

function failure({ verdict, report, problem, package: pkg }: AwaitedPackage, worker: Worker): Problem {
  if (problem !== undefined) return problem;
  if (verdict === 'gone') return { error: `package ${report.name} was deleted meanwhile`, hint: 'install it again' };
  const hint = nextStep(report, { worker, suspended: isSuspended(pkg) });
  return { error: `package ${report.name}: ${whyText(report)}`, hint };
}

interface Ending {
  readonly end: AwaitResult['end'];
  readonly waitMs: number;
  readonly worker: Worker;
  /** That it has not reached. */
  readonly state: string;
}

function unfinished(awaited: AwaitedPackage, { end, waitMs, worker, state }: Ending): Problem {
  const { name, report } = awaited;
  const isUnseen = report.state === 'Unknown';
  const where = isUnseen ? 'the operator has not looked at it yet' : whyText(report);
  const hint = onward(awaited, worker);
  if (end === 'interrupted') return { error: `package ${name} is not ${state} yet: ${where}`, hint };
  if (end === 'settled') return { error: `package ${name} still waits: ${where}`, hint };
  const error = `package ${name} is not ${state} after ${formatDuration(waitMs)}: ${where}`;
  const unseen = `see that the operator runs: kubectl get leases -A --field-selector metadata.name=${OPERATOR_LEASE}`;
  return { error, hint: isUnseen && worker === 'operator' ? unseen : hint };
}

/** What becomes of it now that nobody waits any longer. */
function onward({ name, package: pkg }: AwaitedPackage, worker: Worker): string {
  if (isSuspended(pkg))
    return `nothing is undone, and nothing more is done while it is suspended: kubepkg resume ${name}`;
  if (worker === 'nobody') return `nothing is undone, and nothing more is done without an operator; ${START_OPERATOR}`;
  if (worker === 'here') return 'nothing is undone; run the same command again to go on';
  return `nothing is undone, the operator goes on by itself; follow it: kubepkg watch ${name}`;
}

function isSuspended(pkg: Package | undefined): boolean {
  return pkg?.spec.suspend === true;
}
