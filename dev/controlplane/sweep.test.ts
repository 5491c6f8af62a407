import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identityOf } from './processes.ts';
import { FOLDER_PREFIX, OWNER_FILE, sweepAbandoned } from './sweep.ts';

const it = test.extend<{ temp: string; folder: string }>({
  temp: async ({}, use) => {
    const temp = mkdtempSync(join(tmpdir(), 'kubepkg-sweep-'));
    await use(temp);
    rmSync(temp, { recursive: true });
  },
  folder: async ({ temp }, use) => {
    const folder = join(temp, `${FOLDER_PREFIX}x`);
    mkdirSync(folder);
    await use(folder);
  },
});

function ownedByDeadProcess(folder: string): void {
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify({ pid: spawnSync('true').pid, startTime: '1' }));
}

function sleeper(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', '--', ...args], { stdio: 'ignore' });
}

describe('a folder of a control plane', () => {
  it('goes when its owner is dead', ({ temp, folder }) => {
    ownedByDeadProcess(folder);
    sweepAbandoned(temp);
    expect(existsSync(folder)).toBe(false);
  });

  it('stays while its owner runs', ({ temp, folder }) => {
    writeFileSync(join(folder, OWNER_FILE), JSON.stringify(identityOf(process.pid)));
    sweepAbandoned(temp);
    expect(existsSync(folder)).toBe(true);
  });

  it('stays while it is so new that its owner may not have signed yet', ({ temp, folder }) => {
    sweepAbandoned(temp);
    expect(existsSync(folder)).toBe(true);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(folder, longAgo, longAgo);
    sweepAbandoned(temp);
    expect(existsSync(folder)).toBe(false);
  });

  it('takes along the processes that were started with it', async ({ temp, folder }) => {
    const child = sleeper(`--data-dir=${folder}`);
    const ended = once(child, 'exit');
    writeFileSync(join(folder, 'pids'), `${String(child.pid)}\n`);
    ownedByDeadProcess(folder);
    sweepAbandoned(temp);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('leaves alone a process that only has the id of an earlier one', async ({ temp, folder }) => {
    const child = sleeper();
    writeFileSync(join(folder, 'pids'), `${String(child.pid)}\n`);
    ownedByDeadProcess(folder);
    sweepAbandoned(temp);
    expect(child.kill(0)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});

describe('another folder', () => {
  it('is left alone', ({ temp }) => {
    const other = join(temp, 'other');
    mkdirSync(other);
    ownedByDeadProcess(other);
    sweepAbandoned(temp);
    expect(existsSync(other)).toBe(true);
  });
});
