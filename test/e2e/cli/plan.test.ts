import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WrittenPackageSourceSpec } from '../../../src/api/package-source.ts';
import type { PlanDocument } from '../../../src/cli/plan/document.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { deploymentChart, jobChart } from '../operator/charts.ts';
import { OperatorWorld } from '../operator/world.ts';
import { Program, type ProgramResult } from './program.ts';

/** A cluster with an operator at work, and somebody who plans before each change. */
class Journey {
  #world: OperatorWorld | undefined;
  readonly trees: Record<'first' | 'second', string> = { first: '', second: '' };

  async start(): Promise<void> {
    const world = await OperatorWorld.start();
    this.#world = world;
    const hook = { migrate: jobChart() };
    this.trees.first = await world.push('plan/first', { store: deploymentChart(), app: deploymentChart(), ...hook });
    this.trees.second = await world.push('plan/second', {
      store: deploymentChart('second'),
      app: deploymentChart(),
      ...hook,
    });
    await world.startOperator();
  }

  async stop(): Promise<void> {
    await this.#world?.stop();
  }

  get world(): OperatorWorld {
    if (this.#world === undefined) throw new Error('the journey has not begun');
    return this.#world;
  }

  async source(version: string, tree: 'first' | 'second', more: WrittenPackageSourceSpec = {}): Promise<string> {
    const install = { namespace: 'shop' };
    const components = [
      { name: 'app', path: 'app', install: { ...install, dependsOn: ['store'] } },
      { name: 'store', path: 'store', install },
      { name: 'migrate', path: 'migrate', install: { ...install, phase: 'PreUpgrade' as const } },
    ];
    const sourceRef = { kind: 'OCIArtifact' as const, url: this.trees[tree] };
    const spec = { version, sourceRef, variants: [{ name: 'default', components }], ...more };
    const file = join(this.world.dir, `shop-${version}.yaml`);
    await writeFile(
      file,
      writeYaml({ apiVersion: 'kubepkg.dev/v1', kind: 'PackageSource', metadata: { name: 'shop' }, spec }),
    );
    return file;
  }

  run(...argv: readonly string[]): Promise<ProgramResult> {
    return new Program({ KUBECONFIG: this.world.plane.kubeconfig, TMPDIR: this.world.dir }).run(argv);
  }

  plan(...argv: readonly string[]): Promise<ProgramResult> {
    const { plane, dir } = this.world;
    const found = ['--helm', plane.binaries.helm, '--registry-ca-file', plane.caFile, '--cache-dir', join(dir, 'cli')];
    return this.run('plan', 'shop', ...found, ...argv);
  }

  /** Names and contents of everything that a plan might have written. */
  async everything(): Promise<readonly string[]> {
    const kinds = ['Package', 'PackageSource', 'PackageRevision'].map((kind) => ({
      apiVersion: 'kubepkg.dev/v1',
      kind,
    }));
    const core = ['Secret', 'Namespace', 'ConfigMap'].map((kind) => ({ apiVersion: 'v1', kind }));
    const lists = await Promise.all([...kinds, ...core].map((selection) => this.world.cluster.list(selection)));
    return lists.flatMap(({ items }) =>
      items.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion ?? ''}`),
    );
  }
}

function planIn({ stdout }: ProgramResult): PlanDocument['packages'][number] {
  const [first] = (JSON.parse(stdout) as PlanDocument).packages;
  if (first === undefined) throw new Error('nothing was planned');
  return first;
}

function deedsOf({ steps }: PlanDocument['packages'][number]): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'hook' || step.kind === 'install' || step.kind === 'upgrade') return [step.component];
    return [];
  });
}

const journey = new Journey();
beforeAll(() => journey.start());
afterAll(() => journey.stop());

describe('P18 kubepkg plan with an operator at work', () => {
  it('says what an installation does, writes nothing, and the installation does just that', async () => {
    const file = await journey.source('1.0.0', 'first');
    const before = await journey.everything();
    const planned = await journey.plan('-f', file, '-o', 'json');
    expect(planned).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await journey.everything()).toEqual(before);
    const plan = planIn(planned);
    expect(deedsOf(plan)).toEqual(['store', 'app']);
    expect(plan).toMatchObject({
      change: 'install',
      end: { kind: 'converged' },
      namespaces: [{ name: 'shop', exists: false }],
      rollback: { possible: false },
    });
    expect(plan.objects.map(({ object, change }) => `${object} ${change}`)).toEqual(
      expect.arrayContaining(['Deployment shop/store created', 'Deployment shop/app created']),
    );
    expect(plan.findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
    const installed = await journey.run('install', 'shop', '-f', file);
    expect(installed).toMatchObject({ exitCode: 0 });
    const [revision] = await journey.world.revisions('shop');
    expect(revision?.spec.components?.map(({ name, chartDigest }) => [name, chartDigest])).toEqual(
      expect.arrayContaining(Object.entries(plan.inputs.charts)),
    );
  });

  it('says that nothing is to be done for what runs already', async () => {
    const planned = await journey.plan('-f', await journey.source('1.0.0', 'first'));
    expect(planned).toMatchObject({ exitCode: 0 });
    expect(planned.stdout).toMatch(/^shop: keep 1\.0\.0 .*\n.*\n {2}nothing to do: /);
  });

  it('tells the components that an upgrade changes from those that it leaves, and how their objects differ', async () => {
    const file = await journey.source('1.1.0', 'second', { rollback: { safe: true } });
    const plan = planIn(await journey.plan('-f', file, '-o', 'json'));
    expect(deedsOf(plan)).toEqual(['migrate', 'store']);
    expect(plan.components.map(({ name, change }) => [name, change])).toEqual([
      ['migrate', 'hook'],
      ['store', 'upgrade'],
      ['app', 'keep'],
    ]);
    expect(plan.rollback).toEqual({ possible: true, revision: 1, version: '1.0.0' });
    const changed = plan.objects.filter(({ change }) => change === 'changed');
    expect(changed.map(({ object, fields }) => [object, fields])).toEqual([
      ['Deployment shop/store', [{ field: 'metadata.labels.edition', before: 'first', after: 'second' }]],
    ]);
  });

  it('keeps a plan that holds as long as nothing changes', async () => {
    const file = await journey.source('1.1.0', 'second', { rollback: { safe: true } });
    const saved = join(journey.world.dir, 'shop.plan');
    const planned = await journey.plan('-f', file, '--save', saved);
    expect(planned.exitCode).toBe(0);
    const lines = planned.stdout.split('\n').map((line) => line.trim());
    expect(lines).toEqual(
      expect.arrayContaining([
        'shop: upgrade 1.0.0 → 1.1.0 (variant default, by helm)',
        '3. run hook migrate in shop/migrate, from 1.0.0 to 1.1.0',
        'should a component fail, the package is rolled back to revision 1 (1.0.0)',
        '~ Deployment shop/store (store) is changed',
      ]),
    );
    const first = JSON.parse(await readFile(saved, 'utf8')) as PlanDocument;
    await journey.plan('-f', file, '--save', saved);
    const second = JSON.parse(await readFile(saved, 'utf8')) as PlanDocument;
    expect(second).toEqual(first);
    expect(first.cluster).not.toBe('');
  });
});
