import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { API_VERSION, FINALIZER, OPERATOR_LEASE } from '../../../src/api/names.ts';
import { type ChartFiles, deploymentChart, writeTree } from './charts.ts';
import { annotate, imagesOf, inNamespace, isAt, NEVER_READY, numbersOf, phases, publish, sim } from './packages.ts';
import { hasReason, isReady, OperatorWorld } from './world.ts';

const RELEASES = ['store', 'app'];
const run = promisify(execFile);

const world = await OperatorWorld.start({ audit: false });
afterAll(() => world.stop());

const chartsOf = (version: string): Readonly<Record<string, ChartFiles>> =>
  Object.fromEntries(
    RELEASES.map((name) => [
      name,
      { ...deploymentChart(), 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n` },
    ]),
  );

/** As the Go operator does: the charts of a version, with its label and no other. */
async function helm(name: string, version: string, releases = RELEASES): Promise<void> {
  const tree = await writeTree(world.dir, chartsOf(version));
  for (const release of releases) {
    const args = ['upgrade', '--install', release, join(tree, release), '--namespace', name, '--create-namespace'];
    args.push('--labels', `kubepkg.dev/package=${name}`, '--set', `image=example.org/app:${version}`);
    await run(world.plane.binaries.helm, [...args, '--kubeconfig', world.plane.kubeconfig]);
  }
}

interface GoRevision {
  readonly number: number;
  readonly version: string;
  readonly phase: string;
  readonly safe?: boolean;
  /** Numbers of the releases. */
  readonly releases: readonly number[];
}

async function revision(name: string, { number, version, phase, safe = true, releases }: GoRevision): Promise<void> {
  const pkg = await world.cluster.read({ apiVersion: API_VERSION, kind: 'Package', name });
  const components = RELEASES.map((release) => ({
    name: release,
    releaseName: release,
    namespace: name,
    ...(release === 'app' ? { dependsOn: ['store'] } : {}),
    chartDigest: `sha256:${'1'.repeat(64)}`,
    valuesDigest: `sha256:${'2'.repeat(64)}`,
  }));
  const object = await world.cluster.write({
    verb: 'create',
    object: {
      apiVersion: API_VERSION,
      kind: 'PackageRevision',
      metadata: {
        name: `${name}-${String(number)}`,
        labels: { 'kubepkg.dev/package': name },
        annotations: { 'kubepkg.dev/desired-digest': `sha256:${'3'.repeat(64)}` },
        ownerReferences: [
          { apiVersion: API_VERSION, kind: 'Package', name, uid: pkg?.metadata.uid ?? '', controller: true },
        ],
      },
      spec: { package: name, revision: number, version, variant: 'default', rollbackSafe: safe, components },
    },
  });
  const delivered = releases.map((backendRevision, index) => ({ name: RELEASES[index], backendRevision }));
  const status = { phase, message: 'what the Go operator said', components: delivered };
  await world.cluster.write({ verb: 'replace', subresource: 'status', object: { ...object, status } });
}

interface Wish {
  readonly behavior?: Readonly<Record<string, string>>;
  readonly timeout?: string;
  readonly suspend?: boolean;
}

async function want(name: string, version: string, wish: Wish = {}): Promise<void> {
  const { behavior = {}, timeout = '10m', suspend = false } = wish;
  const values = { image: `example.org/app:${version}` };
  await world.applyPackage(name, {
    suspend,
    upgrade: { timeout },
    components: { store: { values }, app: { values: { ...values, ...sim(behavior).values } } },
  });
}

/** A Package with a source, as the Go operator has it: its finalizer, and one condition. */
async function taken(name: string, version: string, reason: string, safe = true): Promise<void> {
  await offer(name, version, safe);
  const values = { image: `example.org/app:${version}` };
  await world.applyPackage(name, { components: { store: { values }, app: { values } } });
  const ref = { apiVersion: API_VERSION, kind: 'Package', name };
  await world.cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { finalizers: [FINALIZER] } } });
  const condition = { type: 'Ready', status: 'False', reason, message: 'said', observedGeneration: 1 };
  const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await world.cluster.write({ verb: 'merge-patch', subresource: 'status', ref, patch: { status: { conditions } } });
}

async function offer(name: string, version: string, safe = true): Promise<void> {
  const tree = await world.push(`takeover/${name}`, chartsOf(version));
  const component = inNamespace(name);
  const components = [component('store'), component('app', { dependsOn: ['store'] })];
  await publish(world, name, { tree, version, safe, components });
}

async function installedTwice(name: string): Promise<void> {
  await helm(name, '0.9.0');
  await helm(name, '1.0.0');
}

await taken('kept', '1.0.0', 'ReconciliationSucceeded');
await installedTwice('kept');
await revision('kept', { number: 1, version: '0.9.0', phase: 'Superseded', releases: [1, 1] });
await revision('kept', { number: 2, version: '1.0.0', phase: 'Applied', releases: [2, 2] });

await taken('held', '1.0.0', 'UpgradeFailed', false);
await installedTwice('held');
await revision('held', { number: 1, version: '0.9.0', phase: 'Superseded', releases: [1, 1] });
await revision('held', { number: 2, version: '1.0.0', phase: 'Failed', safe: false, releases: [2, 2] });

await taken('halved', '1.0.0', 'Progressing');
await helm('halved', '0.9.0');
await helm('halved', '1.0.0', ['store']);
await revision('halved', { number: 1, version: '0.9.0', phase: 'Applied', releases: [1, 1] });
await revision('halved', { number: 2, version: '1.0.0', phase: 'Applying', releases: [2] });

const numbers = {
  kept: await numbersOf(world, 'kept', RELEASES),
  held: await numbersOf(world, 'held', RELEASES),
};
await world.startOperator();

describe('started on what the Go operator left', () => {
  it('leads by the Lease of that one', async () => {
    const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'kubepkg-system' };
    expect(await world.cluster.read({ ...ref, name: OPERATOR_LEASE })).toBeDefined();
    expect(OPERATOR_LEASE).toBe('kubepkg-operator.kubepkg.dev');
  });

  it('P22 upgrades nothing, P10 undoes a failing upgrade, P19 goes back to an older revision', async () => {
    const pkg = await world.untilPackage('kept', isReady);
    expect(pkg.status).toMatchObject({ version: '1.0.0', currentRevision: 2 });
    expect(await numbersOf(world, 'kept', RELEASES)).toEqual(numbers.kept);
    expect(phases(await world.revisions('kept'))).toEqual(['Superseded', 'Applied']);
    const before = await imagesOf(world, 'kept');

    const wish = { behavior: NEVER_READY, timeout: '10s' };
    await want('kept', '1.1.0', { ...wish, suspend: true });
    await world.untilPackage('kept', hasReason('Suspended'));
    await offer('kept', '1.1.0');
    await want('kept', '1.1.0', wish);
    await world.untilPackage('kept', hasReason('UpgradeRolledBack'));
    expect(phases(await world.revisions('kept'))).toEqual(['Superseded', 'Superseded', 'RolledBack', 'Applied']);
    expect(await imagesOf(world, 'kept')).toEqual(before);
    expect(await chartsIn('kept')).toEqual(['store-1.0.0', 'app-1.0.0']);

    await annotate(world, 'kept', { 'kubepkg.dev/rollback-to': '1' });
    await world.untilPackage('kept', hasReason('RolledBack'));
    expect(await imagesOf(world, 'kept')).toEqual(['app example.org/app:0.9.0', 'store example.org/app:0.9.0']);
    expect(await chartsIn('kept')).toEqual(['store-0.9.0', 'app-0.9.0']);
  });

  it('P12 keeps what was held, until there is a fix', async () => {
    await world.untilPackage('held', hasReason('UpgradeFailed'));
    expect(await numbersOf(world, 'held', RELEASES)).toEqual(numbers.held);
    await offer('held', '1.0.1');
    await world.untilPackage('held', isAt('1.0.1'));
    expect(phases(await world.revisions('held'))).toEqual(['Superseded', 'Failed', 'Applied']);
  });

  it('finishes what was left unfinished', async () => {
    await world.untilPackage('halved', isAt('1.0.0'));
    expect(phases(await world.revisions('halved'))).toEqual(['Superseded', 'Failed', 'Applied']);
    expect(await imagesOf(world, 'halved')).toEqual(['app example.org/app:1.0.0', 'store example.org/app:1.0.0']);
  });
});

/** The charts that run, as helm names them. */
async function chartsIn(name: string): Promise<readonly string[]> {
  return Promise.all(
    RELEASES.map(async (release) => {
      const args = ['list', '--namespace', name, '--filter', `^${release}$`, '--output', 'json'];
      const { stdout } = await run(world.plane.binaries.helm, [...args, '--kubeconfig', world.plane.kubeconfig]);
      const [found] = JSON.parse(stdout) as { chart: string }[];
      return found?.chart ?? '';
    }),
  );
}
