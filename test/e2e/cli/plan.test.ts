import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WrittenPackageSourceSpec } from '../../../src/api/package-source.ts';
import type { PlanDocument } from '../../../src/cli/plan/document.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { deploymentChart, jobChart } from '../operator/charts.ts';
import { customKind } from '../operator/fake-operator.ts';
import { condition, isReady, OperatorWorld } from '../operator/world.ts';
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

describe('P18 install --plan with an operator at work', () => {
  const saved = (): string => join(journey.world.dir, 'approved.plan');
  const install = (): Promise<ProgramResult> => journey.run('install', '--plan', saved(), '--yes', '-o', 'name');

  async function planned(version: string, more: WrittenPackageSourceSpec = {}): Promise<void> {
    const file = await journey.source(version, 'second', { rollback: { safe: true }, ...more });
    expect((await journey.plan('-f', file, '--save', saved(), '--fail-on', 'never')).exitCode).toBe(0);
  }

  async function refusal(): Promise<string> {
    // What the last change left is put away by then.
    await journey.world.untilPackage('shop', (pkg) => isReady(pkg) && condition(pkg, 'Reconciling') === undefined);
    const before = await journey.everything();
    const { exitCode, stderr } = await install();
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2 });
    expect(await journey.everything()).toEqual(before);
    return stderr;
  }

  it('carries out what was planned', async () => {
    await planned('1.1.0');
    expect(await install()).toMatchObject({ exitCode: 0, stdout: 'package.kubepkg.dev/shop\n' });
    const { status } = await journey.world.untilPackage('shop', () => true);
    expect(status?.version).toBe('1.1.0');
  });

  it('refuses a plan once it was carried out, and says so', async () => {
    expect(await refusal()).toContain('the plan was carried out already: shop');
  });

  it('refuses when the values have changed since', async () => {
    await planned('1.2.0');
    await journey.world.applyPackage('shop', { components: { app: { values: { label: 'other' } } } });
    await journey.world.untilPackage('shop', (pkg) => isReady(pkg) && pkg.status?.currentRevision === 3);
    expect(await refusal()).toMatch(/package shop: .*has changed/);
  });

  it('refuses when the charts have changed since', async () => {
    await planned('1.2.0');
    const source = await journey.source('1.2.0', 'first', { rollback: { safe: true } });
    expect(await journey.run('install', 'shop', '-f', source, '--yes')).toMatchObject({ exitCode: 0 });
    expect(await refusal()).toContain('the chart of component store has changed');
  });

  it('refuses when a required package, or a CRD of the package, has changed since', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'wares.example.org' };
    const { cluster } = journey.world;
    await cluster.write({ verb: 'create', object: customKind('example.org', 'Ware') });
    const variants = [
      {
        name: 'default',
        requires: [{ package: 'base' }],
        components: [{ name: 'app', path: 'app', install: { namespace: 'shop' } }],
      },
    ];
    await journey.world.applySource('base', {
      version: '1.0.0',
      sourceRef: { kind: 'OCIArtifact', url: journey.trees.first },
      variants: [{ name: 'default', components: [{ name: 'app', path: 'app', install: { namespace: 'base' } }] }],
    });
    await journey.world.applyPackage('base');
    await journey.world.untilPackage('base', isReady);
    await planned('1.3.0', { variants, crds: [crd.name] });
    await cluster.write({ verb: 'merge-patch', ref: crd, patch: { metadata: { labels: { changed: 'yes' } } } });
    expect(await refusal()).toContain(`CustomResourceDefinition ${crd.name} has changed`);
    await planned('1.3.0', { variants, crds: [crd.name] });
    await journey.world.applySource('base', {
      version: '1.0.1',
      sourceRef: { kind: 'OCIArtifact', url: journey.trees.first },
      variants: [{ name: 'default', components: [{ name: 'app', path: 'app', install: { namespace: 'base' } }] }],
    });
    await journey.world.untilPackage('base', (pkg) => isReady(pkg) && pkg.status?.version === '1.0.1');
    expect(await refusal()).toContain('the required package base is at version 1.0.1 now');
  });

  it('refuses a plan that was edited, and other packages beside it', async () => {
    await planned('1.4.0');
    const text = await readFile(saved(), 'utf8');
    await writeFile(saved(), text.replaceAll('1.4.0', '1.5.0'));
    expect(await refusal()).toContain('was changed after it was saved');
    await writeFile(saved(), text);
    expect(await journey.run('install', 'shop', '--plan', saved())).toMatchObject({ exitCode: 2 });
  });
});
