import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { deploymentChart, HOLD, markChart, migrateChart, namespaceChart } from './charts.ts';
import {
  countJobs,
  cure,
  imagesOf,
  inNamespace,
  isAt,
  letGo,
  messageOf,
  NEVER_READY,
  numbersOf,
  phases,
  publish,
  says,
  sim,
} from './packages.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';

const world = await OperatorWorld.start({ audit: false });
afterAll(() => world.stop());
const tree = await world.push('scenarios/tree', {
  app: deploymentChart(),
  mark: markChart(),
  held: markChart([HOLD]),
  migrate: migrateChart(),
  space: { ...namespaceChart('scenario-space'), ...deploymentChart() },
  strict: {
    ...migrateChart(),
    'values.schema.json': JSON.stringify({ type: 'object', additionalProperties: false, properties: { sim: {} } }),
  },
  closed: {
    ...markChart(),
    'values.schema.json': JSON.stringify({ type: 'object', additionalProperties: false, properties: { mark: {} } }),
  },
  invalid: {
    ...deploymentChart(),
    'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: left-over}\n',
    'templates/z.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: Not_A_Name}\n',
  },
});
await world.startOperator();

const image = (tag: string): { values: { image: string } } => ({ values: { image: `example.org/app:${tag}` } });

const exists = async (kind: string, namespace: string, name: string): Promise<boolean> =>
  (await world.cluster.read({ apiVersion: 'v1', kind, ...(kind === 'Namespace' ? {} : { namespace }), name })) !==
  undefined;

describe('an upgrade that fails', { timeout: 120_000 }, () => {
  it.concurrent('P10 P11 is not rolled back past an unsafe version that a later safe one has skipped', async () => {
    const own = inNamespace('skipped');
    const at = (version: string, safe: boolean): Promise<void> =>
      publish(world, 'skipped', { tree, version, safe, components: [own('app')] });
    await at('1.0.0', true);
    await world.applyPackage('skipped', { components: { app: image('1.0.0') } });
    await world.untilPackage('skipped', isReady);
    const broken = (tag: string): { values: JsonObject } => ({
      values: { ...image(tag).values, ...sim(NEVER_READY).values },
    });
    await world.applyPackage('skipped', {
      suspend: true,
      upgrade: { timeout: '6s' },
      components: { app: broken('2') },
    });
    await at('2.0.0', false);
    await world.applyPackage('skipped', { upgrade: { timeout: '6s' }, components: { app: broken('2') } });
    await world.untilPackage('skipped', hasReason('UpgradeFailed'));
    await at('2.1.0', true);
    await world.untilPackage('skipped', (pkg) => hasReason('UpgradeFailed')(pkg) && messageOf(pkg).includes('2.1.0'));
    expect(phases(await world.revisions('skipped'))).toEqual(['Applied', 'Failed', 'Failed']);
    expect(await imagesOf(world, 'skipped')).toEqual(['app example.org/app:2']);
  });

  it.concurrent('P10 is rolled back, though an old component needs its old dependency, which comes back after it', async () => {
    const own = inNamespace('old-needs');
    const config = { apiVersion: 'v1', kind: 'ConfigMap', name: 'mark' };
    const at = (version: string, mark: string): Promise<void> =>
      publish(world, 'old-needs', {
        tree,
        version,
        safe: true,
        components: [
          own('mark'),
          own('app', {
            dependsOn: ['mark'],
            readyWhen: [
              { ...config, expression: `data.mark == '${mark}'`, status: 'True', observedGeneration: 'Ignore' },
            ],
          }),
        ],
      });
    const values = (mark: string): { mark: { values: JsonObject }; app: { values: JsonObject } } => ({
      mark: { values: { mark } },
      app: image(mark),
    });
    await at('1.0.0', 'old');
    await world.applyPackage('old-needs', { components: values('old') });
    await world.untilPackage('old-needs', isReady);
    await world.applyPackage('old-needs', { suspend: true });
    await at('2.0.0', 'never');
    await world.applyPackage('old-needs', { upgrade: { timeout: '8s' }, components: values('new') });
    const pkg = await world.untilPackage('old-needs', hasReason('UpgradeRolledBack'));
    expect(condition(pkg, 'Available')?.status).toBe('True');
    expect(await imagesOf(world, 'old-needs')).toEqual(['app example.org/app:old']);
    expect(phases(await world.revisions('old-needs'))).toContain('RolledBack');
  });

  it.concurrent('F65 F67 half-way leaves nothing behind once it is rolled back, and a fixed version goes through', async () => {
    const own = inNamespace('half');
    const at = (version: string, chart: string): Promise<void> =>
      publish(world, 'half', { tree, version, safe: true, components: [own('app'), own(chart, {}, 'more')] });
    await at('1.0.0', 'app');
    await world.applyPackage('half');
    await world.untilPackage('half', isReady);
    await at('1.1.0', 'invalid');
    const failed = await world.untilPackage('half', hasReason('UpgradeRolledBack'));
    expect(messageOf(failed)).toContain('Not_A_Name');
    expect(await exists('ConfigMap', 'half', 'left-over')).toBe(false);
    expect(condition(failed, 'Available')?.status).toBe('True');
    await at('1.1.1', 'app');
    await world.untilPackage('half', isAt('1.1.1'));
  });

  it.concurrent('F62 F63 takes what it has added away again, and never a namespace', async () => {
    const own = inNamespace('whole');
    const at = (version: string, more: boolean): Promise<void> =>
      publish(world, 'whole', {
        tree,
        version,
        safe: true,
        components: [own('app'), ...(more ? [own('space')] : [own('mark')])],
      });
    await at('1.0.0', false);
    await world.applyPackage('whole', { upgrade: { timeout: '6s' }, components: { space: sim(NEVER_READY) } });
    await world.untilPackage('whole', isReady);
    await at('2.0.0', true);
    await world.untilPackage('whole', hasReason('UpgradeRolledBack'));
    await world.untilPackage(
      'whole',
      (pkg) => hasReason('UpgradeRolledBack')(pkg) && !/being removed/.test(messageOf(pkg)),
    );
    expect(await world.records('whole', 'space')).toEqual([]);
    expect(await exists('ConfigMap', 'whole', 'mark')).toBe(true);
    expect(await exists('Namespace', '', 'scenario-space')).toBe(true);
  });
});

describe('what a version leaves', { timeout: 120_000 }, () => {
  it.concurrent('I13 a component that only a failed version had is removed by the next that is applied', async () => {
    const own = inNamespace('orphan');
    await publish(world, 'orphan', { tree, components: [own('app')] });
    const spec = { upgrade: { timeout: '6s' }, components: { last: sim(NEVER_READY) } };
    await world.applyPackage('orphan', spec);
    await world.untilPackage('orphan', isReady);
    const components = [own('app'), own('mark', {}, 'extra'), own('app', { dependsOn: ['extra'] }, 'last')];
    await publish(world, 'orphan', { tree, version: '2.0.0', components });
    await world.untilPackage('orphan', hasReason('UpgradeFailed'));
    expect(await world.records('orphan', 'extra')).toHaveLength(1);
    await publish(world, 'orphan', { tree, version: '2.0.1', components: [own('app')] });
    await world.untilPackage('orphan', (pkg) => isAt('2.0.1')(pkg) && condition(pkg, 'Reconciling') === undefined);
    for (const release of ['extra', 'last']) expect(await world.records('orphan', release)).toEqual([]);
  });

  it.concurrent('P20 a dropped component whose removal hangs is said, and the upgrade stays applied', async () => {
    const own = inNamespace('dropped');
    await publish(world, 'dropped', { tree, components: [own('app'), own('held')] });
    await world.applyPackage('dropped');
    await world.untilPackage('dropped', isReady);
    await publish(world, 'dropped', { tree, version: '2.0.0', components: [own('app')] });
    const pkg = await world.untilPackage('dropped', says(new RegExp(HOLD)));
    expect(condition(pkg, 'Ready')?.status).toBe('True');
    expect(condition(pkg, 'Reconciling')?.status).toBe('True');
    expect(phases(await world.revisions('dropped'))).toEqual(['Superseded', 'Applied']);
    await letGo(world, 'dropped', 'held');
    await world.untilPackage('dropped', (each) => isReady(each) && condition(each, 'Reconciling') === undefined);
    expect(await world.records('dropped', 'held')).toEqual([]);
  });
});

describe('a hook', { timeout: 120_000 }, () => {
  it.concurrent('P16 F73 that migrates is not cut off by a newer spec: it ends, and the next one runs', async () => {
    const runs = countJobs(world, 'newer');
    const own = inNamespace('newer');
    const at = (version: string, more: string): Promise<void> =>
      publish(world, 'newer', {
        tree,
        version,
        components: [own('migrate', { phase: 'PreUpgrade' }), own('app'), own('mark', {}, more)],
      });
    await at('1.0.0', 'first');
    await world.applyPackage('newer', { components: { migrate: sim({ 'run-for': '5s' }) } });
    await world.untilPackage('newer', isReady);
    await at('1.1.0', 'second');
    const job = await world.until('batch/v1', 'Job', 'migrate', ({ metadata }) => metadata.namespace === 'newer');
    const completed = world.until(
      'batch/v1',
      'Job',
      'migrate',
      (each) => each.metadata.uid === job.metadata.uid && condition(each, 'Complete')?.status === 'True',
    );
    await at('1.2.0', 'third');
    await completed;
    await world.untilPackage('newer', isAt('1.2.0'));
    expect(runs).toEqual(['1.0.0 to 1.1.0', '1.0.0 to 1.2.0']);
    expect(await numbersOf(world, 'newer', ['app'])).toEqual({ app: ['1'] });
    expect(await world.records('newer', 'second'), 'nothing but its hook was done for it').toEqual([]);
  });

  it.concurrent('F56 that is not done in time fails the upgrade, and exactly one release is deployed', async () => {
    const own = inNamespace('late-hook');
    const at = (version: string): Promise<void> =>
      publish(world, 'late-hook', {
        tree,
        version,
        safe: true,
        components: [own('migrate', { phase: 'PreUpgrade' }), own('app')],
      });
    await at('1.0.0');
    await world.applyPackage('late-hook', {
      upgrade: { timeout: '6s' },
      components: { migrate: sim({ 'run-for': '10m' }) },
    });
    await world.untilPackage('late-hook', isReady);
    await at('1.1.0');
    await world.untilPackage('late-hook', hasReason('UpgradeFailed'));
    const [, failed] = await world.revisions('late-hook');
    expect(failed?.status?.failure).toMatchObject({ component: 'migrate', code: 'DeadlineExceeded' });
    const records = await world.records('late-hook', 'app');
    expect(records.map(({ metadata }) => metadata.labels?.status)).toEqual(['deployed']);
    expect(phases(await world.revisions('late-hook'))).toEqual(['Applied', 'Failed']);
  });
});

describe('F01 a version that changes several components', { timeout: 120_000 }, () => {
  it.concurrent('touches none before the one that it needs is ready at its new spec', async () => {
    const own = inNamespace('joint');
    const at = (version: string): Promise<void> =>
      publish(world, 'joint', {
        tree,
        version,
        components: [own('app', {}, 'db'), own('app', { dependsOn: ['db'] }, 'web')],
      });
    await at('1.0.0');
    await world.applyPackage('joint', { components: { db: image('1'), web: image('1') } });
    await world.untilPackage('joint', isReady);
    const slow = { values: { ...image('2').values, ...sim(NEVER_READY).values } };
    await world.applyPackage('joint', { components: { db: slow, web: image('2') } });
    await world.untilPackage('joint', says(/db.* is not ready/));
    expect(await numbersOf(world, 'joint', ['db', 'web'])).toEqual({ db: ['1', '2'], web: ['1'] });
    await cure(world, 'joint', 'db');
    await world.untilPackage('joint', isReady);
    expect(await numbersOf(world, 'joint', ['web'])).toEqual({ web: ['1', '2'] });
  });
});

describe('F82 a chart whose schema allows no other values', { timeout: 120_000 }, () => {
  it.concurrent('is given none; as a hook, which is told its versions, it fails with what is in the way', async () => {
    const own = inNamespace('strict');
    const at = (version: string): Promise<void> =>
      publish(world, 'strict', { tree, version, components: [own('strict', { phase: 'PreUpgrade' }), own('closed')] });
    await at('1.0.0');
    await world.applyPackage('strict');
    await world.untilPackage('strict', isReady);
    await at('1.1.0');
    const pkg = await world.untilPackage('strict', hasReason('UpgradeFailed'));
    expect(messageOf(pkg)).toMatch(/schema[^]*kubepkg/);
    expect(condition(pkg, 'Available')?.status).toBe('True');
  });
});
