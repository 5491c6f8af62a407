import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../lib/digest.ts';
import { onDisk } from './disk.ts';
import { DiskCache } from './disk-cache.ts';

const it = test.extend<{ folder: string }>({
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'disk-cache-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

const CONTENT = 'content';
const DIGEST = `sha256:${sha256(CONTENT)}`;

async function writeContent(path: string): Promise<{ readonly digest: string }> {
  await writeFile(path, CONTENT);
  return { digest: DIGEST };
}

describe('the cache', () => {
  it('keeps a file under its digest, for every later process', async ({ folder }) => {
    const stored = await new DiskCache(folder).store('charts', writeContent);
    expect(await new DiskCache(folder).find('charts', DIGEST)).toEqual(stored);
    expect(await readFile(stored.path, 'utf8')).toBe(CONTENT);
    expect(stored.path).toMatch(/\.tgz$/);
  });

  it('knows nothing else, and nothing of another kind', async ({ folder }) => {
    const cache = new DiskCache(folder);
    await cache.store('charts', writeContent);
    expect(await cache.find('trees', DIGEST)).toBeUndefined();
    expect(await cache.find('charts', `sha256:${sha256('other')}`)).toBeUndefined();
    expect(await cache.findNote('abc')).toBeUndefined();
  });

  it.for(['', 'damaged', `${CONTENT}more`])(
    'does not believe a file that became %j, and takes it back whole',
    async (damage, { folder }) => {
      const cache = new DiskCache(folder);
      const { path } = await cache.store('charts', writeContent);
      await writeFile(path, damage);
      expect(await cache.find('charts', DIGEST)).toBeUndefined();
      await cache.store('charts', writeContent);
      expect(await cache.find('charts', DIGEST)).toEqual({ path, digest: DIGEST });
    },
  );

  it('is left as it was when the writing fails', async ({ folder }) => {
    const cache = new DiskCache(folder);
    const failing = cache.store('charts', async (path) => {
      await writeFile(path, 'half');
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
    expect(await readdir(folder)).toEqual(['tmp']);
  });

  it('may be written by many at once', async ({ folder }) => {
    const caches = Array.from({ length: 8 }, () => new DiskCache(folder));
    await Promise.all(caches.map((cache) => cache.store('charts', writeContent)));
    await Promise.all(caches.map((cache, index) => cache.storeNote('abc', String(index))));
    expect(await caches[0]?.find('charts', DIGEST)).toMatchObject({ digest: DIGEST });
    expect(await caches[0]?.findNote('abc')).toMatch(/^\d$/);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  it('removes what a killed process left behind a day ago, not what another one writes now', async ({ folder }) => {
    await mkdir(join(folder, 'tmp'));
    await writeFile(join(folder, 'tmp/old.part'), 'x');
    await writeFile(join(folder, 'tmp/new.part'), 'x');
    const { mtimeMs } = await stat(join(folder, 'tmp/new.part'));
    await utimes(join(folder, 'tmp/old.part'), 0, mtimeMs / 1000 - 86_500);
    await new DiskCache(folder).store('charts', writeContent);
    expect(await readdir(join(folder, 'tmp'))).toEqual(['new.part']);
  });

  it('in a place where no folder can be made names it', async ({ folder }) => {
    await writeFile(join(folder, 'file'), '');
    const storing = new DiskCache(join(folder, 'file')).store('charts', writeContent);
    await expect(storing).rejects.toMatchObject({ code: 'InvalidConfiguration' });
  });
});

describe('a disk', () => {
  it.for([
    ['ENOSPC', 'DiskFull'],
    ['EDQUOT', 'DiskFull'],
    ['EROFS', 'InvalidConfiguration'],
    ['EACCES', 'InvalidConfiguration'],
  ] as const)('that says %s gives %s', async ([errno, code]) => {
    const error = Object.assign(new Error(errno), { code: errno, syscall: 'write' });
    await expect(onDisk('/cache/x', () => Promise.reject(error))).rejects.toMatchObject({ code });
  });

  it('is not blamed for anything else', async () => {
    await expect(onDisk('/cache/x', () => Promise.reject(new TypeError('bug')))).rejects.toThrow(TypeError);
  });
});
