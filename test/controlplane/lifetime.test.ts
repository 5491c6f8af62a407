import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { parseIdentity, processStartTime } from '../../dev/controlplane/processes.ts';
import { OWNER_FILE, sweepAbandoned } from '../../dev/controlplane/sweep.ts';
import { bundleTool } from './workshop.ts';

interface Place {
  /** The command line tool as one file, as the demo has it. */
  readonly program: string;
  /** What the tool takes for the folder of temporary files, so that what is left is seen. */
  readonly temp: string;
}

const it = test.extend<{ program: string; place: Place }>({
  program: [
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'kubepkg-test-'));
      await use(await bundleTool(folder));
      await rm(folder, { recursive: true });
    },
    { scope: 'file' },
  ],
  place: async ({ program }, use) => {
    const temp = await mkdtemp(join(tmpdir(), 'kubepkg-test-'));
    await use({ program, temp });
    await rm(temp, { recursive: true });
  },
});

interface Started {
  readonly parent: ChildProcess;
  readonly folder: string;
  readonly supervisor: number;
  /** The supervisor's and those of all it started. */
  readonly pids: readonly number[];
}

function launch({ program, temp }: Place): ChildProcess {
  return spawn(process.execPath, [program, 'start', '--registry'], {
    // A group of its own, as a shell gives each command; Ctrl-C goes to the whole group.
    detached: true,
    env: { ...process.env, TMPDIR: temp },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

async function start(place: Place): Promise<Started> {
  const parent = launch(place);
  await once(parent.stdout ?? parent, 'data');
  const [name = ''] = readdirSync(place.temp);
  const folder = join(place.temp, name);
  const supervisor = parseIdentity(readFileSync(join(folder, OWNER_FILE), 'utf8'))?.pid ?? 0;
  return { parent, folder, supervisor, pids: [supervisor, ...recordedPids(folder)] };
}

function recordedPids(folder: string): readonly number[] {
  return readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);
}

function running(pids: readonly number[]): readonly number[] {
  return pids.filter((pid) => processStartTime(pid) !== undefined);
}

async function untilAllEnded(pids: readonly number[], seconds = 10): Promise<void> {
  await vi.waitFor(() => {
    expect(running(pids)).toEqual([]);
  }, seconds * 1000);
}

async function untilNothingIsLeft(place: Place, { pids }: Started): Promise<void> {
  await untilAllEnded(pids);
  await vi.waitFor(() => {
    expect(readdirSync(place.temp)).toEqual([]);
  }, 5_000);
}

describe('no process and no file is left', () => {
  it('when the program is killed with -9', async ({ place }) => {
    const started = await start(place);
    expect(started.pids).toHaveLength(7);
    expect(running(started.pids)).toEqual(started.pids);
    started.parent.kill('SIGKILL');
    await untilNothingIsLeft(place, started);
  });

  it('when it is ended with Ctrl-C', async ({ place }) => {
    const started = await start(place);
    const ended = once(started.parent, 'exit');
    process.kill(-(started.parent.pid ?? 0), 'SIGINT');
    expect(await ended).toEqual([130, null]);
    await untilNothingIsLeft(place, started);
  });

  it('when the program is killed while it is starting', async ({ place }) => {
    const parent = launch(place);
    const folder = await vi.waitFor(
      () => {
        const [name = ''] = readdirSync(place.temp);
        expect(recordedPids(join(place.temp, name)).length).toBeGreaterThan(1);
        return join(place.temp, name);
      },
      { timeout: 30_000, interval: 20 },
    );
    const pids = recordedPids(folder);
    parent.kill('SIGKILL');
    await untilNothingIsLeft(place, { parent, folder, supervisor: 0, pids });
  });

  it('when the supervisor is told to end', async ({ place }) => {
    const started = await start(place);
    process.kill(started.supervisor, 'SIGTERM');
    await untilNothingIsLeft(place, started);
    started.parent.kill('SIGKILL');
  });

  it('when both the supervisor and the program are killed with -9, once another control plane was started', async ({
    place,
  }) => {
    const started = await start(place);
    process.kill(started.supervisor, 'SIGKILL');
    // Where the kernel does not end the others, the sweep does.
    if (process.platform === 'linux') await untilAllEnded(started.pids);
    started.parent.kill('SIGKILL');
    await once(started.parent, 'exit');
    expect(existsSync(started.folder)).toBe(true);
    sweepAbandoned(place.temp);
    await untilNothingIsLeft(place, started);
  });

  it('when the supervisor was killed with -9 and the program ends as usual', async ({ place }) => {
    const started = await start(place);
    process.kill(started.supervisor, 'SIGKILL');
    await untilAllEnded([started.supervisor]);
    const ended = once(started.parent, 'exit');
    started.parent.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    await untilNothingIsLeft(place, started);
  });
});
