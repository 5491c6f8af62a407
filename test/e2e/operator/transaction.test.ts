import { afterAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube.ts';
import type { PackageRevision } from '../../../src/api/package-revision.ts';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import { type ChartFiles, deploymentChart, jobChart } from './charts.ts';
import { condition, hasReason, isReady, OperatorWorld, type PackageObject } from './world.ts';

/** A Job that is told which versions it migrates between; its name does not change with them. */
function migrateChart(): ChartFiles {
  const { 'templates/job.yaml': job = '', ...rest } = jobChart();
  const env = `containers:
        - name: job
          image: example.org/job:1
          env:
            - {name: FROM, value: {{ .Values.kubepkg.fromVersion | quote }}}
            - {name: TO, value: {{ .Values.kubepkg.toVersion | quote }}}`;
  return { ...rest, 'templates/job.yaml': job.replace('containers: [{name: job, image: example.org/job:1}]', env) };
}

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
  const component = (path: string, install: SourceComponent['install'] = {}): SourceComponent => ({
    name: path,
    path,
    install: { namespace: name, ...install },
  });
  await world.applySource(name, {
    version,
    rollback: { safe },
    sourceRef: { kind: 'OCIArtifact', url: tree },
    variants: [
      {
        name: 'default',
        components: [
          component('migrate', { phase: 'PreUpgrade' }),
          component('store'),
          component('app', { dependsOn: ['store'] }),
          component('front', { dependsOn: ['app'] }),
        ],
      },
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

async function imagesOf(namespace: string): Promise<readonly unknown[]> {
  const { items } = await world.cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace });
  return items.map((object) => {
    const [container] = (object.spec as { template: { spec: { containers: { image: string }[] } } }).template.spec
      .containers;
    return `${object.metadata.name} ${container?.image ?? ''}`;
  });
}

/** Every Job that is ever made in a namespace, with the versions that it was told. */
function countJobs(namespace: string): readonly string[] {
  const seen = new Map<string, string>();
  const runs: string[] = [];
  world.cluster.watch({ apiVersion: 'batch/v1', kind: 'Job', namespace }, (event) => {
    if (event.type !== 'set') return;
    const { uid = '', name } = event.object.metadata;
    if (seen.has(uid)) return;
    seen.set(uid, name);
    runs.push(versionsIn(event.object));
  });
  return runs;
}

function versionsIn(job: KubeObject): string {
  const [container] = (job.spec as { template: { spec: { containers: { env?: { value: string }[] }[] } } }).template
    .spec.containers;
  return (container?.env ?? []).map(({ value }) => value).join(' to ');
}

async function numbersOf(namespace: string): Promise<Readonly<Record<string, string | undefined>>> {
  const names = ['store', 'app', 'front'];
  const records = await Promise.all(names.map((name) => world.records(namespace, name)));
  return Object.fromEntries(names.map((name, index) => [name, records[index]?.at(-1)?.metadata.labels?.version]));
}

const phases = (revisions: readonly PackageRevision[]): readonly (string | undefined)[] =>
  revisions.map(({ status }) => status?.phase);

const isAt =
  (version: string) =>
  (pkg: PackageObject): boolean =>
    isReady(pkg) && pkg.status?.version === version;

describe('an upgrade with a hook', () => {
  it('P13 P14 P16 runs its Job once for each version, waits for its end and removes it', async () => {
    const runs = countJobs('hooked');
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

  it('P15 that fails stops before any other release has changed, with its exit code as evidence', async () => {
    await publish('refused', '1.0.0', { safe: true });
    await want('refused', '1.0.0', { migrate: { 'sim.kubepkg.dev/exit-code': '3' } });
    await world.untilPackage('refused', isAt('1.0.0'));
    const before = await numbersOf('refused');
    await publish('refused', '1.1.0', { safe: true });
    const pkg = await world.untilPackage('refused', hasReason('UpgradeFailed'));
    expect(await numbersOf('refused')).toEqual(before);
    expect(phases(await world.revisions('refused'))).toEqual(['Applied', 'Failed']);
    const [, failed] = await world.revisions('refused');
    expect(failed?.status?.evidence?.findings.join('\n')).toMatch(/exit(ed)?.* code 3/);
    expect(condition(pkg, 'Available')?.status).toBe('True');
  });
});

describe('an upgrade that fails', () => {
  it('P10 F63 to a safe version is rolled back whole', async () => {
    await publish('undone', '1.0.0');
    await want('undone', '1.0.0');
    await world.untilPackage('undone', isAt('1.0.0'));
    const before = await imagesOf('undone');
    await publish('undone', '1.1.0', { safe: true });
    await want('undone', '1.1.0', { front: { 'sim.kubepkg.dev/behavior': 'never-ready' } }, '10s');
    const pkg = await world.untilPackage('undone', hasReason('UpgradeRolledBack'));
    expect(await imagesOf('undone')).toEqual(before);
    expect(phases(await world.revisions('undone'))).toContain('RolledBack');
    expect(pkg.status?.version).toBe('1.0.0');
    expect(condition(pkg, 'Available')?.status).toBe('True');
    expect(condition(pkg, 'Stalled')?.status).toBe('True');
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
    const runs = countJobs('asked');
    await publish('asked', '1.0.0', { safe: true });
    await want('asked', '1.0.0');
    await world.untilPackage('asked', isAt('1.0.0'));
    const before = await imagesOf('asked');
    await publish('asked', '1.1.0', { safe: true });
    await want('asked', '1.1.0');
    await world.untilPackage('asked', isAt('1.1.0'));
    const annotations = { 'kubepkg.dev/rollback-to': '1' };
    const ref = { apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: 'asked' };
    await world.cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { annotations } } });
    const pkg = await world.untilPackage('asked', hasReason('RolledBack'));
    expect(condition(pkg, 'Ready')?.status).toBe('True');
    expect(await imagesOf('asked')).toEqual(before);
    expect(runs.length).toBeLessThanOrEqual(2);
  });
});
