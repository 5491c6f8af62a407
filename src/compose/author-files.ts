import { randomUUID } from 'node:crypto';
import { copyFile, lstat, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ArchiveFile } from '../adapters/oci/archive.ts';
import { onDisk } from '../adapters/oci/disk.ts';

export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** A file that is there whole, or not at all. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await onDisk(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
    try {
      await writeFile(temporary, text);
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  });
}

export interface FolderContent {
  readonly files: readonly ArchiveFile[];
  /** Files that are somewhere else already, by their path in the folder. */
  readonly copies?: Readonly<Record<string, string>>;
}

/** A folder that holds exactly this, in place of one that was there; half written it never has its name. */
export async function writeFolder(path: string, { files, copies = {} }: FolderContent): Promise<void> {
  await onDisk(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    const temporary = await mkdtemp(join(dirname(path), `.${basename(path)}.part-`));
    try {
      for (const file of files) {
        const place = await placeFor(temporary, file.path);
        await writeFile(place, file.content, { mode: file.executable ? 0o755 : 0o644 });
      }
      for (const [name, from] of Object.entries(copies)) await copyFile(from, await placeFor(temporary, name));
      await takePlace(join(temporary, 'new'), path, join(temporary, 'old'));
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
}

async function placeFor(temporary: string, path: string): Promise<string> {
  const place = join(temporary, 'new', path);
  await mkdir(dirname(place), { recursive: true });
  return place;
}

async function takePlace(fresh: string, path: string, aside: string): Promise<void> {
  await mkdir(fresh, { recursive: true });
  if (await exists(path)) await rename(path, aside);
  await rename(fresh, path);
}
