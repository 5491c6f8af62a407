import { type ChildProcess, spawn } from 'node:child_process';
import { KubepkgError } from '../../api/errors.ts';
import { isErrno } from '../../lib/errno.ts';
import type { Command, CommandResult, CommandRunner } from '../../ports/process.ts';
import type { Clock } from '../../ports/system.ts';
import { chooseDeathGuard, type DeathGuard } from './death-guard.ts';
import { findProgram } from './find-program.ts';
import { TailBuffer } from './tail-buffer.ts';

const DEFAULT_OUTPUT_BYTES = 256 * 1024;
const DEFAULT_GRACE_MS = 5000;

export interface CommandRunnerOptions {
  readonly clock: Clock;
  /** How long an aborted program may take to end by itself before it is killed. */
  readonly graceMs?: number;
  readonly guard?: DeathGuard;
}

/** A runner whose programs can all be ended at once, for a leader that lost its lease. */
export interface KillableCommandRunner extends CommandRunner {
  /** Kills every running program without grace; resolves once they are gone. */
  killAll(): Promise<void>;
}

export function createCommandRunner(options: CommandRunnerOptions): KillableCommandRunner {
  return new ProcessRunner(options);
}

interface RunningChild {
  readonly child: ChildProcess;
  readonly closed: Promise<CommandResult>;
}

class ProcessRunner implements KillableCommandRunner {
  readonly #clock: Clock;
  readonly #graceMs: number;
  #guard: Promise<DeathGuard> | undefined;
  readonly #running = new Set<RunningChild>();
  #killedAll = 0;

  constructor(options: CommandRunnerOptions) {
    this.#clock = options.clock;
    this.#graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
    this.#guard = options.guard === undefined ? undefined : Promise.resolve(options.guard);
  }

  async run(command: Command, signal?: AbortSignal): Promise<CommandResult> {
    const killedAll = this.#killedAll;
    const program = await findProgram(command.file, command.env['PATH'] ?? '', command.cwd);
    if (program === undefined) {
      throw new KubepkgError('NotFound', `program ${command.file} is not there or cannot be executed`);
    }
    this.#guard ??= chooseDeathGuard();
    const guard = await this.#guard;
    if (signal?.aborted === true) return { signal: 'SIGTERM', stdout: '', stderr: '' };
    // All were killed while this one was about to start: it belongs to those.
    if (killedAll !== this.#killedAll) return { signal: 'SIGKILL', stdout: '', stderr: '' };
    const child = start(guard, program, command);
    const running = { child, closed: collect(child, command) };
    this.#running.add(running);
    const onAbort = (): void => {
      this.#end(running);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await running.closed;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#running.delete(running);
    }
  }

  async killAll(): Promise<void> {
    this.#killedAll += 1;
    const running = [...this.#running];
    for (const { child } of running) signalGroup(child, 'SIGKILL');
    await Promise.allSettled(running.map(({ closed }) => closed));
  }

  #end({ child, closed }: RunningChild): void {
    signalGroup(child, 'SIGTERM');
    const timer = this.#clock.after(this.#graceMs, () => {
      signalGroup(child, 'SIGKILL');
    });
    const clear = (): void => {
      timer.cancel();
    };
    closed.then(clear, clear);
  }
}

function start(guard: DeathGuard, program: string, command: Command): ChildProcess {
  const guarded = guard(program, command.args);
  return spawn(guarded.file, guarded.args, {
    // A process group of its own: one signal reaches the program and all that it started.
    detached: true,
    env: command.env,
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    stdio: ['pipe', 'pipe', 'pipe', ...(guarded.lifeline ? (['pipe'] as const) : [])],
  });
}

function collect(child: ChildProcess, command: Command): Promise<CommandResult> {
  const limit = command.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const stdout = new TailBuffer(limit);
  const stderr = new TailBuffer(limit);
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout.push(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr.push(chunk);
  });
  // A program that ends without reading its input breaks the pipe; how it ended tells the rest.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(command.stdin ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      reject(startError(command.file, error));
    });
    // Descendants that outlive the program would keep its pipes, and so this promise, open.
    child.on('exit', () => {
      signalGroup(child, 'SIGKILL');
    });
    child.on('close', (code, signal) => {
      const ended = code === null ? { signal: signal ?? 'SIGKILL' } : { exitCode: code };
      resolve({ ...ended, stdout: stdout.text(), stderr: stderr.text() });
    });
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (!isErrno(error, 'ESRCH', 'EPERM')) throw error;
  }
}

function startError(file: string, error: Error): KubepkgError {
  if (isErrno(error, 'ENOSPC')) {
    return new KubepkgError('DiskFull', `cannot start ${file}: no space left on the disk`, { cause: error });
  }
  if (isErrno(error, 'ENOENT', 'EACCES', 'ENOEXEC')) {
    return new KubepkgError('NotFound', `program ${file} cannot be executed`, { cause: error });
  }
  return new KubepkgError('Internal', `cannot start ${file}: ${error.message}`, { cause: error });
}
