import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WrittenPackageSourceSpec } from '../../../src/api/package-source.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { deploymentChart } from '../operator/charts.ts';
import { OperatorWorld } from '../operator/world.ts';
import { Program, type ProgramResult } from './program.ts';

const SLOW = { sim: { 'sim.kubepkg.dev/ready-after': '2s' } };
const NEVER = { sim: { 'sim.kubepkg.dev/behavior': 'never-ready' } };

/** A cluster with an operator at work, and somebody at the command line. */
class Journey {
  #world: OperatorWorld | undefined;
  #tree = '';

  async start(): Promise<void> {
    this.#world = await OperatorWorld.start();
    this.#tree = await this.#world.push('cli/tree', { store: deploymentChart(), app: deploymentChart() });
    await this.#world.startOperator();
  }

  async stop(): Promise<void> {
    await this.#world?.stop();
  }

  get world(): OperatorWorld {
    if (this.#world === undefined) throw new Error('the journey has not begun');
    return this.#world;
  }

  source(name: string, version: string, more: WrittenPackageSourceSpec = {}): unknown {
    const install = { namespace: name };
    const components = [
      { name: 'app', path: 'app', install: { ...install, dependsOn: ['store'] } },
      { name: 'store', path: 'store', install },
    ];
    const sourceRef = { kind: 'OCIArtifact', url: this.#tree };
    const spec = { version, sourceRef, variants: [{ name: 'default', components }], ...more };
    return { apiVersion: 'kubepkg.dev/v1', kind: 'PackageSource', metadata: { name }, spec };
  }

  run(...argv: readonly string[]): Promise<ProgramResult> {
    return new Program({ KUBECONFIG: this.world.plane.kubeconfig }).run(argv);
  }

  /** Writes the objects to a file and installs it. */
  async install(objects: readonly unknown[], ...argv: readonly string[]): Promise<ProgramResult> {
    const text = objects.map((object) => `---\n${writeYaml(object)}`).join('');
    return this.run('install', '-f', await this.file('install.yaml', text), ...argv);
  }

  /** Why a package is there that nobody asked for. */
  async markOf(name: string): Promise<string | undefined> {
    const pkg = await this.world.cluster.read({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', name });
    return pkg?.metadata.annotations?.['kubepkg.dev/dependency'];
  }

  values(values: unknown): Promise<string> {
    return this.file('values.yaml', writeYaml(values));
  }

  async file(name: string, text: string): Promise<string> {
    const file = join(this.world.dir, name);
    await writeFile(file, text);
    return file;
  }
}

/** A package of one component that requires another package. */
function requiring(name: string, version?: string): WrittenPackageSourceSpec {
  const requires = [{ package: name, ...(version === undefined ? {} : { version }) }];
  const components = [{ name: 'app', path: 'app', install: { namespace: 'front' } }];
  return { variants: [{ name: 'default', requires, components }] };
}

const journey = new Journey();
beforeAll(() => journey.start());
afterAll(() => journey.stop());

describe('kubepkg install with an operator at work', () => {
  it('P1 installs, shows each component in its order, and ends when all are ready', async () => {
    const result = await journey.install(
      [journey.source('shop', '1.0.0')],
      'shop',
      '--values',
      `app=${await journey.values(SLOW)}`,
    );
    expect(result.stderr).not.toContain('warning');
    expect(result).toMatchObject({ exitCode: 0, stdout: 'shop 1.0.0 is ready (revision 1)\n' });
    const lines = result.stderr.split('\n');
    const indexOf = (text: string): number => lines.findIndex((line) => line.includes(text));
    expect(indexOf('shop: store Ready')).toBeGreaterThan(0);
    expect(indexOf('shop: app Submitted')).toBeGreaterThan(indexOf('shop: store Submitted'));
    expect(indexOf('shop: app Ready')).toBeGreaterThan(indexOf('shop: store Ready'));
  });

  it('upgrades by the same command with a new source, and never takes the old Ready for the new one', async () => {
    const result = await journey.install([journey.source('shop', '1.1.0')], 'shop');
    expect(result).toMatchObject({ exitCode: 0, stdout: 'shop 1.1.0 is ready (revision 2)\n' });
    expect(result.stderr).toMatch(/^upgrade +shop +1\.0\.0 +1\.1\.0 +default +asked for$/m);
  });

  it('a source that only says more of what runs already changes nothing, and the command ends well', async () => {
    const result = await journey.install([journey.source('shop', '1.1.0', { images: ['example.org/app:1'] })], 'shop');
    expect(result).toMatchObject({ exitCode: 0, stdout: 'shop 1.1.0 is ready (revision 2)\n' });
  });

  it('prints the package as data', async () => {
    const result = await journey.run('install', 'shop', '-o', 'json');
    expect(JSON.parse(result.stdout)).toMatchObject({
      kind: 'Package',
      status: { version: '1.1.0', currentRevision: 2 },
    });
  });

  it('ends with 1, the cause and the next step when the upgrade fails', async () => {
    const flags = ['--timeout', '5s', '--values', `app=${await journey.values(NEVER)}`];
    const result = await journey.install(
      [journey.source('shop', '1.2.0', { rollback: { safe: false } })],
      'shop',
      ...flags,
    );
    expect(result.exitCode).toBe(1);
    expect(result.stdout).toBe('');
    expect(result.stderr).toMatch(/^error: package shop: UpgradeFailed: .*app.*\nhint: .+\n$/m);
    const again = await journey.run('install', 'shop');
    expect(again.exitCode).toBe(1);
    const status = await journey.run('status', 'shop');
    expect(status.stdout).toMatch(/^shop {2}Failed {2}UpgradeFailed: .+\nhint: /);
  });

  it('refuses a requirement that nothing on offer meets, and writes nothing', async () => {
    const front = await journey.install([journey.source('front', '1.0.0', requiring('base'))], 'front');
    expect(front.exitCode).toBe(5);
    expect(front.stderr).toMatch(/^error: no versions fit together: .*nothing on offer is named base\nhint: .+\n$/);
    expect((await journey.run('list')).stdout).not.toContain('front');
  });

  it('P3 installs what is required with it, marked as a dependency, and ready before the other starts', async () => {
    const sources = [journey.source('front', '1.0.0', requiring('base', '<2')), journey.source('base', '1.0.0')];
    const both = await journey.install(sources, 'front');
    expect(both).toMatchObject({
      exitCode: 0,
      stdout: 'base 1.0.0 is ready (revision 1)\nfront 1.0.0 is ready (revision 1)\n',
    });
    expect(both.stderr).toMatch(/^install +base +- +1\.0\.0 +default +front 1\.0\.0 requires base <2$/m);
    const lines = both.stderr.split('\n');
    const indexOf = (text: string): number => lines.findIndex((line) => line.includes(text));
    expect(indexOf('front: app Submitted')).toBeGreaterThan(indexOf('base: app Ready'));
    expect(await journey.markOf('base')).toBe('required by front');
  });

  it('R4.17 keeps a package where an installed one needs it, and asking for it takes its mark away', async () => {
    const refused = await journey.install([journey.source('base', '2.0.0')], 'base');
    expect(refused.exitCode).toBe(5);
    expect(refused.stderr).toContain('front 1.0.0 (installed) requires base <2');
    expect(await journey.run('install', 'base')).toMatchObject({ exitCode: 0 });
    expect(await journey.markOf('base')).toBeUndefined();
  });

  it('P3 waits for a requirement that is not ready, and ends with 3', async () => {
    const flags = ['--values', `app=${await journey.values(NEVER)}`, '--no-wait'];
    await journey.install([journey.source('stuck', '1.0.0')], 'stuck', ...flags);
    const sources = [journey.source('late', '1.0.0', requiring('stuck'))];
    const late = await journey.install(sources, 'late', '--wait-timeout', '3s');
    expect(late.exitCode).toBe(3);
    expect(late.stderr).toContain('RequirementsNotMet: ');
    expect((await journey.run('list')).stdout).toMatch(/^late .* Waiting +RequirementsNotMet$/m);
  });

  it('ends with 5 when the operator finds the package cannot be carried out as written', async () => {
    const path = { name: 'gone', path: 'gone', install: { namespace: 'wrong' } };
    const result = await journey.install([
      journey.source('wrong', '1.0.0', { variants: [{ name: 'default', components: [path] }] }),
      { apiVersion: 'kubepkg.dev/v1', kind: 'Package', metadata: { name: 'wrong' }, spec: {} },
    ]);
    expect(result.exitCode).toBe(5);
    expect(result.stderr).toMatch(/^error: package wrong: InvalidConfiguration: .+\nhint: .+\n$/m);
  });
});
