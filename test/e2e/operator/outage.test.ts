import { afterAll, describe, expect, it } from 'vitest';
import type { PackageRevision } from '../../../src/api/package-revision.ts';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import { deploymentChart, jobChart } from './charts.ts';
import { inNamespace, publish, sim, spoil } from './packages.ts';
import { condition, isReady, OperatorWorld } from './world.ts';

const FRESH_MS = 60_000;
const TIMEOUT = '20s';
/** Beyond the deadline. */
const LATE = '25s';

const world = await OperatorWorld.start({ audit: false });
afterAll(() => world.stop());
const tree = await world.push('outage/tree', {
  store: deploymentChart(),
  gate: deploymentChart(),
  migrate: jobChart(),
  last: jobChart(),
});
const startOperator = (): Promise<void> => world.startOperator({ leaderElect: false });
await startOperator();

type Sims = Readonly<Record<string, Readonly<Record<string, string>>>>;

async function want(name: string, sims: Sims, timeout = TIMEOUT): Promise<void> {
  const components = Object.entries(sims).map(([component, behavior]) => [component, sim(behavior)]);
  await world.applyPackage(name, {
    upgrade: { timeout },
    components: Object.fromEntries(components) as Record<string, ReturnType<typeof sim>>,
  });
}

function release(name: string, version: string, components: readonly SourceComponent[]): Promise<void> {
  return publish(world, name, { tree, version, safe: true, components });
}

const isSubmitted =
  (part: 'hooks' | 'components') =>
  ({ status }: PackageRevision): boolean =>
    status?.[part]?.some(({ state, backendRevision }) => state === 'Submitted' && backendRevision !== undefined) ===
    true;

/** A revision that waits for a component, which is ready only after the deadline. */
async function awaitLate(): Promise<void> {
  await release('late', '1.0.0', [inNamespace('late')('store')]);
  await want('late', { store: { 'ready-after': LATE } });
  await world.untilRevision('late-1', isSubmitted('components'));
}

async function awaitComponent(): Promise<void> {
  await release('stuck', '1.0.0', [inNamespace('stuck')('store')]);
  await want('stuck', { store: { behavior: 'never-ready' } });
  await world.untilRevision('stuck-1', isSubmitted('components'));
}

async function awaitHook(): Promise<void> {
  await release('hooked', '1.1.0', [inNamespace('hooked')('migrate', { phase: 'PreUpgrade' }), HOOKED_STORE]);
  await world.untilRevision('hooked-2', isSubmitted('hooks'));
}

const HOOKED_STORE = inNamespace('hooked')('store');

const GATE = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'gate',
  namespace: 'gates',
  condition: 'Available',
  status: 'True',
};

/** A rollback that waits for a component: what that one needs of others was taken away meanwhile. */
async function awaitRollback(): Promise<void> {
  const component = inNamespace('undone');
  const store = component('store', { readyWhen: [GATE] });
  await release('gates', '1.0.0', [inNamespace('gates')('gate')]);
  await want('gates', {});
  await release('undone', '1.0.0', [store]);
  await want('undone', { last: { 'exit-code': '1', 'init-for': '5s' } });
  await world.untilPackage('undone', isReady);
  await release('undone', '1.1.0', [store, component('last', { dependsOn: ['store'] })]);
  await world.until('batch/v1', 'Job', 'last', () => true);
  await spoil(world, 'gates', 'gate');
  await world.untilRevision(
    'undone-3',
    ({ status }) => status?.components?.some(({ awaitedSince }) => awaitedSince !== undefined) === true,
  );
}

describe('the operator down for longer than a deadline', () => {
  it('P9 looks for 60 s anew before any wait fails: of a component, a hook, a rollback', async () => {
    await release('hooked', '1.0.0', [HOOKED_STORE]);
    await want('hooked', { migrate: { 'init-for': '1h' } });
    await world.untilPackage('hooked', isReady);
    await awaitRollback();
    await Promise.all([awaitHook(), awaitComponent(), awaitLate()]);
    await world.killOperator('SIGKILL');
    await world.until('apps/v1', 'Deployment', 'store', (store) => {
      return store.metadata.namespace === 'late' && condition(store, 'Available')?.status === 'True';
    });
    const restarted = Date.now();
    await startOperator();
    const began = Date.now();
    const late = world.untilPackage('late', isReady);
    const failures = ['stuck-1', 'hooked-2', 'undone-3'].map(async (name) => {
      const { status } = await world.untilRevision(name, (revision) => revision.status?.phase === 'Failed');
      return { name, code: status?.failure?.code, at: Date.now() };
    });
    await late;
    for (const { name, code, at } of await Promise.all(failures)) {
      expect(code, name).toBe('DeadlineExceeded');
      expect(at - restarted, name).toBeGreaterThanOrEqual(FRESH_MS);
      expect(at - began, name).toBeLessThan(FRESH_MS + 15_000);
    }
    expect((await world.revisions('late')).map(({ status }) => status?.phase)).toEqual(['Applied']);
  }, 300_000);
});
