import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { DemoError } from './terminal.ts';

export interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** Its output is shown as it comes instead of being kept. */
  readonly shown?: boolean;
  /** What it complains of is not shown. */
  readonly quiet?: boolean;
  /** What it has to end with; default 0. */
  readonly exitCode?: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Runs a program to its end; its output, unless it was shown. */
export async function runProgram(file: string, args: readonly string[], options: ProgramOptions): Promise<string> {
  if (options.signal?.aborted === true) throw new DemoError('interrupted');
  const child = begin(file, args, options);
  const onAbort = (): void => void child.kill('SIGTERM');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.stdin !== undefined) child.stdin?.end(options.stdin);
  const [output, code] = await Promise.all([readAll(child), exitOf(child)]);
  options.signal?.removeEventListener('abort', onAbort);
  if (code !== (options.exitCode ?? 0))
    throw new DemoError(`${[file, ...args].join(' ')} ended with exit code ${String(code)}`);
  return output;
}

function begin(file: string, args: readonly string[], { env, stdin, shown, quiet }: ProgramOptions): ChildProcess {
  return spawn(file, args, {
    env,
    stdio: [
      stdin === undefined ? 'ignore' : 'pipe',
      shown === true ? 'inherit' : 'pipe',
      quiet === true ? 'ignore' : 'inherit',
    ],
  });
}

async function readAll(child: ChildProcess): Promise<string> {
  if (child.stdout === null) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

export interface Background {
  readonly pid: number;
  /** Its output has had a certain text. */
  readonly ready: Promise<void>;
  /** It has ended, asked to or not. */
  readonly gone: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a program that goes on until it is stopped. */
export function startProgram(
  command: { readonly file: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv },
  readyText: string,
  logFile: string,
): Background {
  const child = spawn(command.file, command.args, { env: command.env, stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = once(child, 'close');
  child.stderr.pipe(createWriteStream(logFile));
  const ready = new Promise<void>((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (text.includes(readyText)) return;
      text += chunk.toString();
      if (text.includes(readyText)) resolve();
    });
    child.once('close', (code) => {
      reject(
        new DemoError(`${command.args[0] ?? command.file} ended with exit code ${String(code)}:\n${text.slice(-2000)}`),
      );
    });
  });
  return {
    pid: child.pid ?? 0,
    ready,
    gone,
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
