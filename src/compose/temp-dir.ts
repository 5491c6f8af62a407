import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { KubepkgError } from '../api/errors.ts';
import { isErrno } from '../lib/errno.ts';
import { asString, at } from '../lib/json.ts';

export interface TempDir {
  readonly path: string;
  /** Does not wait for anything, so that it can be the last thing that a process does. */
  remove(): void;
}

const NAME = /^run-(\d+)-/;

/**
 * A folder for this run alone. Those of processes that were killed before they could remove theirs go with it; not in
 * another thread, which would take the folder of the first one for left over.
 */
export function createTempDir(parent: string, isFirst = isMainThread): TempDir {
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    if (isFirst) removeLeftOvers(parent);
    const path = mkdtempSync(join(parent, `run-${String(process.pid)}-`));
    return {
      path,
      remove: () => {
        remove(path);
      },
    };
  } catch (cause) {
    const why = asString(at(cause, 'code')) ?? String(cause);
    throw new KubepkgError('InvalidInput', `the cache folder ${parent} cannot be used: ${why}`, {
      hint: 'name a folder that can be written to with --cache-dir',
      cause,
    });
  }
}

function removeLeftOvers(parent: string): void {
  for (const name of readdirSync(parent)) if (isLeftOver(name)) remove(join(parent, name));
}

/** In a container every run has the same process id: what carries ours is from the run before. */
function isLeftOver(name: string): boolean {
  const pid = Number(NAME.exec(name)?.[1]);
  if (!Number.isInteger(pid)) return false;
  return pid === process.pid || !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return isErrno(error, 'EPERM');
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 2 });
}
