import { randomUUID } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isErrno } from '../lib/errno.ts';

/** For its owner alone, whoever could read what was there: a new file takes its place. Pipes and devices are written to. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const place = await ifThere(realpath(path), path);
  const isReplaced = await ifThere(
    stat(place).then((found) => found.isFile()),
    true,
  );
  if (!isReplaced) return writeFile(place, text);
  const temporary = join(dirname(place), `.${basename(place)}.${randomUUID()}.part`);
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, place);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function ifThere<T>(ask: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return otherwise;
    throw error;
  }
}
