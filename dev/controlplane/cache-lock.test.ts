import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acquireLock } from './cache-lock.ts';
import { identityOf } from './processes.ts';

const it = test.extend<{ path: string }>({
  path: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kubepkg-lock-'));
    await use(join(folder, 'lock'));
    await rm(folder, { recursive: true });
  },
});

async function lockLeftBy(path: string, owner: string): Promise<void> {
  await mkdir(path);
  await writeFile(join(path, 'owner.json'), owner);
}

function deadPid(): number {
  return spawnSync('true').pid;
}

describe('a lock', () => {
  it('is free again when it was released', async ({ path }) => {
    await (await acquireLock(path))();
    await (await acquireLock(path))();
    expect(existsSync(path)).toBe(false);
  });

  it('is held by one at a time', async ({ path }) => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      const release = await acquireLock(path, { pollMs: 1 });
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
      await release();
    };
    await Promise.all(Array.from({ length: 20 }, work));
    expect(most).toBe(1);
  });

  it('tells once who holds it', async ({ path }) => {
    const release = await acquireLock(path);
    const told: (number | undefined)[] = [];
    const second = acquireLock(path, {
      pollMs: 1,
      onWait: (holder) => {
        told.push(holder);
        void release();
      },
    });
    await (await second)();
    expect(told).toEqual([process.pid]);
  });

  it('of a process that died is taken over', async ({ path }) => {
    await lockLeftBy(path, JSON.stringify({ pid: deadPid(), startTime: '1' }));
    await (await acquireLock(path))();
  });

  it('of a process whose id was given to another one is taken over', async ({ path }) => {
    await lockLeftBy(path, JSON.stringify({ ...identityOf(process.pid), startTime: '1' }));
    await (await acquireLock(path))();
  });

  it('whose holder died before it could sign is taken over after a while', async ({ path }) => {
    await mkdir(path);
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(path, longAgo, longAgo);
    await (await acquireLock(path))();
  });

  it('of a dead process is taken over by one of many', async ({ path }) => {
    await lockLeftBy(path, JSON.stringify({ pid: deadPid(), startTime: '1' }));
    let inside = 0;
    const work = async (): Promise<void> => {
      const release = await acquireLock(path, { pollMs: 1 });
      inside += 1;
      expect(inside).toBe(1);
      await new Promise(setImmediate);
      inside -= 1;
      await release();
    };
    await Promise.all(Array.from({ length: 10 }, work));
  });
});
