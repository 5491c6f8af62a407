import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, parseIdentity, processArguments, readQuietly } from './processes.ts';

export const FOLDER_PREFIX = 'kubepkg-controlplane-';
export const OWNER_FILE = 'owner.json';

/** Longer than any process takes to write its name into the folder that it has just made. */
const NAMELESS_GRACE_MS = 60_000;

/** Removes what a supervisor that was itself killed could not: its folder, and processes the kernel did not end. */
export function sweepAbandoned(temp: string): void {
  for (const name of readdirSync(temp)) {
    const folder = join(temp, name);
    if (!name.startsWith(FOLDER_PREFIX) || !isAbandoned(folder)) continue;
    for (const pid of recordedPids(folder)) endIfItWorksIn(folder, pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
  }
}

function isAbandoned(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || found.uid !== process.getuid?.()) return false;
  const owner = parseIdentity(readQuietly(join(folder, OWNER_FILE)));
  if (owner !== undefined) return !isRunning(owner);
  return Date.now() - found.mtimeMs > NAMELESS_GRACE_MS;
}

function recordedPids(folder: string): readonly number[] {
  return readQuietly(join(folder, 'pids'))
    .split('\n')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 1);
}

// The id may belong to another program by now; only one that was started with this very folder is ours.
function endIfItWorksIn(folder: string, pid: number): void {
  if (!processArguments(pid).includes(folder)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in between, which is what was wanted.
  }
}
