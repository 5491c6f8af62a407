import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { isatty } from 'node:tty';
import { EXIT } from './exit-codes.ts';
import type { CliHost, Output } from './host.ts';

/** The part of a host that the process itself gives. */
export type ProcessHost = Pick<CliHost, 'env' | 'stdout' | 'stderr' | 'interrupted' | 'readFile' | 'readStdin' | 'ask'>;

export function createProcessHost(): ProcessHost {
  return {
    env: process.env,
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    interrupted: interruptSignal(),
    readFile: (path) => readFile(path, 'utf8'),
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

/** The first signal asks whoever listens to stop; the second, or one that nobody listens to, stops. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (): void => {
    const listeners = getEventListeners(controller.signal, 'abort').length;
    if (controller.signal.aborted || listeners === 0) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
}

async function ask(question: string): Promise<string | undefined> {
  if (!isatty(process.stdin.fd) || !isatty(process.stderr.fd)) return undefined;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => {
    // Ctrl-C and Ctrl-D: no answer is no consent.
    prompt.once('close', () => {
      resolve('no');
    });
  });
  try {
    return await Promise.race([prompt.question(question), closed]);
  } finally {
    prompt.close();
  }
}
