import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { acquireLock } from './cache-lock.ts';

export function cacheRoot(env: NodeJS.ProcessEnv): string {
  const own = env['KUBEPKG_CACHE'];
  if (own) return own;
  const shared = env['XDG_CACHE_HOME'];
  return join(shared || join(homedir(), '.cache'), 'kubepkg');
}

export interface CacheEntry {
  readonly root: string;
  /** Holds the key, so that an entry is never changed once it is there. */
  readonly name: string;
  readonly make: (folder: string) => Promise<void>;
  readonly onWait: (holder: number | undefined) => void;
}

/** The folder of an entry, made at most once however many processes ask, and never seen half made. */
export async function ensureEntry(entry: CacheEntry): Promise<string> {
  const final = join(entry.root, 'bin', entry.name);
  if (existsSync(final)) return final;
  const locks = join(entry.root, 'locks');
  await mkdir(locks, { recursive: true });
  const release = await acquireLock(join(locks, entry.name), { onWait: entry.onWait });
  try {
    if (!existsSync(final)) await makeEntry(entry, final);
    return final;
  } finally {
    await release();
  }
}

async function makeEntry(entry: CacheEntry, final: string): Promise<void> {
  const scratch = join(entry.root, 'tmp');
  await mkdir(scratch, { recursive: true });
  await mkdir(join(entry.root, 'bin'), { recursive: true });
  await removeLeftovers(scratch, `${entry.name}-`);
  const folder = await mkdtemp(join(scratch, `${entry.name}-`));
  try {
    await entry.make(folder);
    await rename(folder, final);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// Safe because the lock is held: whoever left these is dead.
async function removeLeftovers(scratch: string, prefix: string): Promise<void> {
  const names = await readdir(scratch);
  const old = names.filter((name) => name.startsWith(prefix));
  await Promise.all(old.map((name) => rm(join(scratch, name), { recursive: true, force: true })));
}
