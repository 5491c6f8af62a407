import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
}

/** Runs to the end and never throws for an exit code; a program that cannot be started ends with code 127. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', (error) => {
      resolve({ code: 127, stdout, stderr: `${stderr}${error.message}` });
    });
    child.on('close', (code, signal) => {
      resolve({ code: code ?? 128, stdout, stderr: signal ? `${stderr}(ended by ${signal})` : stderr });
    });
  });
}

export function candidatesOnPath(name: string, path: string | undefined): readonly string[] {
  return (path ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .filter(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * A process id alone is reused; together with the moment it started it names one process for good. Undefined when no
 * such process runs.
 */
export function processStartTime(pid: number): string | undefined {
  if (process.platform === 'linux') return linuxStartTime(pid);
  const answer = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const started = answer.status === 0 ? answer.stdout.trim() : '';
  return started === '' ? undefined : started;
}

function linuxStartTime(pid: number): string | undefined {
  const stat = readQuietly(`/proc/${String(pid)}/stat`);
  // The second field is the program's name, which may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  return state === 'Z' || state === 'X' ? undefined : fields[19];
}

export function processArguments(pid: number): string {
  // A bare Linux need not have ps, and one with /proc does not need it.
  if (process.platform === 'linux') return readQuietly(`/proc/${String(pid)}/cmdline`).replaceAll('\0', ' ');
  const answer = spawnSync('ps', ['-o', 'args=', '-ww', '-p', String(pid)], { encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout : '';
}

export function readQuietly(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, startTime: processStartTime(pid) ?? 'unknown' };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return processStartTime(identity.pid) === identity.startTime;
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    if (!('pid' in value) || !('startTime' in value)) return undefined;
    const { pid, startTime } = value;
    return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}

/** Puts a command under the kernel's promise to kill it when its parent dies, where the kernel makes that promise. */
export function withDeathSignal(command: readonly string[]): readonly string[] {
  if (process.platform !== 'linux') return command;
  const setpriv = candidatesOnPath('setpriv', process.env['PATH'])[0];
  return setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', '--', ...command];
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
