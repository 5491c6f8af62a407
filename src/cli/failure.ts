import { asKubepkgError, type KubepkgError } from '../api/errors.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import type { Output } from './host.ts';
import { oneLine } from './text/sanitize.ts';
import type { Paint } from './text/paint.ts';

export interface FailureStyle {
  readonly paint: Paint;
  /** With a stack for what is a fault of kubepkg. */
  readonly verbose: boolean;
}

/** `error: …` and `hint: …`, one line each; gives back the exit code. */
export function reportFailure(output: Output, thrown: unknown, style: FailureStyle): ExitCode {
  const error = asKubepkgError(thrown);
  output.write(
    failureLines(error, style)
      .map((line) => `${line}\n`)
      .join(''),
  );
  return error.code === 'Internal' ? EXIT.failed : exitCodeOf(error.code);
}

function failureLines(error: KubepkgError, { paint, verbose }: FailureStyle): readonly string[] {
  const hint = hintOf(error, verbose);
  const lines = [`${paint('red', 'error:')} ${oneLine(error.message)}`];
  if (hint !== undefined) lines.push(`${paint('cyan', 'hint:')} ${oneLine(hint)}`);
  if (verbose && error.code === 'Internal') lines.push(stackOf(error));
  return lines;
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
