import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where bytes are kept by their digest, and beside them the list of what belongs to which repository. */
export interface Shelf {
  read(digest: string): Buffer | undefined;
  write(digest: string, bytes: Buffer): void;
  remove(digest: string): void;
  readIndex(): string | undefined;
  writeIndex(text: string): void;
}

export function createMemoryShelf(): Shelf {
  const blobs = new Map<string, Buffer>();
  return {
    read: (digest) => blobs.get(digest),
    write: (digest, bytes) => void blobs.set(digest, bytes),
    remove: (digest) => void blobs.delete(digest),
    readIndex: () => undefined,
    writeIndex: () => undefined,
  };
}

/** For one registry at a time. */
export function createFolderShelf(folder: string): Shelf {
  const index = join(folder, 'index.json');
  const fileOf = (digest: string): string => join(folder, 'blobs', digest.replace(':', '-'));
  mkdirSync(join(folder, 'blobs'), { recursive: true });
  return {
    read: (digest) => (existsSync(fileOf(digest)) ? readFileSync(fileOf(digest)) : undefined),
    write: (digest, bytes) => {
      replaceFile(fileOf(digest), bytes);
    },
    remove: (digest) => {
      rmSync(fileOf(digest), { force: true });
    },
    readIndex: () => (existsSync(index) ? readFileSync(index, 'utf8') : undefined),
    writeIndex: (text) => {
      replaceFile(index, text);
    },
  };
}

/** Whole or not at all, however the program ends. */
function replaceFile(path: string, content: Buffer | string): void {
  writeFileSync(`${path}.part`, content);
  renameSync(`${path}.part`, path);
}
