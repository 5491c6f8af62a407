import { ERROR_CODES, type ErrorCode } from '../src/api/errors.ts';
import { READY_REASONS, type ReadyReason } from '../src/api/reasons.ts';
import { FAILURES } from './generate-failures.ts';
import { code, page, prose, table } from './generate-reference.ts';
import { OF_ERRORS, OF_FAILURES, OF_REASONS } from './troubleshooting-advice.ts';

const START = `Begin with \`kubepkg status NAME\`: its first line says how the package is and why, the lines below lead to the object and the pod, and a line that begins with \`hint:\` says what to do. Then

    kubepkg logs NAME --failed
    kubepkg events NAME
    kubepkg history NAME
    kubepkg diff NAME --live
    kubepkg plan NAME

show what containers wrote (also of those that were undone), what happened in which order, which revisions there were, what somebody has changed by hand, and what would be done next. \`kubepkg list\` tells apart what waits from what has failed.`;

/** What to do about whatever the program says: no reason, code or line of the status is left out. */
export function troubleshootingPage(): string {
  return page(
    'Troubleshooting',
    START,
    '## What the status says of an object',
    'The line has names of yours in the place of these. [Every line in full](../reference/failures.md).',
    ...FAILURES.flatMap(({ title, failures }) => [
      `### ${title}`,
      table(
        ['The line has', 'What is wrong', 'Look at', 'Do'],
        failures.map(({ what, cause }) => [code(cause), prose(what), ...(OF_FAILURES[what] ?? []).map(prose)]),
      ),
    ]),
    '## Why a package is not ready',
    'The reason stands in the first line of `kubepkg status`, in `kubepkg list`, and in the `Ready` condition of the Package.',
    table(
      ['Reason', 'Meaning', 'Look at', 'Do'],
      (Object.keys(READY_REASONS) as ReadyReason[]).map((reason) => [
        code(reason),
        prose(READY_REASONS[reason]),
        ...OF_REASONS[reason].map(prose),
      ]),
    ),
    '## Errors',
    'What a command that fails says as `error: …`. The code stands in plans, in findings of `kubepkg validate -o json` and in the log of the operator. Errors of class transient are tried again by the operator ([all classes](../reference/errors.md)).',
    table(
      ['Code', 'Meaning', 'Look at', 'Do'],
      (Object.keys(ERROR_CODES) as ErrorCode[])
        .toSorted()
        .map((each) => [code(each), prose(ERROR_CODES[each].meaning), ...OF_ERRORS[each].map(prose)]),
    ),
  );
}
