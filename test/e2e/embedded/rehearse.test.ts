import { EventEmitter } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { SystemClock } from '../../../src/adapters/clock/system-clock.ts';
import type { CliHost } from '../../../src/cli/host.ts';
import { runCli } from '../../../src/cli/main.ts';
import type { ToHelper } from '../../../src/cli/rehearse/helper.ts';
import { HelperThread } from '../../../src/cli/rehearse/hire-helpers.ts';
import { serveHelper } from '../../../src/cli/rehearse/serve-helper.ts';
import { withRehearsals } from '../../../src/compose/rehearsal/rehearsals.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { runRehearsedOperator } from '../../../src/operator/rehearsed.ts';
import { CliWorld } from '../../fakes/cli-world.ts';
import '../../setup/provided.ts';
import { configMapChart, deploymentChart, migrateChart, writeTree } from '../operator/charts.ts';

const NAMES = ['migrate', 'config', 'store', 'app'] as const;

const SLOW = `apiVersion: rehearse.kubepkg.dev/v1
kind: Scenario
metadata: {name: slow}
workloads:
  - {match: {name: "app*"}, readyAfter: 5s}
  - {match: {name: ap}, readyAfter: 9s}
`;

interface Recipe {
  readonly version: string;
  readonly names?: readonly (typeof NAMES)[number][];
  readonly safe?: boolean;
}

/** What is read of the document that `-o json` prints. */
interface Seen {
  readonly ending: string;
  readonly reason: string;
  readonly message: string;
  readonly exitCode: number;
  readonly seconds: number;
  readonly changed: readonly string[];
  readonly hookRuns: Readonly<Record<string, number>>;
  readonly asPromised: boolean;
  readonly broken: readonly string[];
  readonly killedAfter?: number;
  readonly steps: readonly { readonly number: number; readonly what: string }[];
  readonly scenes: readonly { readonly command: string; readonly text: string }[];
}

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const rehearsals: CliHost['withRehearsals'] = (settings, use) =>
  withRehearsals({ clock: new SystemClock(), env: process.env, startOperator: runRehearsedOperator }, settings, use);

/** Recipes on this disk, and the command that rehearses them as on anybody's machine. */
class Desk {
  dir = '';
  before = '';
  after = '';
  unsafe = '';

  async start(): Promise<void> {
    this.dir = await mkdtemp(join(tmpdir(), 'kubepkg-rehearse-'));
    this.before = await this.recipe({ version: '1.0.0' });
    this.after = await this.recipe({ version: '1.1.0' });
    this.unsafe = await this.recipe({ version: '1.1.0', safe: false });
  }

  async stop(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
  }

  async recipe({ version, safe = true, names = NAMES }: Recipe): Promise<string> {
    const edition = version.replaceAll('.', '-');
    const root = await writeTree(this.dir, {
      'charts/migrate': migrateChart(),
      'charts/config': { 'Chart.yaml': 'apiVersion: v2\nname: config\nversion: 1.0.0\n', ...configMapChart() },
      'charts/store': deploymentChart(edition),
      'charts/app': {
        ...deploymentChart(edition),
        'values.yaml': `replicas: 1\nimage: example.org/app:${version}\nsim: {}\n`,
      },
    });
    const component = (name: string): unknown => ({
      name,
      path: name,
      install: { namespace: 'shop', ...(name === 'migrate' ? { phase: 'PreUpgrade' } : {}) },
    });
    const recipe = {
      apiVersion: 'kubepkg.dev/v1',
      kind: 'Recipe',
      metadata: { name: 'shop' },
      spec: {
        version,
        build: 1,
        sources: Object.fromEntries(NAMES.map((name) => [name, { dir: `charts/${name}` }])),
        charts: Object.fromEntries(NAMES.map((name) => [name, { from: [name] }])),
        package: { rollback: { safe }, variants: [{ name: 'default', components: names.map(component) }] },
      },
    };
    await writeFile(join(root, 'recipe.yaml'), writeYaml(recipe));
    return root;
  }

  run(...argv: readonly string[]): Promise<Ran> {
    return this.#run(new CliWorld(), argv);
  }

  /** With a helper at the other end of a channel, as one in another thread would be. */
  async withHelper(...argv: readonly string[]): Promise<Ran & { readonly played: number }> {
    const world = new CliWorld();
    const played: unknown[] = [];
    const cacheDir = join(this.dir, 'cache-of-helper');
    world.hireHelpers = (task, ears) => {
      const { port1, port2 } = new MessageChannel();
      const host = { ...new CliWorld().host(), runCommand: runCli, withRehearsals: rehearsals };
      const serving = serveHelper(host, port2, structuredClone({ ...task, settings: { ...task.settings, cacheDir } }));
      port2.on('message', (message: ToHelper) => {
        if (message.kind === 'play') played.push(message.what);
      });
      const thread = Object.assign(new EventEmitter(), {
        postMessage: (message: ToHelper) => {
          port1.postMessage(message);
        },
      });
      port1.on('message', (message) => thread.emit('message', message));
      port1.on('close', () => thread.emit('exit', 0));
      serving.catch((error: unknown) => thread.emit('error', error));
      return Promise.resolve([new HelperThread(thread, task, ears)]);
    };
    return { ...(await this.#run(world, argv)), played: played.length };
  }

  async #run(world: CliWorld, argv: readonly string[]): Promise<Ran> {
    world.files.set('three.yaml', 'replicas: 3\n');
    world.files.set('slow.yaml', SLOW);
    world.rehearse = rehearsals;
    const places = ['--helm', inject('helm'), '--cache-dir', join(this.dir, 'cache')];
    const exitCode = await runCli(['rehearse', ...argv, ...places], world.host());
    return { exitCode, stdout: world.stdout.text, stderr: world.stderr.text };
  }

  async see(...argv: readonly string[]): Promise<Seen> {
    const { stdout, stderr } = await this.run(...argv, '-o', 'json');
    if (stdout === '') throw new Error(stderr);
    const [seen] = (JSON.parse(stdout) as { readonly upgrades: readonly Seen[] }).upgrades;
    if (seen === undefined) throw new Error('nothing was rehearsed');
    return seen;
  }
}

/** Without times: by chance they differ a little, and real programs have a hand in the order in which chance is drawn. */
function rowsOf(stdout: string): readonly unknown[] {
  const { upgrades } = JSON.parse(stdout) as { readonly upgrades: readonly Seen[] };
  return upgrades.map(({ ending, reason, message, exitCode, changed, hookRuns, broken, killedAfter, steps }) => {
    const taken = steps.map(({ number, what }) => `${String(number)} ${what}`);
    return { ending, reason, message, exitCode, changed, hookRuns, broken, killedAfter, taken };
  });
}

const desk = new Desk();
beforeAll(() => desk.start());
afterAll(() => desk.stop());

describe('kubepkg rehearse', { timeout: 120_000 }, () => {
  it('P1 shows what users see of an upgrade that goes well', async () => {
    const { exitCode, stdout } = await desk.run(desk.after, '--from', desk.before);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('$ kubepkg install shop -f from.yaml');
    expect(stdout).toContain('$ kubepkg upgrade shop -f to.yaml');
    expect(stdout).toContain('shop 1.1.0 is ready (revision 2)');
    expect(stdout).toMatch(/\$ kubepkg status shop\nshop {2}Ready/);
    expect(stdout).toContain('hooks run: migrate 1x');
  });

  it('P10 has a component that is never ready followed by a rollback of the whole package, ten minutes later', async () => {
    const seen = await desk.see(desk.after, '--from', desk.before, '--fail', 'app');
    expect(seen).toMatchObject({
      ending: 'rolled back',
      reason: 'UpgradeRolledBack',
      exitCode: 1,
      changed: [],
      broken: [],
    });
    expect(seen.seconds).toBeGreaterThanOrEqual(600);
    expect(seen.message).toContain('is not ready');
  });

  it.each([
    ['P11 one that crashes, where going back is not safe', 'app=crash', 'stopped'],
    ['P15 a hook that fails', 'migrate', 'stopped'],
    ['one that does not render', 'store=render', 'stopped'],
  ])('stops at %s', async (_what, fail, ending) => {
    const seen = await desk.see(desk.unsafe, '--from', desk.before, '--fail', fail, '--timeout', '2m');
    expect(seen).toMatchObject({ ending, reason: 'UpgradeFailed', broken: [] });
    expect(seen.seconds).toBeLessThan(300);
  });

  it.each([
    ['its hook is recorded', 'hook migrate is recorded as Submitted'],
    ['helm has made the Job of its hook', 'helm patches jobs shop/migrate'],
    ['a component is recorded', 'app is recorded as Submitted'],
  ])('P16 ends the same, and runs its hook once, when the operator is killed after %s', async (_what, step) => {
    const seen = await desk.see(desk.after, '--from', desk.before, '--kill', step);
    expect(seen).toMatchObject({ ending: 'applied', hookRuns: { migrate: 1 }, broken: [] });
    expect(seen.killedAfter).toBeGreaterThan(0);
  });

  it('asks for the upgrade as for the install: with values, and the time that components have', async () => {
    const words = ['--from', desk.before, '--values', 'app=three.yaml', '--timeout', '3m'];
    const { ending, scenes } = await desk.see(desk.after, ...words);
    expect(ending).toBe('applied');
    expect(scenes[0]?.command).toContain('--timeout 3m --values app=');
    expect(scenes.map(({ text }) => text).join('')).toMatch(/Scaled up replica set app-\S+ from \d to 3/);
  });

  it('says so where a failure has no effect, as nothing changes that could fail', async () => {
    const { exitCode, stdout } = await desk.run(desk.after, '--fail', 'app');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('no effect: nothing of app changes in this upgrade');
  });

  it('warns of rules of a scenario that have matched nothing, by their places in the file', async () => {
    const { exitCode, stderr } = await desk.run(desk.after, '--scenario', 'slow.yaml');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('warning: scenario slow.yaml: workloads[1] has matched nothing in this rehearsal\nhint: ');
  });

  it('is the same whenever it is run', async () => {
    const [one, other] = [
      await desk.see(desk.after, '--from', desk.before),
      await desk.see(desk.after, '--from', desk.before),
    ];
    expect(other.steps).toEqual(one.steps);
  });

  it('has the same rows in a matrix whoever plays them', { timeout: 600_000 }, async () => {
    const small = await desk.recipe({ version: '1.2.0', names: ['store'] });
    const before = await desk.recipe({ version: '1.1.0', names: ['store'] });
    const words = [small, '--from', before, '--matrix', '-o', 'json'];
    const alone = await desk.run(...words);
    const helped = await desk.withHelper(...words);
    expect(helped.played).toBeGreaterThan(0);
    expect(rowsOf(helped.stdout)).toEqual(rowsOf(alone.stdout));
  });

  it.each([
    ['a component that is not there', ['--fail', 'ap'], 'did you mean app?'],
    ['a step that is not there', ['--kill', 'nothing of that kind'], 'all of them: --steps'],
    ['a matrix of one failure', ['--matrix', '--fail', 'app'], 'leave out --fail'],
    ['an upgrade to where it is', ['--from', 'AFTER'], 'name another version with --from'],
    ['a time that is none', ['--timeout', '5x'], 'write a number and a unit'],
    ['another package before', ['--from', 'no-such-folder/x'], 'name the folder of a recipe.yaml'],
  ])('refuses %s, with the remedy', async (_what, words, hint) => {
    const { exitCode, stdout, stderr } = await desk.run(
      desk.after,
      ...words.map((word) => (word === 'AFTER' ? desk.after : word)),
    );
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(hint);
  });
});
