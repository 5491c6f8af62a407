import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Workshop } from './workshop.ts';
import { bundleTool, openWorkshop } from './workshop.ts';

const it = test.extend<{ program: string; workshop: Workshop }>({
  program: [
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'kubepkg-test-'));
      await use(await bundleTool(folder));
      await rm(folder, { recursive: true });
    },
    { scope: 'file' },
  ],
  workshop: async ({}, use) => {
    const workshop = await openWorkshop();
    await use(workshop);
    await workshop.close();
  },
});

class Preparation {
  readonly child: ChildProcess;
  output = '';
  errors = '';

  constructor(program: string, workshop: Workshop) {
    const args = [program, 'prepare', 'etcd', 'kwok'];
    this.child = spawn(process.execPath, args, { env: workshop.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
  }

  async untilItSays(text: RegExp): Promise<void> {
    await vi.waitFor(() => {
      expect(this.errors).toMatch(text);
    }, 20_000);
  }

  async end(): Promise<number | null> {
    const [code] = (await once(this.child, 'close')) as [number | null];
    return code;
  }
}

describe('two preparations at the same time', () => {
  it('build once, the second waiting for the first', async ({ program, workshop }) => {
    const release = await workshop.holdBuilds();
    const first = new Preparation(program, workshop);
    await first.untilItSays(/building etcd/);
    const second = new Preparation(program, workshop);
    await second.untilItSays(new RegExp(`waiting for process ${String(first.child.pid)}, which is making etcd`));
    await release();
    expect(await Promise.all([first.end(), second.end()])).toEqual([0, 0]);
    expect(second.output).toBe(first.output);
    expect(await workshop.calls()).toHaveLength(2);
  });

  it('end well when the first is killed with -9: the second builds', async ({ program, workshop }) => {
    const release = await workshop.holdBuilds();
    const first = new Preparation(program, workshop);
    await first.untilItSays(/building etcd/);
    const second = new Preparation(program, workshop);
    await second.untilItSays(/waiting for process/);
    first.child.kill('SIGKILL');
    await second.untilItSays(/building etcd/);
    await release();
    expect(await second.end()).toBe(0);
    expect(readdirSync(join(String(workshop.env['KUBEPKG_CACHE']), 'tmp'))).toEqual([]);
    expect(readdirSync(join(String(workshop.env['KUBEPKG_CACHE']), 'locks'))).toEqual([]);
  });
});
