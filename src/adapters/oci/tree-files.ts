import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubepkgError } from '../../api/errors.ts';
import type { ArchiveFile } from './archive.ts';
import { safePath } from './archive-path.ts';
import { TREE_LIMITS } from './limits.ts';

const MEBIBYTE = 1024 * 1024;
const VERSION_CONTROL: readonly string[] = ['.git', '.hg', '.svn', '.bzr'];

/** The files of a folder, sorted by path and read one after the other; links and special files are refused. */
export async function* filesOf(folder: string): AsyncGenerator<ArchiveFile> {
  const paths = await pathsBelow(folder, '');
  if (paths.length === 0) {
    throw new KubepkgError('TreeInvalid', `${folder} holds no files`, { hint: 'name the folder with the charts' });
  }
  for (const path of paths.toSorted()) {
    const file = join(folder, path);
    const { mode, size } = await lstat(file);
    checkSize(file, size);
    yield { path, executable: (mode & 0o100) !== 0, content: await readFile(file) };
  }
}

/** Before it is read: the largest files fit into no buffer. */
function checkSize(file: string, size: number): void {
  const most = TREE_LIMITS.unpackedBytes;
  if (size <= most) return;
  const [mebibytes, limit] = [Math.ceil(size / MEBIBYTE), most / MEBIBYTE];
  throw new KubepkgError(
    'ArchiveTooLarge',
    `${file} has ${String(mebibytes)} MiB, and a tree at most ${String(limit)}`,
    {
      hint: 'leave large files out: they do not belong into charts',
    },
  );
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
