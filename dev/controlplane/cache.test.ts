import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CacheEntry } from './cache.ts';
import { cacheRoot, ensureEntry } from './cache.ts';

const it = test.extend<{ root: string }>({
  root: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kubepkg-cache-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

function entry(root: string, make: CacheEntry['make']): CacheEntry {
  return { root, name: 'thing-1234', make, onWait: () => undefined };
}

describe('the cache', () => {
  it.for([
    ['where KUBEPKG_CACHE says', { KUBEPKG_CACHE: '/a', XDG_CACHE_HOME: '/b' }, '/a'],
    ['in the cache folder of the desktop', { XDG_CACHE_HOME: '/b' }, '/b/kubepkg'],
    ['in the home folder', {}, join(homedir(), '.cache', 'kubepkg')],
    [
      'in the home folder when the variables are empty',
      { KUBEPKG_CACHE: '', XDG_CACHE_HOME: '' },
      join(homedir(), '.cache', 'kubepkg'),
    ],
  ] as const)('is %s', ([, env, folder]) => {
    expect(cacheRoot(env)).toBe(folder);
  });

  it('makes an entry once, however many ask at the same time', async ({ root }) => {
    let made = 0;
    const make = async (folder: string): Promise<void> => {
      made += 1;
      await writeFile(join(folder, 'tool'), 'content');
    };
    const folders = await Promise.all(Array.from({ length: 5 }, () => ensureEntry(entry(root, make))));
    expect(made).toBe(1);
    expect(new Set(folders).size).toBe(1);
    expect(await readFile(join(folders[0] ?? '', 'tool'), 'utf8')).toBe('content');
  });

  it('shows an entry only when it is complete', async ({ root }) => {
    const make = async (folder: string): Promise<void> => {
      await writeFile(join(folder, 'half'), '');
      expect(existsSync(join(root, 'bin', 'thing-1234'))).toBe(false);
    };
    await ensureEntry(entry(root, make));
    expect(existsSync(join(root, 'bin', 'thing-1234', 'half'))).toBe(true);
  });

  it('keeps nothing of an entry that could not be made, and makes it at the next try', async ({ root }) => {
    const failing = entry(root, () => Promise.reject(new Error('no network')));
    await expect(ensureEntry(failing)).rejects.toThrow('no network');
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
    expect(await readdir(join(root, 'locks'))).toEqual([]);
    await ensureEntry(entry(root, () => Promise.resolve()));
  });

  it('clears away what a killed maker of the same entry left', async ({ root }) => {
    await mkdir(join(root, 'tmp', 'thing-1234-left'), { recursive: true });
    await mkdir(join(root, 'tmp', 'other-5678-busy'), { recursive: true });
    await ensureEntry(entry(root, () => Promise.resolve()));
    expect(await readdir(join(root, 'tmp'))).toEqual(['other-5678-busy']);
  });
});
