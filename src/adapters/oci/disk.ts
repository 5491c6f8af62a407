import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubepkgError } from '../../api/errors.ts';

const TEMPORARY = '.part';
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT'];

/** Runs something that writes at `path`, and says in our words what is wrong with the disk. */
export async function onDisk<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw diskError(error, path);
  }
}

function diskError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (FULL.includes(code)) {
    return new KubepkgError('DiskFull', `no space is left to write ${path}`, {
      hint: 'free some space, or place the cache on a larger disk',
      cause: error,
    });
  }
  return new KubepkgError('InvalidConfiguration', `cannot write ${path}: ${code}`, {
    hint: 'check that the folder exists and may be written',
    cause: error,
  });
}

/** A path in `folder` for something half written; it is removed again whatever happens. */
export async function withTemporary<T>(folder: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, `${randomUUID()}${TEMPORARY}`);
  await onDisk(path, () => mkdir(folder, { recursive: true }));
  try {
    return await use(path);
  } finally {
    await rm(path, { force: true });
  }
}

const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Removes what processes that were killed left behind in a folder of temporary files; `path` may be written to. */
export async function sweepTemporary(folder: string, path: string): Promise<void> {
  await onDisk(path, () => writeFile(path, ''));
  // The file system's clock is the one that the others were dated by.
  const { mtimeMs: now } = await stat(path);
  for (const name of await readdir(folder)) {
    const other = join(folder, name);
    const { mtimeMs } = await stat(other).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs > ABANDONED_MS) await rm(other, { force: true, recursive: true });
  }
}
