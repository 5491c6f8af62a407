import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube.ts';
import type { Requirement, WrittenPackageSourceSpec } from '../../../src/api/package-source.ts';
import { at } from '../../../src/lib/json.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { configMapChart, deploymentChart, HOLD, writeTree } from '../operator/charts.ts';
import { imagesOf, letGo } from '../operator/packages.ts';
import { runHelm } from '../operator/run-helm.ts';
import { OperatorWorld } from '../operator/world.ts';
import { Program, type ProgramResult, type RunningProgram } from './program.ts';

const HELD = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}, finalizers: [${HOLD}]}
`;

interface Published {
  readonly version?: string;
  readonly safe?: boolean;
  readonly requires?: readonly Requirement[];
  readonly chart?: 'app' | 'held';
  readonly image?: string;
}

/** A cluster with an operator at work, and somebody at the command line. */
class Desk {
  #world: OperatorWorld | undefined;
  #tree = '';

  async start(): Promise<void> {
    this.#world = await OperatorWorld.start({ audit: false, users: [{ name: 'powerless', groups: [] }] });
    const held = { ...configMapChart(), 'templates/config.yaml': HELD };
    this.#tree = await this.world.push('changing/tree', { app: deploymentChart(), held });
    await this.world.startOperator();
  }

  async stop(): Promise<void> {
    await this.#world?.stop();
  }

  get world(): OperatorWorld {
    if (this.#world === undefined) throw new Error('the desk is not set up');
    return this.#world;
  }

  get program(): Program {
    return new Program({ KUBECONFIG: this.world.plane.kubeconfig });
  }

  run(...argv: readonly string[]): Promise<ProgramResult> {
    return this.program.run(argv);
  }

  begin(...argv: readonly string[]): RunningProgram {
    return this.program.start(argv);
  }

  /** Installs a version of a package with the command that is named. */
  async put(command: 'install' | 'upgrade', name: string, wanted: Published = {}): Promise<ProgramResult> {
    const path = await this.file(`${name}.yaml`, this.#source(name, wanted));
    const { image } = wanted;
    const values = image === undefined ? [] : ['--values', `app=${await this.file('values.yaml', { image })}`];
    return this.run(command, name, '-f', path, ...values);
  }

  /** Only writes the source. */
  async offer(name: string, wanted: Published = {}): Promise<void> {
    await this.world.applySource(name, this.#spec(name, wanted));
  }

  #source(name: string, wanted: Published): unknown {
    return { apiVersion: 'kubepkg.dev/v1', kind: 'PackageSource', metadata: { name }, spec: this.#spec(name, wanted) };
  }

  #spec(
    name: string,
    { version = '1.0.0', safe = true, requires = [], chart = 'app' }: Published,
  ): WrittenPackageSourceSpec {
    const components = [{ name: 'app', path: chart, install: { namespace: name } }];
    const sourceRef = { kind: 'OCIArtifact' as const, url: this.#tree };
    return {
      version,
      rollback: { safe },
      sourceRef,
      variants: [{ name: 'default', components, requires: [...requires] }],
    };
  }

  async file(name: string, value: unknown): Promise<string> {
    const path = join(this.world.dir, name);
    await writeFile(path, writeYaml(value));
    return path;
  }
}

const desk = new Desk();
beforeAll(() => desk.start());
afterAll(() => desk.stop());

describe('kubepkg upgrade, rollback and retry with an operator at work', { timeout: 120_000 }, () => {
  it('refuses to upgrade what is not installed', async () => {
    const result = await desk.put('upgrade', 'shop');
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('it is not installed: kubepkg install shop');
  });

  it('P19 takes an upgrade back, waits until it is, and holds there', async () => {
    await desk.put('install', 'shop', { image: 'example.org/app:1' });
    const up = await desk.put('upgrade', 'shop', { version: '1.1.0', image: 'example.org/app:2' });
    expect(up).toMatchObject({ exitCode: 0, stdout: 'shop 1.1.0 is ready (revision 2)\n' });
    const back = await desk.run('rollback', 'shop');
    expect(back).toMatchObject({
      exitCode: 0,
      stdout: 'shop 1.0.0 is ready (revision 3), rolled back as requested\n',
    });
    expect(await imagesOf(desk.world, 'shop')).toEqual(['app example.org/app:1']);
  });

  it('goes on to what is wanted by retry', async () => {
    const result = await desk.run('retry', 'shop');
    expect(result).toMatchObject({ exitCode: 0, stdout: 'shop 1.1.0 is ready (revision 4)\n' });
    expect(result.stderr).toContain('goes on to the version that is wanted');
  });

  it('P22 says of an object that was deleted by hand how it is put back, and that helps', async () => {
    await desk.put('install', 'bereft');
    const lost = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'bereft', name: 'app' };
    await desk.world.cluster.write({ verb: 'delete', ref: lost });
    const retried = await desk.run('retry', 'bereft');
    expect(retried.exitCode).toBe(1);
    expect(retried.stderr).toContain('bereft lacks Deployment bereft/app of component app\n');
    expect(retried.stderr).toMatch(/\nerror: package bereft waits in vain: Deployment bereft\/app .*\nhint: .*/);
    expect(retried.stderr).toContain('kubepkg get manifest bereft app -o json --show-secrets | kubectl apply');
    const manifest = await desk.run('get', 'manifest', 'bereft', 'app', '-o', 'json', '--show-secrets');
    const { items } = JSON.parse(manifest.stdout) as { items: readonly KubeObject[] };
    for (const object of items) await desk.world.cluster.write({ verb: 'apply', object, force: false });
    const waited = await desk.run('wait', 'bereft', '--timeout', '1m');
    expect(waited).toMatchObject({ exitCode: 0, stdout: 'bereft 1.0.0 is ready (revision 2)\n' });
  });

  it('P11 refuses past an unsafe version as the operator would, and forces it when told to', async () => {
    await desk.put('upgrade', 'shop', { version: '2.0.0', safe: false, image: 'example.org/app:3' });
    const refused = await desk.run('rollback', 'shop');
    expect(refused.exitCode).toBe(5);
    expect(refused.stderr).toMatch(/^error: package shop: .*2\.0\.0 does not declare.*\nhint: .*--force\n$/);
    const forced = await desk.run('rollback', 'shop', '--force', '-o', 'json');
    expect(forced.exitCode).toBe(0);
    expect(JSON.parse(forced.stdout)).toMatchObject({ kind: 'Package', status: { version: '1.1.0' } });
    expect(await imagesOf(desk.world, 'shop')).toEqual(['app example.org/app:2']);
  });

  it('names the revisions that there are', async () => {
    const result = await desk.run('rollback', 'shop', '--to', '99');
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('revision 1 (1.0.0), revision 2 (1.1.0)');
  });

  it('the API server checks a dry run, and nothing is written', async () => {
    const before = await desk.run('status', 'shop', '-o', 'json');
    for (const argv of [
      ['rollback', 'shop', '--to', '1', '--force'],
      ['retry', 'shop'],
      ['suspend', 'shop'],
    ]) {
      expect(await desk.run(...argv, '--dry-run')).toMatchObject({ exitCode: 0 });
    }
    expect(await desk.run('remove', 'shop', '--dry-run')).toMatchObject({ exitCode: 0 });
    expect((await desk.run('status', 'shop', '-o', 'json')).stdout).toBe(before.stdout);
  });

  it('suspends until it is resumed', async () => {
    expect(await desk.run('suspend', 'shop')).toMatchObject({ exitCode: 0, stdout: 'shop is suspended\n' });
    const waiting = await desk.run('wait', 'shop', '--timeout', '0');
    expect(waiting).toMatchObject({ exitCode: 3 });
    expect((await desk.run('resume', 'shop')).exitCode).toBe(0);
    expect(await desk.run('wait', 'shop', '--for=Available')).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['rollback', ['shop', '--to', '1', '--force']],
    ['retry', ['shop']],
    ['suspend', ['shop']],
    ['remove', ['shop']],
    ['wait', ['shop']],
    ['watch', ['shop']],
  ])('%s names the right that is missing', async (command, argv) => {
    const kubeconfig = desk.world.plane.kubeconfigFor('powerless');
    const result = await desk.run(command, ...argv, '--kubeconfig', kubeconfig);
    expect(result.exitCode).toBe(4);
    expect(result.stderr).toMatch(/^error: .*cannot list resource "packages".*\nhint: /);
  });
});

describe('kubepkg watch in a pipe', { timeout: 60_000 }, () => {
  it('ends quietly when its reader does', async () => {
    await desk.put('install', 'piped');
    const bundle = process.env['KUBEPKG_PROGRAM'] ?? 'dist/kubepkg.js';
    const script = `"${process.execPath}" "${bundle}" watch piped -o json | head -1; echo "ended \${PIPESTATUS[0]}"`;
    const env = { ...process.env, KUBECONFIG: desk.world.plane.kubeconfig };
    const pipe = spawn('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(pipe, 'close');
    let text = '';
    pipe.stdout.setEncoding('utf8');
    const first = new Promise<void>((resolve) => {
      pipe.stdout.on('data', (chunk: string) => {
        text += chunk;
        resolve();
      });
    });
    await first;
    await desk.run('suspend', 'piped');
    await closed;
    const [line = '', end] = text.trimEnd().split('\n');
    expect(JSON.parse(line)).toMatchObject({ name: 'piped', state: 'Ready' });
    expect(end).toBe('ended 0');
  });
});

describe('kubepkg remove with an operator at work', { timeout: 120_000 }, () => {
  it('P20 protects what is required, and takes both away when both are named', async () => {
    await desk.put('install', 'base');
    await desk.put('install', 'front', { requires: [{ package: 'base', version: '>=1' }] });
    const refused = await desk.run('remove', 'base');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('front requires package base, version >=1');
    const removed = await desk.run('remove', 'base', 'front');
    expect(removed).toMatchObject({ exitCode: 0, stdout: 'front is removed\nbase is removed\n' });
    expect(removed.stderr).toContain('Namespace base');
    for (const name of ['base', 'front']) expect(await desk.world.records(name, 'app')).toEqual([]);
  });

  it('P20 says what holds it up, and wait hears when it is gone', async () => {
    await desk.put('install', 'stuck', { chart: 'held' });
    const result = await desk.run('remove', 'stuck', '--timeout', '5s');
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toMatch(new RegExp(`error: package stuck is not gone after 5s: .*ConfigMap.*${HOLD}`));
    const waiting = desk.begin('wait', 'stuck', '--for=Removed');
    await waiting.shows('stuck: ');
    await letGo(desk.world, 'stuck', 'app');
    expect(await waiting.result).toMatchObject({ exitCode: 0, stdout: 'stuck is removed\n' });
  });
});

describe('kubepkg adopt with an operator at work', { timeout: 120_000 }, () => {
  it('P21 takes a release over with its values, without making anything anew', async () => {
    const chart = join(await writeTree(desk.world.dir, { app: deploymentChart() }), 'app');
    const place = ['--namespace', 'legacy', '--create-namespace'];
    await runHelm(desk.world, ['install', 'old-app', chart, ...place, '--set', 'image=example.org/app:7']);
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'legacy', name: 'old-app' };
    const uid = (await desk.world.cluster.read(deployment))?.metadata.uid;
    await desk.offer('legacy');
    const result = await desk.run('adopt', 'legacy', '--component', 'app=legacy/old-app');
    expect(result).toMatchObject({ exitCode: 0, stdout: 'legacy 1.0.0 is ready (revision 1)\n' });
    expect(result.stderr).toMatch(/^app +legacy\/old-app +app-1\.0\.0, revision 1, deployed +image$/m);
    expect((await desk.world.cluster.read(deployment))?.metadata.uid).toBe(uid);
    const pkg = await desk.world.cluster.read({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: 'legacy' });
    expect(at(pkg, 'spec', 'components', 'app')).toEqual({
      namespace: 'legacy',
      releaseName: 'old-app',
      values: { image: 'example.org/app:7' },
    });
  });
});

describe('without an operator', { timeout: 60_000 }, () => {
  it('wait says so at once, and the others do what they can', async () => {
    await desk.world.killOperator('SIGTERM');
    await desk.offer('alone');
    await desk.run('install', 'alone', '--no-wait');
    const wait = await desk.run('wait', 'alone');
    expect(wait.exitCode).toBe(4);
    expect(wait.stderr).toMatch(/^error: no operator seems to be running: .*\nhint: /);
    const retry = await desk.run('retry', 'alone', '--no-wait');
    expect(retry).toMatchObject({ exitCode: 0, stdout: 'alone is to be tried again\n' });
    expect(retry.stderr).toContain('warning: no operator');
  });
});
