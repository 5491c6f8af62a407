import { OPERATOR_LEASE, OPERATOR_NAMESPACE } from '../../api/names.ts';
import { formatDuration } from '../../lib/duration.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { nextStep } from '../report/next-step.ts';
import { isConfigurationReason } from '../report/package-state.ts';
import { whyText } from '../report/package-report.ts';
import type { AwaitedPackage, AwaitResult } from '../watch/await-packages.ts';

/** How a wait ended, in words: what stands for itself, what went wrong, and what to do about it. */
export interface Outcome {
  readonly exitCode: ExitCode;
  readonly results: readonly string[];
  readonly problems: readonly Problem[];
}

export interface Problem {
  readonly error: string;
  readonly hint?: string | undefined;
}

/** What is awaited, where it is not that packages are ready. */
export interface Goal {
  /** `ready`, as in “package shop is not ready”. */
  readonly state: string;
  /** Said of one that has reached it. */
  readonly reached: (awaited: AwaitedPackage) => string;
}

const READY: Goal = { state: 'ready', reached: readyLine };

export function outcomeOf({ end, packages }: AwaitResult, waitMs: number, goal: Goal = READY): Outcome {
  const ready = packages.filter(({ verdict }) => verdict === 'ready');
  const failed = packages.filter(({ verdict }) => verdict === 'failed' || verdict === 'gone');
  const open = packages.filter(({ verdict }) => verdict === 'pending' || verdict === 'waiting');
  const problems = [...failed.map(failure), ...open.map((one) => unfinished(one, end, { waitMs, goal }))];
  return { exitCode: exitCode(end, failed, open), results: ready.map((one) => goal.reached(one)), problems };
}

function exitCode(
  end: AwaitResult['end'],
  failed: readonly AwaitedPackage[],
  open: readonly AwaitedPackage[],
): ExitCode {
  if (end === 'interrupted') return EXIT.interrupted;
  const [first] = failed;
  if (first !== undefined) return isConfigurationReason(first.report.reason) ? EXIT.configuration : EXIT.failed;
  return open.length > 0 ? EXIT.notReady : EXIT.ok;
}

function readyLine({ report }: AwaitedPackage): string {
  const { name, version, revision, reason } = report;
  const where = revision === undefined ? '' : ` (revision ${String(revision.number)})`;
  const rolledBack = reason === 'RolledBack' ? ', rolled back as requested' : '';
  return `${[name, version].filter((part) => part !== '').join(' ')} is ready${where}${rolledBack}`;
}

function failure({ verdict, report }: AwaitedPackage): Problem {
  if (verdict === 'gone') return { error: `package ${report.name} was deleted meanwhile`, hint: 'install it again' };
  return { error: `package ${report.name}: ${whyText(report)}`, hint: nextStep(report) };
}

interface Wait {
  readonly waitMs: number;
  readonly goal: Goal;
}

function unfinished({ report }: AwaitedPackage, end: AwaitResult['end'], { waitMs, goal }: Wait): Problem {
  const { name, state } = report;
  const where = state === 'Unknown' ? 'the operator has not looked at it yet' : whyText(report);
  const hint = `nothing is undone, the operator goes on by itself; follow it: kubepkg watch ${name}`;
  if (end === 'interrupted') return { error: `package ${name} is not ${goal.state} yet: ${where}`, hint };
  if (end === 'settled') return { error: `package ${name} still waits: ${where}`, hint };
  const unseen = `see that the operator runs: kubectl -n ${OPERATOR_NAMESPACE} get lease ${OPERATOR_LEASE}`;
  return {
    error: `package ${name} is not ${goal.state} after ${formatDuration(waitMs)}: ${where}`,
    hint: state === 'Unknown' ? unseen : hint,
  };
}
