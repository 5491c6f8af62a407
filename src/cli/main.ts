import { CommanderError } from './commander.ts';
import { at } from '../lib/json.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { errorLines, type FailureStyle, reportFailure } from './failure.ts';
import type { CliHost } from './host.ts';
import { buildProgram } from './program/program.ts';
import { choosePaint } from './text/paint.ts';
import { writeSentences } from './write-sentences.ts';

/** Runs one command line, without the program's own name; gives back the exit code, and never throws. */
export async function runCli(argv: readonly string[], host: CliHost): Promise<number> {
  const style = failureStyle(argv, host);
  let exitCode: number = EXIT.ok;
  const run = async (command: () => Promise<number>): Promise<void> => {
    exitCode = await command();
  };
  const program = buildProgram(host, run, argv[0]);
  try {
    if (argv[0] === '__complete') {
      const { runComplete } = await import('./completion/run-complete.ts');
      return await runComplete(host, program, argv.slice(1));
    }
    configure(program, host);
    if (argv.length === 0) program.help();
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(host.stderr, error, style);
    // Help and version are no failures; everything else is a mistake in the command line.
    if (error.exitCode === 0) return EXIT.ok;
    const { usageError } = await import('./usage-error.ts');
    return reportFailure(host.stderr, usageError(error, program, argv), style);
  }
}

/** Stdout cannot be written: gives back the exit code. A reader that ends early, such as head, is no failure. */
export function reportOutputError(argv: readonly string[], host: CliHost, error: Error): ExitCode {
  if (at(error, 'code') === 'EPIPE') return EXIT.ok;
  const hint = 'send it where there is space for it; what the command has changed stays changed';
  const lines = errorLines(failureStyle(argv, host).paint, `cannot write the output: ${error.message}`, hint);
  writeSentences(host.stderr, lines);
  return EXIT.failed;
}

/** Read from the words themselves: they hold even where the command line cannot be understood. */
function failureStyle(argv: readonly string[], host: CliHost): FailureStyle {
  const refused = argv.includes('--no-color');
  return {
    paint: choosePaint({ refused, env: host.env, isTerminal: host.stderr.isTerminal }),
    verbose: argv.includes('-v') || argv.includes('--verbose'),
  };
}

type Program = ReturnType<typeof buildProgram>;

/** Commander's own messages are left to us: it throws instead, and what it would write is in the error. */
function configure(program: Program, host: CliHost): void {
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => {
        host.stdout.write(text);
      },
      outputError: () => undefined,
      // `help WORD` of a word that is no command would print all of the help there.
      writeErr: () => undefined,
      getOutHelpWidth: () => helpWidth(host),
      getErrHelpWidth: () => helpWidth(host),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  }
}

function helpWidth(host: CliHost): number {
  return host.stdout.isTerminal ? Math.min(host.stdout.size().columns, 120) : 100;
}
