import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import type { Timer } from '../../ports/system.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { createCommandRunner } from './command-runner.ts';
import { companionGuard, type DeathGuard, kernelGuard } from './death-guard.ts';

const NODE = process.execPath;
const clock = new SystemClock();
const env = { PATH: '/usr/bin:/bin' };

/** Says its process id, then stays until it is ended. */
const STAY = 'console.log(process.pid); setInterval(() => {}, 1000);';
const STUBBORN = `process.on('SIGTERM', () => console.log('asked')); ${STAY}`;

const guards: [string, DeathGuard][] = [['the companion', companionGuard]];
const kernel = await kernelGuard();
if (kernel !== undefined) guards.push(['the kernel', kernel]);

const folder = await mkdtemp(join(tmpdir(), 'kubepkg-process-'));
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** A program that writes its own id, and that of a child of its own, to a file once both run. */
function family(name: string, child: string): { args: string[]; pids: () => Promise<number[]> } {
  const pidFile = join(folder, name);
  const script = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', () => {
      require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, process.pid + ' ' + child.pid);
      process.stdout.write('ready');
    });
    setInterval(() => {}, 1000);`;
  return {
    args: ['-e', script],
    pids: async () => (await readFile(pidFile, 'utf8')).split(' ').map(Number),
  };
}

/** A process that was ended and not yet collected by its parent counts as gone. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  await expect.poll(condition, { timeout: 10_000, interval: 10 }).toBe(true);
}

async function exists(file: string): Promise<boolean> {
  return readFile(file).then(
    () => true,
    () => false,
  );
}

describe.each(guards)('programs guarded by %s', (label, guard) => {
  const runner = createCommandRunner({ clock, guard });

  it('get their arguments as they are, nothing but our environment, and their input', async () => {
    const script =
      'process.stdin.on("data", (d) => console.log(String(d), process.argv[1], process.env.A, process.env.HOME))';
    const args = ['-e', script, '$(touch x); "quoted"'];
    const result = await runner.run({ file: NODE, args, env: { A: 'b' }, stdin: 'in' });
    expect(result).toEqual({ exitCode: 0, stdout: 'in $(touch x); "quoted" b undefined\n', stderr: '' });
  });

  it('end with the code that they chose', async () => {
    const result = await runner.run({ file: NODE, args: ['-e', 'console.error("no"); process.exit(3)'], env });
    expect(result).toEqual({ exitCode: 3, stdout: '', stderr: 'no\n' });
  });

  it('may end without reading their input', async () => {
    const result = await runner.run({ file: NODE, args: ['-e', '0'], env, stdin: 'x'.repeat(4_000_000) });
    expect(result.exitCode).toBe(0);
  });

  it('keep the end of an output that is too long', async () => {
    const script = 'process.stdout.write("a".repeat(5_000_000) + "end")';
    const result = await runner.run({ file: NODE, args: ['-e', script], env, maxOutputBytes: 1000 });
    expect(result.stdout).toBe(`${'a'.repeat(997)}end`);
  });

  it('are ended when aborted, with all their descendants', async () => {
    const { args, pids } = family(`abort ${label}`, STAY);
    const controller = new AbortController();
    const running = runner.run({ file: NODE, args, env }, controller.signal);
    await eventually(() => exists(join(folder, `abort ${label}`)));
    controller.abort();
    expect((await running).signal).toBe('SIGTERM');
    for (const pid of await pids()) await eventually(async () => !(await isAlive(pid)));
  });

  it('are killed after a grace when they do not end', async () => {
    const impatient = createCommandRunner({ clock, guard, graceMs: 50 });
    const { args, pids } = family(`grace ${label}`, STUBBORN);
    const controller = new AbortController();
    const stubborn = [...args.slice(0, 1), `process.on('SIGTERM', () => {}); ${args[1] ?? ''}`];
    const running = impatient.run({ file: NODE, args: stubborn, env }, controller.signal);
    await eventually(() => exists(join(folder, `grace ${label}`)));
    controller.abort();
    expect((await running).signal).toBe('SIGKILL');
    for (const pid of await pids()) await eventually(async () => !(await isAlive(pid)));
  });

  it('take no descendant into the time after their own end', async () => {
    const script = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(STUBBORN)}], { stdio: 'inherit' });
      setTimeout(() => { console.log('child ' + child.pid); process.exit(0); }, 200);`;
    const result = await runner.run({ file: NODE, args: ['-e', script], env });
    expect(result.exitCode).toBe(0);
    const pid = Number(/child (\d+)/.exec(result.stdout)?.[1]);
    expect(pid).toBeGreaterThan(0);
    await eventually(async () => !(await isAlive(pid)));
  });

  it('are all killed at once by a leader that lost its lease', async () => {
    const own = createCommandRunner({ clock, guard });
    const first = family(`lease 1 ${label}`, STUBBORN);
    const second = family(`lease 2 ${label}`, STAY);
    const running = [first, second].map(({ args }) => own.run({ file: NODE, args, env }));
    await eventually(() => exists(join(folder, `lease 1 ${label}`)));
    await eventually(() => exists(join(folder, `lease 2 ${label}`)));
    await own.killAll();
    expect((await Promise.all(running)).map(({ signal }) => signal)).toEqual(['SIGKILL', 'SIGKILL']);
    for (const pid of [...(await first.pids()), ...(await second.pids())]) {
      await eventually(async () => !(await isAlive(pid)));
    }
  });
});

describe('a process that is killed with -9', () => {
  it.each(guards)('takes its programs with it, guarded by %s', async (label) => {
    const bundle = join(folder, 'parent.mjs');
    await build({
      stdin: {
        contents: `
          import { SystemClock } from '../clock/system-clock.ts';
          import { createCommandRunner } from './command-runner.ts';
          import { companionGuard, kernelGuard } from './death-guard.ts';
          const guard = process.argv[2] === 'the kernel' ? await kernelGuard() : companionGuard;
          const args = JSON.parse(process.argv[3]);
          await createCommandRunner({ clock: new SystemClock(), guard }).run({ file: process.execPath, args, env: {} });`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: bundle,
      logLevel: 'silent',
    });
    const pidFile = join(folder, `orphan ${label}`);
    const script = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`;
    const parent = spawn(NODE, [bundle, label, JSON.stringify(['-e', script])], { stdio: 'ignore' });
    await eventually(async () => (await exists(pidFile)) && (await readFile(pidFile, 'utf8')) !== '');
    const pid = Number(await readFile(pidFile, 'utf8'));
    expect(await isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await eventually(async () => !(await isAlive(pid)));
  });

  it('before the death signal is armed starts no program', async () => {
    if (kernel === undefined) return;
    const marker = join(folder, 'orphan marker');
    const guarded = kernel(NODE, ['-e', `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`]);
    // As if another process had been the parent when the guard was set up.
    const args = guarded.args.map((arg) => (arg === String(process.pid) ? '1' : arg));
    await expect(promisify(execFile)(guarded.file, args)).rejects.toMatchObject({ code: 125 });
    expect(await exists(marker)).toBe(false);
  });
});

describe('a program that cannot be started', () => {
  const runner = createCommandRunner({ clock });

  it.each([
    ['is not in the path', 'no-such-program'],
    ['is not at its place', '/no/such/program'],
    ['is a folder', '/tmp'],
  ])('is NotFound when it %s', async (_, file) => {
    await expect(runner.run({ file, args: [], env })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('is NotFound when it may not be executed', async () => {
    const file = join(folder, 'plain');
    await writeFile(file, 'text');
    await expect(runner.run({ file, args: [], env })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('is not looked for in a relative folder of the path', async () => {
    await expect(runner.run({ file: 'node', args: [], env: { PATH: '.:bin' } })).rejects.toMatchObject({
      code: 'NotFound',
    });
  });
});

describe('killing all', () => {
  it('takes along what was about to start', async () => {
    const marker = join(folder, 'late marker');
    const runner = createCommandRunner({ clock });
    const args = ['-e', `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`];
    const running = runner.run({ file: NODE, args, env });
    await runner.killAll();
    expect((await running).signal).toBe('SIGKILL');
    expect(await exists(marker)).toBe(false);
  });
});

describe('aborting', () => {
  it('before the start starts nothing', async () => {
    const marker = join(folder, 'marker');
    const args = ['-e', `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`];
    const result = await createCommandRunner({ clock }).run({ file: NODE, args, env }, AbortSignal.abort());
    expect(result.signal).toBe('SIGTERM');
    expect(await exists(marker)).toBe(false);
  });

  it('leaves no timer behind', async () => {
    const open = new Set<Timer>();
    const counting = {
      now: () => clock.now(),
      steady: () => clock.steady(),
      random: () => 0,
      after: (ms: number, callback: () => void): Timer => {
        const inner = clock.after(ms, callback);
        const timer = {
          cancel: (): void => {
            open.delete(timer);
            inner.cancel();
          },
        };
        open.add(timer);
        return timer;
      },
    };
    const controller = new AbortController();
    const marker = join(folder, 'timer marker');
    const args = ['-e', `require('node:fs').writeFileSync(${JSON.stringify(marker)}, ''); ${STAY}`];
    const running = createCommandRunner({ clock: counting }).run({ file: NODE, args, env }, controller.signal);
    await eventually(() => exists(marker));
    controller.abort();
    expect(open.size).toBe(1);
    await running;
    expect(open.size).toBe(0);
  });
});
