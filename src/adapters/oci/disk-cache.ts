import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onDisk, sweepTemporary, withTemporary } from './disk.ts';

const EXTENSION = { charts: '.tgz', trees: '.tgz', manifests: '.json' } as const;

export type BlobKind = keyof typeof EXTENSION;

/** A file in the cache whose bytes were verified. */
export interface CachedFile {
  readonly path: string;
  readonly digest: string;
}

/**
 * Files by digest below one folder. What is read is hashed first, so an entry that was damaged is not believed, but
 * replaced; what is written appears under its name at once and whole, so any number of processes may share the folder.
 */
export class DiskCache {
  readonly #folder: string;
  #swept: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async find(kind: BlobKind, digest: string): Promise<CachedFile | undefined> {
    const path = this.#pathOf(kind, digest);
    return (await digestOfFile(path)) === digest ? { path, digest } : undefined;
  }

  /** Lets `write` fill a file, and keeps it under the digest that `write` reports of it. */
  async store(kind: BlobKind, write: (path: string) => Promise<{ readonly digest: string }>): Promise<CachedFile> {
    return this.withScratch(async (temporary) => {
      const { digest } = await write(temporary);
      const path = this.#pathOf(kind, digest);
      await moveInto(temporary, path);
      return { path, digest };
    });
  }

  /** A path for something that is not kept. */
  withScratch<T>(use: (path: string) => Promise<T>): Promise<T> {
    const folder = join(this.#folder, 'tmp');
    return withTemporary(folder, async (path) => {
      this.#swept ??= sweepTemporary(folder, path);
      await this.#swept;
      return use(path);
    });
  }

  /** A small text kept under a name of hexadecimal digits. */
  async findNote(name: string): Promise<string | undefined> {
    return readFile(this.#noteOf(name), 'utf8').catch(() => undefined);
  }

  async storeNote(name: string, text: string): Promise<void> {
    await this.withScratch(async (temporary) => {
      await onDisk(temporary, () => writeFile(temporary, text));
      await moveInto(temporary, this.#noteOf(name));
    });
  }

  #pathOf(kind: BlobKind, digest: string): string {
    return join(this.#folder, kind, `${digest.replace(':', '-')}${EXTENSION[kind]}`);
  }

  #noteOf(name: string): string {
    return join(this.#folder, 'notes', name);
  }
}

async function moveInto(from: string, to: string): Promise<void> {
  await onDisk(to, async () => {
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
  });
}

/** `sha256:…` of a file; undefined when it cannot be read. */
async function digestOfFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  } catch {
    return undefined;
  }
  return `sha256:${hash.digest('hex')}`;
}
