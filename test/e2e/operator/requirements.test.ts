import { afterAll, describe, expect, it } from 'vitest';
import type { Requirement, SourceComponent } from '../../../src/api/package-source.ts';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import { configMapChart, deploymentChart, migrateChart } from './charts.ts';
import { cure, inNamespace, isAt, messageOf, NEVER_READY, publish, says, sim, spoil } from './packages.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';

const world = await OperatorWorld.start();
afterAll(() => world.stop());
const tree = await world.push('requirements/tree', {
  app: deploymentChart(),
  config: configMapChart(),
  migrate: migrateChart(),
});
await world.startOperator();

/** A package of one component, in a namespace of its name. */
async function offer(name: string, requires: readonly Requirement[] = [], version = '1.0.0'): Promise<void> {
  await publish(world, name, { tree, version, requires, components: [inNamespace(name)('app')] });
}

const never: WrittenPackageSpec = { components: { app: sim(NEVER_READY) } };

interface Contradiction {
  readonly name: string;
  readonly chain: RegExp;
  readonly components: readonly SourceComponent[];
  readonly spec?: WrittenPackageSpec;
}

describe('a package that contradicts itself', () => {
  const component = inNamespace('contradictions');
  const fine = component('config', {}, 'fine');
  const rows: readonly Contradiction[] = [
    {
      name: 'P2 a circle',
      chain: /a → c → b → a|b → a → c → b|c → b → a → c/,
      components: [
        fine,
        component('config', { dependsOn: ['c'] }, 'a'),
        component('config', { dependsOn: ['a'] }, 'b'),
        component('config', { dependsOn: ['b'] }, 'c'),
      ],
    },
    {
      name: 'P2 an unknown dependency',
      chain: /ghost/,
      components: [fine, component('config', { dependsOn: ['ghost'] }, 'a')],
    },
    {
      name: 'P2 a disabled dependency',
      chain: /fine/,
      components: [component('config'), fine, component('config', { dependsOn: ['fine'] }, 'a')],
      spec: { components: { fine: { enabled: false } } },
    },
    {
      name: 'P17 a dependency on a hook',
      chain: /migrate/,
      components: [
        fine,
        component('migrate', { phase: 'PreUpgrade' }),
        component('config', { dependsOn: ['migrate'] }, 'a'),
      ],
    },
  ];

  it.each(rows)('$name is InvalidConfiguration before anything is touched', async (row) => {
    const { chain, components, spec } = row;
    const name = `contradiction-${String(rows.indexOf(row))}`;
    await publish(world, name, { tree, components });
    await world.applyPackage(name, spec);
    const pkg = await world.untilPackage(name, hasReason('InvalidConfiguration'));
    expect(messageOf(pkg)).toMatch(chain);
    expect(condition(pkg, 'Stalled')?.status).toBe('True');
    expect(await world.revisions(name)).toEqual([]);
    expect(await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'contradictions' })).toBeUndefined();
  });

  it('P2 P17 leaves what runs as it is when it becomes so by an edit', async () => {
    await offer('sane');
    await world.applyPackage('sane');
    await world.untilPackage('sane', isReady);
    const own = inNamespace('sane');
    const components = [own('app', { dependsOn: ['migrate'] }), own('migrate', { phase: 'PreUpgrade' })];
    await publish(world, 'sane', { tree, version: '2.0.0', components });
    const pkg = await world.untilPackage('sane', hasReason('InvalidConfiguration'));
    expect(pkg.status?.version).toBe('1.0.0');
    expect(condition(pkg, 'Available')?.status).toBe('True');
    expect(await world.revisions('sane')).toHaveLength(1);
  });

  it('a constraint that cannot be read is InvalidConfiguration', async () => {
    await offer('newest', [{ package: 'sane', version: 'newest' }]);
    await world.applyPackage('newest');
    expect(messageOf(await world.untilPackage('newest', hasReason('InvalidConfiguration')))).toContain('"newest"');
  });
});

describe('a package that requires another', () => {
  it('P3 F13a waits for its applied version, without an error, and starts within a second', async () => {
    await offer('db');
    await offer('api', [{ package: 'db', version: '>=2' }]);
    await world.applyPackage('db', { components: { late: sim(NEVER_READY) } });
    await world.untilPackage('db', isReady);
    await world.applyPackage('api');
    await world.untilPackage('api', says(/db is at 1\.0\.0/));
    const own = inNamespace('db');
    await publish(world, 'db', { tree, version: '2.0.0', components: [own('app'), own('app', {}, 'late')] });
    const waiting = await world.untilPackage('api', says(/db has a revision in progress/));
    expect(condition(waiting, 'Ready')?.reason).toBe('RequirementsNotMet');
    expect(condition(waiting, 'Stalled')).toBeUndefined();
    const available = world.untilPackage('db', isAt('2.0.0')).then(() => Date.now());
    const started = world.untilRevision('api-1', () => true).then(() => Date.now());
    await cure(world, 'db', 'late');
    expect((await started) - (await available), 'milliseconds').toBeLessThan(1000);
    await world.untilPackage('api', isReady);
  });

  it('P3 an API counts from the moment that somebody defines it', async () => {
    await offer('late', [{ capability: 'api:late.example.org/v1' }]);
    await world.applyPackage('late');
    const waiting = await world.untilPackage('late', hasReason('RequirementsNotMet'));
    expect(messageOf(waiting)).toContain('api:late.example.org/v1');
    await world.cluster.write({
      verb: 'create',
      object: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'things.late.example.org' },
        spec: {
          group: 'late.example.org',
          scope: 'Namespaced',
          names: { kind: 'Thing', plural: 'things' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      },
    });
    await world.untilPackage('late', isReady);
  });

  it('P4 an optional one that is absent is not waited for, one that is there is', async () => {
    await offer('plain', [{ package: 'extra', optional: true }]);
    await world.applyPackage('plain');
    await world.untilPackage('plain', isReady);
    await offer('extra');
    await world.applyPackage('extra', never);
    await world.untilPackage('extra', says(/is not ready/));
    await offer('ordered', [{ package: 'extra', optional: true }]);
    await world.applyPackage('ordered');
    await world.untilPackage('ordered', hasReason('RequirementsNotMet'));
    expect(await world.revisions('ordered')).toEqual([]);
    await cure(world, 'extra', 'app');
    await world.untilPackage('ordered', isReady);
  });

  it('P4 an optional one that would close a circle is ignored: the other comes second', async () => {
    await offer('hen', [{ package: 'egg', optional: true }]);
    await offer('egg', [{ package: 'hen' }]);
    await world.applyPackage('egg');
    await world.untilPackage('egg', hasReason('RequirementsNotMet'));
    await world.applyPackage('hen');
    await Promise.all([world.untilPackage('hen', isReady), world.untilPackage('egg', isReady)]);
    const [hen, egg] = await Promise.all([world.revisions('hen'), world.revisions('egg')]);
    const applied = hen[0]?.status?.appliedAt ?? '';
    expect(applied <= (egg[0]?.status?.components?.[0]?.startedAt ?? ''), 'the hen was there first').toBe(true);
  });

  it('P3 packages that require each other are told of their circle instead of waiting silently', async () => {
    await offer('left', [{ package: 'right' }]);
    await offer('right', [{ package: 'left' }]);
    await world.applyPackage('left');
    await world.applyPackage('right');
    const chain = says(/left → right → left|right → left → right/);
    const found = await Promise.all([world.untilPackage('left', chain), world.untilPackage('right', chain)]);
    expect(found.map((pkg) => condition(pkg, 'Ready')?.reason)).toEqual(['RequirementsNotMet', 'RequirementsNotMet']);
    await world.applyPackage('left', { ignoreDependencies: ['right'] });
    await Promise.all([world.untilPackage('left', isReady), world.untilPackage('right', isReady)]);
  });

  it('P5 R9 finishes a revision that has started, though what it requires degrades, and says so', async () => {
    await offer('base');
    await world.applyPackage('base');
    await world.untilPackage('base', isReady);
    await offer('upper', [{ package: 'base' }]);
    await world.applyPackage('upper', never);
    await world.untilPackage('upper', says(/is not ready/));
    await spoil(world, 'base', 'app');
    await world.untilPackage('base', hasReason('Degraded'));
    const told = await world.untilPackage('upper', ({ status }) => status?.dependencies?.base?.ready === false);
    expect(condition(told, 'Ready')?.reason).toBe('Progressing');
    await cure(world, 'upper', 'app');
    await world.untilPackage('upper', isReady);
  });
});
