import { spawn } from 'node:child_process';
import { findProgram } from './find-program.ts';

/** A program wrapped so that the kernel, or a companion, ends it when this process is gone. */
export interface GuardedProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** The wrapper reads the life of its parent from a pipe on descriptor 3. */
  readonly lifeline: boolean;
}

export type DeathGuard = (file: string, args: readonly string[]) => GuardedProgram;

const STANDARD_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The parent can die before the death signal is armed, and then it never comes. So, once it is armed, the
 * parent must still be the one that asked. The script is fixed and the arguments are never read as script.
 */
const STILL_OURS = '[ "$PPID" = "$1" ] || exit 125; shift; exec "$@"';

/** Runs the program in its own process group and kills that group once the pipe to the parent closes. */
const COMPANION = `
const { spawn } = require('node:child_process');
const { Socket } = require('node:net');
const [file, ...args] = process.argv.slice(1);
const killGroup = () => process.kill(0, 'SIGKILL');
const lifeline = new Socket({ fd: 3, readable: true, writable: false });
lifeline.on('error', killGroup).on('close', killGroup).resume();
process.on('SIGTERM', () => {});
const child = spawn(file, args, { stdio: ['inherit', 'inherit', 'inherit'] });
child.on('error', (error) => { process.stderr.write(error.message + '\\n'); process.exit(127); });
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, signal);
});
`;

/** The cheap guard of the kernel where there is one (Linux with util-linux), else a companion process. */
export async function chooseDeathGuard(): Promise<DeathGuard> {
  return (await kernelGuard()) ?? companionGuard;
}

export async function kernelGuard(): Promise<DeathGuard | undefined> {
  if (process.platform !== 'linux') return undefined;
  const setpriv = await findProgram('setpriv', STANDARD_PATH);
  const shell = await findProgram('sh', STANDARD_PATH);
  if (setpriv === undefined || shell === undefined) return undefined;
  const guard: DeathGuard = (file, args) => ({
    file: setpriv,
    args: ['--pdeathsig', 'KILL', shell, '-c', STILL_OURS, 'sh', String(process.pid), file, ...args],
    lifeline: false,
  });
  return (await succeeds(guard(shell, ['-c', 'exit 0']))) ? guard : undefined;
}

export const companionGuard: DeathGuard = (file, args) => ({
  file: process.execPath,
  args: ['-e', COMPANION, '--', file, ...args],
  lifeline: true,
});

/** Some builds of setpriv (busybox) know no death signal. */
function succeeds(program: GuardedProgram): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program.file, program.args, { stdio: 'ignore', env: {} });
    child.on('error', () => {
      resolve(false);
    });
    child.on('exit', (code) => {
      resolve(code === 0);
    });
  });
}
