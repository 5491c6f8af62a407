import type { CliHost } from '../host.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { writeLines } from '../write-lines.ts';
import { writeSentences } from '../write-sentences.ts';

export interface Question {
  /** What is about to happen, said in any case. */
  readonly lines: readonly string[];
  /** `--yes`, or there is nothing to ask about. */
  readonly isSettled: boolean;
  /** What no answer but Enter means. */
  readonly byDefault: 'yes' | 'no';
}

/** Where nobody can be asked, what was asked for is done. */
export async function isConfirmed(host: CliHost, { lines, isSettled, byDefault }: Question): Promise<boolean> {
  writeSentences(host.stderr, lines);
  if (isSettled) return true;
  const answer = await host.ask(byDefault === 'yes' ? 'Continue? [Y/n] ' : 'Continue? [y/N] ');
  if (answer === undefined) return true;
  const word = answer.trim();
  return word === '' ? byDefault === 'yes' : /^(y|yes)$/i.test(word);
}

export function declined(host: CliHost): ExitCode {
  writeLines(host.stderr, ['nothing was changed']);
  return EXIT.interrupted;
}
