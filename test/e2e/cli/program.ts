import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The built program; another one, such as an installed one, by KUBEPKG_PROGRAM. */
const PROGRAM = process.env['KUBEPKG_PROGRAM'] ?? join(process.cwd(), 'dist', 'kubepkg.js');

export interface ProgramResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly child: ChildProcess;
  readonly result: Promise<ProgramResult>;
  /** Resolves once stderr has shown a text. */
  shows(text: string): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Runs the program as a user would, in a pipe; nothing of this process's environment but PATH and HOME is handed on. */
export class Program {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env };
  }

  async run(args: readonly string[], stdin = ''): Promise<ProgramResult> {
    return this.start(args, stdin).result;
  }

  start(args: readonly string[], stdin = ''): RunningProgram {
    const child = spawn(process.execPath, [PROGRAM, ...args], { env: this.#env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.stdin.end(stdin);
    const result = once(child, 'close').then(([exitCode, signal]: unknown[]) => ({
      exitCode: exitCode as number | null,
      signal: signal as string | null,
      stdout,
      stderr,
    }));
    const shows = async (text: string): Promise<void> => {
      while (!stderr.includes(text)) await once(child.stderr, 'data');
    };
    return { child, result, shows };
  }
}
