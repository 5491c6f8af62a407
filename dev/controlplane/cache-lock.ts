import { statSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessIdentity } from './processes.ts';
import { identityOf, isRunning, parseIdentity } from './processes.ts';

export interface LockOptions {
  /** Called when waiting begins, and again from time to time. */
  readonly onWait?: (holder: number | undefined) => void;
  readonly pollMs?: number;
}

/** Long enough for a live holder to have written its name into the folder that it has just made. */
const NAMELESS_GRACE_MS = 5_000;

const TELL_EVERY_MS = 15_000;

/** Holds a folder as a lock between processes. A lock whose holder has died is taken over. */
export async function acquireLock(path: string, options: LockOptions = {}): Promise<() => Promise<void>> {
  let toldAt = -Infinity;
  for (;;) {
    if (await tryMake(path)) {
      await writeFile(join(path, 'owner.json'), JSON.stringify(identityOf(process.pid)));
      return () => rm(path, { recursive: true, force: true });
    }
    if (await isStale(path)) {
      await takeOver(path);
      continue;
    }
    if (Date.now() - toldAt > TELL_EVERY_MS) {
      options.onWait?.((await readOwner(path))?.pid);
      toldAt = Date.now();
    }
    await delay(options.pollMs ?? 250);
  }
}

async function tryMake(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function readOwner(path: string): Promise<ProcessIdentity | undefined> {
  const text = await readFile(join(path, 'owner.json'), 'utf8').catch(() => '');
  return parseIdentity(text);
}

async function isStale(path: string): Promise<boolean> {
  const owner = await readOwner(path);
  if (owner !== undefined) return !isRunning(owner);
  return ageOf(path) > NAMELESS_GRACE_MS;
}

function ageOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}

// Only one process at a time may judge and remove a dead lock; otherwise a slow one would remove the new owner's.
async function takeOver(path: string): Promise<void> {
  const guard = `${path}.takeover`;
  if (!(await tryMake(guard))) {
    if (ageOf(guard) > NAMELESS_GRACE_MS) await rm(guard, { recursive: true, force: true });
    await delay(50);
    return;
  }
  try {
    if (await isStale(path)) await rm(path, { recursive: true, force: true });
  } finally {
    await rm(guard, { recursive: true, force: true });
  }
}
