import { afterAll, describe, expect, it } from 'vitest';
import type { SourceComponent, WrittenPackageSourceSpec } from '../../../src/api/package-source.ts';
import { createClock } from '../../../src/compose/clock.ts';
import { asArray, at, type JsonObject } from '../../../src/lib/json.ts';
import type { Clock } from '../../../src/ports/system.ts';
import { deploymentChart } from './charts.ts';
import { runningPrograms } from './processes.ts';
import { type AuditEvent, condition, hasReason, isReady, OperatorWorld } from './world.ts';

const ORDER = ['widgets', 'store', 'app', 'front'] as const;
const PAIRS = ORDER.slice(1).map((later, index) => ({ earlier: ORDER[index] ?? '', later }));
const READY_AFTER = { sim: { 'sim.kubepkg.dev/ready-after': '2s' } };

/** Declared in another order than the one they have to take. */
function shopAt(version: string, namespace: string): WrittenPackageSourceSpec {
  const component = (name: string, dependsOn: string[] = []): SourceComponent => ({
    name,
    path: name,
    install: { namespace, dependsOn },
  });
  const components = [
    component('front', ['app']),
    component('widgets'),
    component('store', ['widgets']),
    component('app', ['store']),
  ];
  return { version, sourceRef: { kind: 'OCIArtifact', url: tree }, variants: [{ name: 'default', components }] };
}

function values(image: string): Record<string, { values: JsonObject }> {
  return Object.fromEntries(ORDER.map((name) => [name, { values: { ...READY_AFTER, image } }]));
}

interface Times {
  readonly written: number;
  readonly ready: number;
}

/** When the release of a component was first written, and when its pods of that image were ready, by the API server's own times. */
async function timesOf(namespace: string, component: string, image: string): Promise<Times> {
  const records = await world.records(namespace, component);
  const pods = await world.cluster.list({
    apiVersion: 'v1',
    kind: 'Pod',
    namespace,
    labelSelector: `app=${component}`,
  });
  const own = pods.items.filter((pod) => at(asArray(at(pod, 'spec', 'containers'))[0], 'image') === image);
  const ready = own.map((pod) => Date.parse(condition(pod, 'Ready')?.lastTransitionTime ?? ''));
  return { written: Date.parse(records.at(-1)?.metadata.creationTimestamp ?? ''), ready: Math.max(...ready) };
}

async function assertOrder(namespace: string, image: string): Promise<void> {
  const times = new Map<string, Times>();
  for (const name of ORDER) times.set(name, await timesOf(namespace, name, image));
  for (const { earlier, later } of PAIRS) {
    const ready = times.get(earlier)?.ready ?? Number.NaN;
    const written = times.get(later)?.written ?? Number.NaN;
    expect(written, `${later} is first written after ${earlier} is ready`).toBeGreaterThanOrEqual(ready);
    expect(ready, `${earlier} took its two seconds`).toBeGreaterThanOrEqual(
      (times.get(earlier)?.written ?? Number.NaN) + 1000,
    );
  }
}

const world = await OperatorWorld.start();
afterAll(() => world.stop());
const tree = await world.push('shop/tree', Object.fromEntries(ORDER.map((name) => [name, deploymentChart()])));
await world.startOperator();

describe('a package of four components', () => {
  it('P1 installs in order: each is first written after the one before it is ready', async () => {
    await world.applySource('shop', shopAt('1.0.0', 'shop'));
    await world.applyPackage('shop', { components: values('example.org/app:1.0.0') });
    const pkg = await world.untilPackage('shop', isReady);
    expect(pkg.status?.version).toBe('1.0.0');
    expect(condition(pkg, 'Available')?.status).toBe('True');
    await assertOrder('shop', 'example.org/app:1.0.0');
  });

  it('P1 upgrades in the same order, one release revision for each', async () => {
    await world.applySource('shop', shopAt('1.1.0', 'shop'));
    await world.applyPackage('shop', { components: values('example.org/app:1.1.0') });
    const pkg = await world.untilPackage(
      'shop',
      (candidate) => isReady(candidate) && candidate.status?.version === '1.1.0',
    );
    expect(pkg.status?.currentRevision).toBe(2);
    await assertOrder('shop', 'example.org/app:1.1.0');
    for (const name of ORDER) expect(await world.records('shop', name)).toHaveLength(2);
  });

  it('R8 F80 an override that is dropped gives way to the default of the chart', async () => {
    const { app: _dropped, ...others } = values('example.org/app:1.1.0');
    await world.applyPackage('shop', { components: { ...others, app: { values: { ...READY_AFTER } } } });
    await world.untilPackage('shop', (pkg) => isReady(pkg) && pkg.status?.currentRevision === 3);
    const app = await world.cluster.read({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'app' });
    expect(at(asArray(at(app, 'spec', 'template', 'spec', 'containers'))[0], 'image')).toBe('example.org/app:1.0.0');
    expect((await world.records('shop', 'front')).length, 'components that did not change are left alone').toBe(2);
  });
});

describe('a component whose pods never become ready', () => {
  it('P9 R2 holds the next ones back and fails at its own deadline, with the deepest cause', async () => {
    const never = { values: { sim: { 'sim.kubepkg.dev/behavior': 'image-pull-error' } } };
    const slow = { values: { sim: { 'sim.kubepkg.dev/ready-after': '4s' } } };
    await world.applySource('stuck', shopAt('1.0.0', 'stuck'));
    await world.applyPackage('stuck', { upgrade: { timeout: '6s' }, components: { widgets: slow, store: never } });
    const pkg = await world.untilPackage('stuck', hasReason('UpgradeFailed'));
    expect(condition(pkg, 'Stalled')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('cannot pull image') as string,
    });
    const [revision] = await world.revisions('stuck');
    expect(revision?.status).toMatchObject({
      phase: 'Failed',
      failure: { component: 'store', code: 'DeadlineExceeded' },
    });
    const store = revision?.status?.components?.find(({ name }) => name === 'store');
    expect(Date.parse(store?.deadline ?? '') - Date.parse(store?.startedAt ?? ''), 'its own six seconds').toBe(6000);
    expect(await world.records('stuck', 'app')).toEqual([]);
    expect(await world.records('stuck', 'front')).toEqual([]);
  });

  it('P12 is not tried again until the package changes', async () => {
    const before = await world.records('stuck', 'store');
    const quick = { values: { sim: { 'sim.kubepkg.dev/ready-after': '0s' } } };
    await world.applyPackage('stuck', { upgrade: { timeout: '60s' }, components: { widgets: quick, store: quick } });
    await world.untilPackage('stuck', isReady);
    expect((await world.records('stuck', 'store')).length).toBe(before.length + 1);
  });
});

describe('an applied package', () => {
  it('P22 R7 is left alone: for two minutes no helm runs and nothing is written but the Lease', {
    timeout: 180_000,
  }, async () => {
    // The event of the last transition may be written a moment after it.
    await expect.poll(() => writesSince(Date.now() - 5000), { timeout: 30_000, interval: 500 }).toEqual([]);
    const since = Date.now();
    const helms = await programsSeen(createClock(), 120_000);
    expect(await writesSince(since)).toEqual([]);
    expect(helms).toEqual([]);
  });
});

/** What the operator has asked the API server to change, its Lease aside. */
async function writesSince(since: number): Promise<readonly AuditEvent[]> {
  const requests = await world.requests(since);
  return requests.filter(
    ({ verb, objectRef }) => !['get', 'list', 'watch'].includes(verb) && objectRef?.resource !== 'leases',
  );
}

/** Every helm of this operator that runs at some moment of a span, looked for ten times a second. */
async function programsSeen(clock: Clock, ms: number): Promise<readonly string[]> {
  const end = clock.now() + ms;
  const seen: string[] = [];
  while (clock.now() < end) {
    seen.push(...runningPrograms(world.plane.binaries.helm, world.dir));
    await new Promise<void>((resolve) => {
      clock.after(100, resolve);
    });
  }
  return seen;
}

describe('removal', () => {
  it('P20 uninstalls in reverse order, and keeps the namespace', async () => {
    const before = Date.now();
    await world.cluster.write({ verb: 'delete', ref: { apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: 'shop' } });
    await world.gone('kubepkg.dev/v1', 'Package', 'shop');
    const deletions = (await world.requests(before)).filter(
      ({ verb, objectRef }) => verb === 'delete' && objectRef?.resource === 'deployments',
    );
    expect(deletions.map(({ objectRef }) => objectRef?.name)).toEqual([...ORDER].reverse());
    expect(await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' })).toBeDefined();
  });
});
