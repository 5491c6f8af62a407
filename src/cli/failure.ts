import { asKubepkgError, type KubepkgError } from '../api/errors.ts';
import { type ExitCode, exitCodeOf } from './exit-codes.ts';
import type { Output } from './host.ts';
import { oneLine } from './text/sanitize.ts';
import type { Paint } from './text/paint.ts';
import { writeLines } from './write-lines.ts';
import { writeSentences } from './write-sentences.ts';

export interface FailureStyle {
  readonly paint: Paint;
  /** With a stack for what is a fault of kubepkg. */
  readonly verbose: boolean;
}

/** `error: …` and `hint: …`; gives back the exit code. */
export function reportFailure(output: Output, thrown: unknown, style: FailureStyle): ExitCode {
  const error = asKubepkgError(thrown);
  writeSentences(output, errorLines(style.paint, error.message, hintOf(error, style.verbose)));
  if (style.verbose && error.code === 'Internal') writeLines(output, [stackOf(error)]);
  return exitCodeOf(error.code);
}

/** The form of every error, and of what to do about it. */
export function errorLines(paint: Paint, message: string, hint: string | undefined): readonly string[] {
  const error = `${paint('red', 'error:')} ${oneLine(message)}`;
  return hint === undefined ? [error] : [error, `${paint('cyan', 'hint:')} ${oneLine(hint)}`];
}

function hintOf(error: KubepkgError, verbose: boolean): string | undefined {
  if (error.code !== 'Internal') return error.hint;
  return verbose
    ? 'this is a fault of kubepkg: please report it with the lines below'
    : 'this is a fault of kubepkg: run it again with -v and report what it says';
}

function stackOf(error: KubepkgError): string {
  const origin = error.cause instanceof Error ? error.cause : error;
  return origin.stack ?? origin.message;
}
