import { formatAge } from '../text/age.ts';
import { formatWrappedTable } from '../text/table.ts';
import type { RehearsalCase, RehearsalResult, Scene } from './rehearsal-case.ts';

/** What goes wrong, in a few words. */
export function caseName({ case: { failures }, killedAt }: RehearsalResult): string {
  const said = failures.map(sayFailure);
  const killed =
    killedAt === undefined ? [] : [`operator killed after step ${String(killedAt.number)}: ${killedAt.what}`];
  return [...said, ...killed].join('; ') || 'nothing goes wrong';
}

const FAILURES = {
  'never-ready': 'is never ready',
  crash: 'crashes',
  render: 'does not render',
  hook: 'fails',
} as const;

function sayFailure({ component, kind }: RehearsalCase['failures'][number]): string {
  return `${kind === 'hook' ? 'hook ' : ''}${component} ${FAILURES[kind]}`;
}

/** One line for each upgrade. */
export function matrixLines(results: readonly RehearsalResult[], width: number): readonly string[] {
  const header = ['ENDS', 'TOOK', 'HOOKS RUN', 'CHANGED', 'AS PROMISED', 'WHAT GOES WRONG'];
  return formatWrappedTable(header, results.map(rowOf), width);
}

function rowOf(result: RehearsalResult): readonly string[] {
  const { ending, durationMs, changed, broken } = result;
  const promised = broken.length === 0 ? 'yes' : 'NO';
  const what = [caseName(result), ...withoutEffect(result), ...broken].join('; ');
  return [ending, formatAge(durationMs), hooksText(result), String(changed.length), promised, what];
}

function hooksText({ hookRuns }: RehearsalResult): string {
  return (
    Object.entries(hookRuns)
      .map(([hook, runs]) => `${hook} ${String(runs)}x`)
      .join(', ') || '-'
  );
}

/** What the users of the package see, command by command, as on a terminal. */
export function sceneLines(scenes: readonly Scene[]): readonly string[] {
  return scenes.flatMap(({ command, exitCode, text }) => [
    `$ ${command}`,
    ...text
      .trimEnd()
      .split('\n')
      .filter((line) => line !== ''),
    ...(exitCode === 0 ? [] : [`(exit code ${String(exitCode)})`]),
    '',
  ]);
}

/** How it ended, in words. */
export function endLines(result: RehearsalResult): readonly string[] {
  const { ending, reason, message, durationMs, changed, steps, broken } = result;
  const left = changed.length === 0 ? 'every object is as it was before' : `not as before: ${changed.join(', ')}`;
  return [
    `${caseName(result)}: ${ending} after ${formatAge(durationMs)} (${reason}: ${message})`,
    ...withoutEffect(result),
    `hooks run: ${hooksText(result)}; steps: ${String(steps.length)}; ${left}`,
    ...broken.map((each) => `NOT AS PROMISED: ${each}`),
  ];
}

/** What does not change has nothing that could fail. */
function withoutEffect({ case: { failures }, struck }: RehearsalResult): readonly string[] {
  const idle = failures.filter(({ component }) => !struck.includes(component)).map(({ component }) => component);
  if (idle.length === 0) return [];
  return [`no effect: nothing of ${idle.join(', ')} changes in this upgrade from the version before (--from)`];
}

/** Every boundary at which --kill may strike. */
export function stepLines({ steps }: RehearsalResult): readonly string[] {
  return steps.map(({ number, what }) => `${String(number).padStart(4)}  ${what}`);
}
