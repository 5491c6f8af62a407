import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubepkgError } from '../../api/errors.ts';
import type { ArchiveFile } from './archive.ts';
import { safePath } from './archive-path.ts';

const VERSION_CONTROL: readonly string[] = ['.git', '.hg', '.svn', '.bzr'];

/** The files of a folder, sorted by path and read one after the other; links and special files are refused. */
export async function* filesOf(folder: string): AsyncGenerator<ArchiveFile> {
  const paths = await pathsBelow(folder, '');
  if (paths.length === 0) {
    throw new KubepkgError('TreeInvalid', `${folder} holds no files`, { hint: 'name the folder with the charts' });
  }
  for (const path of paths.toSorted()) {
    const file = join(folder, path);
    const { mode } = await lstat(file);
    yield { path, executable: (mode & 0o100) !== 0, content: await readFile(file) };
  }
}

async function pathsBelow(folder: string, prefix: string): Promise<readonly string[]> {
  const entries = await readFolder(join(folder, prefix));
  const kept = entries.filter((entry) => !VERSION_CONTROL.includes(entry.name));
  const nested = kept.map(async (entry) => {
    const path = safePath(`${prefix}${entry.name}`, folder);
    if (entry.isDirectory()) return pathsBelow(folder, `${path}/`);
    if (entry.isFile()) return [path];
    throw new KubepkgError('TreeInvalid', `${join(folder, path)} is ${kindOf(entry)}`, {
      hint: 'replace it with a plain file: a tree holds files and folders only',
    });
  });
  return (await Promise.all(nested)).flat();
}

async function readFolder(path: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (cause) {
    throw new KubepkgError('NotFound', `${path} is no folder that can be read`, {
      hint: 'name the folder with the charts',
      cause,
    });
  }
}

function kindOf(entry: Dirent): string {
  return entry.isSymbolicLink() ? 'a link' : 'neither a file nor a folder';
}
