import { afterAll, describe, expect, it } from 'vitest';
import { deploymentChart, migrateChart } from './charts.ts';
import { countJobs, imagesOf, inNamespace, isAt, numbersOf, phases, publish as publishVersion } from './packages.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';

const world = await OperatorWorld.start({ audit: false });
afterAll(() => world.stop());
const tree = await world.push('transaction/tree', {
  migrate: migrateChart(),
  store: deploymentChart(),
  app: deploymentChart(),
  front: deploymentChart(),
});
await world.startOperator();

interface VersionOptions {
  readonly safe?: boolean;
}

async function publish(name: string, version: string, { safe = false }: VersionOptions = {}): Promise<void> {
  const component = inNamespace(name);
  await publishVersion(world, name, {
    tree,
    version,
    safe,
    components: [
      component('migrate', { phase: 'PreUpgrade' }),
      component('store'),
      component('app', { dependsOn: ['store'] }),
      component('front', { dependsOn: ['app'] }),
    ],
  });
}

type Sim = Readonly<Record<string, string>>;

async function want(
  name: string,
  tag: string,
  sims: Readonly<Record<string, Sim>> = {},
  timeout = '10m',
): Promise<void> {
  const values = (sim: Sim = {}): { values: { image: string; sim: Sim } } => ({
    values: { image: `example.org/app:${tag}`, sim },
  });
  await world.applyPackage(name, {
    upgrade: { timeout },
    components: {
      migrate: { values: { sim: sims.migrate ?? {} } },
      store: values(sims.store),
      app: values(sims.app),
      front: values(sims.front),
    },
  });
}

const RELEASES = ['store', 'app', 'front'];

describe('an upgrade with a hook', () => {
  it('P13 P14 P16 runs its Job once for each version, waits for its end and removes it', async () => {
    const runs = countJobs(world, 'hooked');
    await publish('hooked', '1.0.0');
    await want('hooked', '1.0.0');
    await world.untilPackage('hooked', isAt('1.0.0'));
    expect(runs).toEqual([]);
    await want('hooked', '1.0.1');
    await world.untilPackage('hooked', (pkg) => isReady(pkg) && pkg.status?.currentRevision === 2);
    expect(runs).toEqual([]);
    await publish('hooked', '1.1.0');
    await world.untilPackage('hooked', isAt('1.1.0'));
    expect(runs).toEqual(['1.0.0 to 1.1.0']);
    await world.untilPackage('hooked', (pkg) => condition(pkg, 'Reconciling') === undefined && isReady(pkg));
    expect(await world.records('hooked', 'migrate')).toEqual([]);
    const [, , revision] = await world.revisions('hooked');
    const { hooks = [], components = [] } = revision?.status ?? {};
    const first = components.map(({ startedAt = '' }) => startedAt).sort()[0] ?? '';
    expect((hooks[0]?.readyAt ?? '') <= first, 'the hook was done before anything else began').toBe(true);
  });

  it('P15 R10 that fails stops before any other release has changed, with its exit code as evidence', async () => {
    await publish('refused', '1.0.0', { safe: true });
    await want('refused', '1.0.0', { migrate: { 'sim.kubepkg.dev/exit-code': '3' } });
    await world.untilPackage('refused', isAt('1.0.0'));
    const before = await numbersOf(world, 'refused', RELEASES);
    await publish('refused', '1.1.0', { safe: true });
    const pkg = await world.untilPackage('refused', hasReason('UpgradeFailed'));
    expect(await numbersOf(world, 'refused', RELEASES)).toEqual(before);
    expect(phases(await world.revisions('refused'))).toEqual(['Applied', 'Failed']);
    const [, failed] = await world.revisions('refused');
    expect(failed?.status?.evidence?.findings.join('\n')).toMatch(/exit(ed)?.* code 3/);
    expect(condition(pkg, 'Available')?.status).toBe('True');
  });
});

describe('an upgrade that fails', () => {
  it('P10 F57 F63 F76 to a safe version is rolled back whole, runs no hook on the way back, and leaves its evidence', async () => {
    const runs = countJobs(world, 'undone');
    await publish('undone', '1.0.0');
    await want('undone', '1.0.0');
    await world.untilPackage('undone', isAt('1.0.0'));
    const before = await imagesOf(world, 'undone');
    await publish('undone', '1.1.0', { safe: true });
    await want('undone', '1.1.0', { front: { 'sim.kubepkg.dev/behavior': 'never-ready' } }, '10s');
    const pkg = await world.untilPackage(
      'undone',
      (each) => hasReason('UpgradeRolledBack')(each) && condition(each, 'Stalled')?.status === 'True',
    );
    expect(await imagesOf(world, 'undone')).toEqual(before);
    expect(runs).toEqual(['1.0.0 to 1.1.0']);
    const failed = (await world.revisions('undone')).find(({ status }) => status?.phase === 'RolledBack');
    expect(failed?.status?.evidence).toMatchObject({ component: 'front' });
    expect(failed?.status?.evidence?.findings.join('\n')).toMatch(/Deployment .*front/);
    expect(pkg.status?.version).toBe('1.0.0');
    expect(condition(pkg, 'Available')?.status).toBe('True');
  });

  it('P11 to an unsafe one stops, and is fixed forward', async () => {
    await publish('forward', '1.0.0');
    await want('forward', '1.0.0');
    await world.untilPackage('forward', isAt('1.0.0'));
    await publish('forward', '2.0.0');
    await want('forward', '2.0.0', { front: { 'sim.kubepkg.dev/behavior': 'never-ready' } }, '10s');
    await world.untilPackage('forward', hasReason('UpgradeFailed'));
    expect(phases(await world.revisions('forward')).at(-1)).toBe('Failed');
    await publish('forward', '2.0.1');
    await want('forward', '2.0.1');
    await world.untilPackage('forward', isAt('2.0.1'));
  });

  it('P19 a rollback that is asked for restores chart and values, and runs no hook', async () => {
    const runs = countJobs(world, 'asked');
    await publish('asked', '1.0.0', { safe: true });
    await want('asked', '1.0.0');
    await world.untilPackage('asked', isAt('1.0.0'));
    const before = await imagesOf(world, 'asked');
    await publish('asked', '1.1.0', { safe: true });
    await want('asked', '1.1.0');
    await world.untilPackage('asked', isAt('1.1.0'));
    const annotations = { 'kubepkg.dev/rollback-to': '1' };
    const ref = { apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: 'asked' };
    await world.cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { annotations } } });
    const pkg = await world.untilPackage('asked', hasReason('RolledBack'));
    expect(condition(pkg, 'Ready')?.status).toBe('True');
    expect(await imagesOf(world, 'asked')).toEqual(before);
    expect(runs.length).toBeLessThanOrEqual(2);
  });
});
