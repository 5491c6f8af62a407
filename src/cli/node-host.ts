import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { isatty } from 'node:tty';
import { EXIT } from './exit-codes.ts';
import type { CliHost, Output } from './host.ts';
import { writePrivateFile } from './private-file.ts';

/** The stream itself takes longer to make, and is seldom read. */
const STDIN = 0;

/** The part of a host that the process itself gives. */
export interface ProcessHost
  extends Pick<CliHost, 'env' | 'stdout' | 'stderr' | 'interrupted' | 'readFile' | 'writeFile' | 'readStdin' | 'ask'> {
  readonly stdinIsTerminal: boolean;
  /** Aborted when the process is asked to stop once more. */
  readonly insisted: AbortSignal;
}

export function createProcessHost(): ProcessHost {
  return {
    env: process.env,
    stdinIsTerminal: isatty(STDIN),
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    ...stopSignals(),
    readFile: (path) => readFile(path, 'utf8'),
    // What is written may tell more than others should read.
    writeFile: writePrivateFile,
    readStdin: () => text(process.stdin),
    ask,
  };
}

function outputOf(stream: typeof process.stdout | typeof process.stderr): Output {
  return {
    isTerminal: isatty(stream.fd),
    write: (chunk) => {
      stream.write(chunk);
    },
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
    onResize: (callback) => {
      stream.on('resize', callback);
      return () => {
        stream.off('resize', callback);
      };
    },
  };
}

/** SIGINT and SIGTERM: the first asks to stop, the second insists. One that nobody listens to ends the process. */
function stopSignals(): { readonly interrupted: AbortSignal; readonly insisted: AbortSignal } {
  const stages = [new AbortController(), new AbortController()] as const;
  const onSignal = (): void => {
    const stage = stages.find(({ signal }) => !signal.aborted);
    if (stage === undefined || getEventListeners(stage.signal, 'abort').length === 0) process.exit(EXIT.interrupted);
    stage.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { interrupted: stages[0].signal, insisted: stages[1].signal };
}

async function ask(question: string): Promise<string | undefined> {
  if (!isatty(STDIN) || !isatty(process.stderr.fd)) return undefined;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => {
    // Ctrl-C and Ctrl-D: no answer is no consent.
    prompt.once('close', () => {
      process.stderr.write('\n');
      resolve('no');
    });
  });
  try {
    return await Promise.race([prompt.question(question), closed]);
  } finally {
    prompt.removeAllListeners('close').close();
  }
}
