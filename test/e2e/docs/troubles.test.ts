import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { BreakableProxy } from '../../conformance/breakable-proxy.ts';
import { Program, type ProgramResult } from '../cli/program.ts';
import { configMapChart, deploymentChart, jobChart } from '../operator/charts.ts';
import { createNamespace, inNamespace, publish, sim } from '../operator/packages.ts';
import { hasReason, isReady, OperatorWorld } from '../operator/world.ts';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

/** An operator at work, a registry behind a line that can be cut, and somebody at the command line. */
class Desk {
  #world: OperatorWorld | undefined;
  #proxy: BreakableProxy | undefined;
  #tree = '';

  async start(): Promise<void> {
    const world = await OperatorWorld.start({ audit: false });
    this.#world = world;
    this.#proxy = await BreakableProxy.start(Number(new URL(`https://${this.#registry}`).port));
    this.#tree = await world.push('troubles/tree', {
      app: deploymentChart(),
      settings: configMapChart(),
      job: jobChart(),
    });
    await world.startOperator();
  }

  async stop(): Promise<void> {
    await this.#world?.stop();
    await this.#proxy?.close();
  }

  get world(): OperatorWorld {
    if (this.#world === undefined) throw new Error('the desk is not set up');
    return this.#world;
  }

  get line(): BreakableProxy {
    if (this.#proxy === undefined) throw new Error('the desk is not set up');
    return this.#proxy;
  }

  get #registry(): string {
    return this.world.plane.registry?.host ?? '';
  }

  /** The charts of all packages here, on the straight way or by the line that can be cut. */
  tree({ byLine = false }: { readonly byLine?: boolean } = {}): string {
    return byLine ? this.#tree.replace(this.#registry, `127.0.0.1:${String(this.line.port)}`) : this.#tree;
  }

  run(...argv: readonly string[]): Promise<ProgramResult> {
    const { plane, dir } = this.world;
    return new Program({ KUBECONFIG: plane.kubeconfig, TMPDIR: dir }).run(argv);
  }

  /** As somebody has it installed, ready. */
  async installed(name: string, components: readonly SourceComponent[], spec: WrittenPackageSpec = {}): Promise<void> {
    await publish(this.world, name, { tree: this.tree(), components, safe: true });
    await this.world.applyPackage(name, spec);
    await this.world.untilPackage(name, isReady);
  }

  async values(name: string, values: unknown): Promise<string> {
    const file = join(this.world.dir, `${name}-values.yaml`);
    await writeFile(file, writeYaml(values));
    return file;
  }
}

const desk = new Desk();
beforeAll(() => desk.start());
afterAll(() => desk.stop());

describe('F69 what failed is tried again without an edit', { timeout: 120_000 }, () => {
  it('F69 by itself, where a registry was away', async () => {
    const { world, line } = desk;
    line.refuse(true);
    await publish(world, 'away', { tree: desk.tree({ byLine: true }), components: [inNamespace('away')('settings')] });
    await world.applyPackage('away');
    await world.untilPackage('away', hasReason('FetchFailed'));
    expect((await desk.run('list')).stdout).toMatch(/^away .* Waiting .*FetchFailed/m);
    line.refuse(false);
    await world.untilPackage('away', isReady);
    expect(await world.revisions('away')).toHaveLength(1);
  });

  it('F69 by kubepkg retry, where something stood in the way that has nothing to do with the package', async () => {
    const { world } = desk;
    const place = { ...CONFIG_MAP, namespace: 'taken', name: 'settings' };
    await createNamespace(world, 'taken');
    const object = { ...CONFIG_MAP, metadata: { namespace: 'taken', name: 'settings' } };
    await world.cluster.write({ verb: 'create', object });
    await publish(world, 'taken', { tree: desk.tree(), components: [inNamespace('taken')('settings')] });
    await world.applyPackage('taken');
    const failed = await world.untilPackage('taken', hasReason('UpgradeFailed'));
    expect((await desk.run('retry', 'taken')).exitCode).toBe(1);
    await world.cluster.write({ verb: 'delete', ref: place });
    const retried = await desk.run('retry', 'taken');
    expect(retried).toMatchObject({ exitCode: 0, stdout: 'taken 1.0.0 is ready (revision 3)\n' });
    const ready = await world.untilPackage('taken', isReady);
    expect(ready.metadata.generation, 'nobody has edited it').toBe(failed.metadata.generation);
  });
});

describe('F76 what was undone is still explained', { timeout: 120_000 }, () => {
  it('F76 a release that was removed again has left its objects, its pods and its exit code behind', async () => {
    const { world } = desk;
    const own = inNamespace('undone');
    await desk.installed('undone', [own('settings')]);
    const components = [own('settings'), own('job', { dependsOn: ['settings'] })];
    await world.applyPackage('undone', { components: { job: sim({ 'exit-code': '3' }) }, suspend: true });
    await publish(world, 'undone', { tree: desk.tree(), version: '1.1.0', safe: true, components });
    const upgrade = await desk.run('resume', 'undone');
    expect(upgrade.exitCode).toBe(1);
    expect(upgrade.stderr).toMatch(/^error: package undone: UpgradeRolledBack: .*exit code 3/m);
    const { items } = await world.cluster.list({ apiVersion: 'batch/v1', kind: 'Job', namespace: 'undone' });
    expect(items, 'nothing is left of it in the cluster').toEqual([]);
    const { stdout } = await desk.run('status', 'undone');
    expect(stdout).toMatch(/Job undone\/job: failed.*pod job-\S+: container job last ended with exit code 3/);
    const undone = (await world.revisions('undone')).find(({ status }) => status?.phase === 'RolledBack');
    expect(undone?.status?.evidence).toMatchObject({ component: 'job' });
  });
});

describe('F77 a deadline says what was waited for', { timeout: 120_000 }, () => {
  it('F77 the error names object, state, pod and cause, and so do status and list', async () => {
    const own = inNamespace('late');
    await desk.installed('late', [own('app')], { upgrade: { atomic: false } });
    const values = await desk.values('late', { sim: { 'sim.kubepkg.dev/behavior': 'image-pull-error' } });
    const result = await desk.run('install', 'late', '--values', `app=${values}`, '--timeout', '15s');
    const cause =
      /not ready at its deadline .*Deployment late\/app: .* replicas .*pod app-\S+: container app cannot pull image example\.org\/app:1\.0\.0: .*manifest unknown/;
    expect(result.exitCode).toBe(1);
    expect(result.stderr.split('\n').find((line) => line.startsWith('error: '))).toMatch(cause);
    expect(result.stderr).not.toMatch(/timed out waiting for the condition/);
    expect((await desk.run('status', 'late')).stdout.split('\n')[0]).toMatch(cause);
    expect((await desk.run('list', '-o', 'wide')).stdout).toMatch(cause);
  });
});

describe('F96 what a change is going to do can be seen before', { timeout: 120_000 }, () => {
  it('F96 plan shows the difference of each object that would change, and nothing is changed by that', async () => {
    const { world } = desk;
    await desk.installed('seen', [inNamespace('seen')('app')]);
    const values = await desk.values('seen', { replicas: 2, image: 'example.org/app:2' });
    const found = ['--helm', world.plane.binaries.helm, '--registry-ca-file', world.plane.caFile];
    const cache = ['--cache-dir', join(world.dir, 'cli')];
    const { exitCode, stdout } = await desk.run('plan', 'seen', '--values', `app=${values}`, ...found, ...cache);
    expect(exitCode).toBe(0);
    const changed = stdout.split('\n').filter((line) => /^\s*[-+] .*(replicas|image):/.test(line));
    expect(changed.map((line) => line.replaceAll(/\s+/g, ' ').trim())).toEqual([
      '- replicas: 1',
      '+ replicas: 2',
      '- image: example.org/app:1.0.0',
      '+ image: example.org/app:2',
    ]);
    expect(await world.revisions('seen')).toHaveLength(1);
  });
});
