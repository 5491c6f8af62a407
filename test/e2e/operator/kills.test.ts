import { afterAll, describe, expect, it } from 'vitest';
import { asArray, asString, at } from '../../../src/lib/json.ts';
import { type KillPoint, KillProxy, type Write } from './kill-proxy.ts';
import { outcomeOf, publish, pushCharts } from './kill-scene.ts';
import { Ledger } from './ledger.ts';
import { runningPrograms } from './processes.ts';
import { hasReason, isReady, OperatorWorld } from './world.ts';

const PROMPT_MS = 10_000;

const world = await OperatorWorld.start({ audit: false });
const proxy = await KillProxy.start({
  server: { url: world.plane.url, ca: world.plane.ca },
  token: world.plane.tokenFor('kubepkg'),
  dir: world.dir,
});
afterAll(async () => {
  await world.stop();
  await proxy.close();
});
const [before, after] = [await pushCharts(world, '1.0.0'), await pushCharts(world, '1.1.0')];

/** Nobody else could lead: waiting for the end of a dead process's Lease would prove nothing here. */
const startOperator = (): Promise<void> => world.startOperator({ kubeconfig: proxy.kubeconfig, leaderElect: false });

const helms = (): readonly string[] => runningPrograms(world.plane.binaries.helm, world.dir);

type Matcher = (write: Write, pkg: string) => boolean;

/** A revision's status is written with that in it. */
function status(revision: number, holds: (status: unknown) => boolean): Matcher {
  return ({ method, path, body }, pkg) =>
    method === 'PUT' &&
    path.endsWith(`/packagerevisions/${pkg}-${String(revision)}/status`) &&
    holds(at(JSON.parse(body), 'status'));
}

function isAt(part: 'hooks' | 'components' | 'removals', name: string, state: string): (status: unknown) => boolean {
  return (found) =>
    asArray(at(found, part)).some((progress) => {
      const subject = asString(at(progress, 'name')) ?? '';
      return (subject === name || subject.endsWith(`/${name}`)) && at(progress, 'state') === state;
    });
}

const inPhase =
  (phase: string) =>
  (found: unknown): boolean =>
    at(found, 'phase') === phase;

/** Helm makes the record of a release: pending. */
const pendingRecord =
  (release: string, version: number): Matcher =>
  ({ method, path, body }, pkg) =>
    method === 'POST' &&
    path.startsWith(`/api/v1/namespaces/${pkg}/secrets`) &&
    body.includes(`sh.helm.release.v1.${release}.v${String(version)}`);

/** Helm says in its record that it is done, or that it begins to uninstall. */
const recordChanged =
  (release: string, version: number): Matcher =>
  ({ method, path }, pkg) =>
    method === 'PUT' &&
    path.startsWith(`/api/v1/namespaces/${pkg}/secrets/sh.helm.release.v1.${release}.v${String(version)}`);

const objectWritten =
  (resource: string, name: string): Matcher =>
  ({ method, path, body }, pkg) =>
    method !== 'DELETE' &&
    path.includes(`/namespaces/${pkg}/${resource}`) &&
    (path.includes(`/${resource}/${name}`) || body.includes(`"name":"${name}"`));

const deleted =
  (resource: string, name: string): Matcher =>
  ({ method, path }, pkg) =>
    method === 'DELETE' && path.includes(`/namespaces/${pkg}/${resource}/${name}`);

const revisionCreated =
  (revision: number): Matcher =>
  ({ method, path, body }, pkg) =>
    method === 'POST' && path.includes('/packagerevisions') && body.includes(`"${pkg}-${String(revision)}"`);

type Row = readonly [string, KillPoint['moment'], Matcher];

const ROWS: readonly Row[] = [
  ['the revision is created', 'before', revisionCreated(2)],
  ['the revision is created', 'after', revisionCreated(2)],
  ['the hook is recorded', 'before', status(2, isAt('hooks', 'migrate', 'Submitted'))],
  ['the hook is recorded', 'after', status(2, isAt('hooks', 'migrate', 'Submitted'))],
  ['the hook is submitted', 'before', pendingRecord('migrate', 1)],
  ['the hook is submitted', 'after', pendingRecord('migrate', 1)],
  ["the hook's Job is made", 'after', objectWritten('jobs', 'migrate')],
  ['the hook is delivered, its Job runs', 'after', recordChanged('migrate', 1)],
  ["the hook's end is recorded", 'before', status(2, isAt('hooks', 'migrate', 'Ready'))],
  ["the hook's end is recorded", 'after', status(2, isAt('hooks', 'migrate', 'Ready'))],
  ['a component is recorded', 'before', status(2, isAt('components', 'app', 'Submitted'))],
  ['a component is recorded', 'after', status(2, isAt('components', 'app', 'Submitted'))],
  ['a component is submitted', 'after', pendingRecord('app', 2)],
  ["a component's objects are written", 'after', objectWritten('deployments', 'app')],
  ['a component is delivered', 'after', recordChanged('app', 2)],
  ['the failure is recorded, and the rollback owed', 'before', status(2, inPhase('Failed'))],
  ['the failure is recorded, and the rollback owed', 'after', status(2, inPhase('Failed'))],
  ['the rollback is created', 'after', revisionCreated(3)],
  ['in rollback, a removal is recorded', 'after', status(3, isAt('removals', 'last', 'Submitted'))],
  ['in rollback, a removal is under way', 'after', deleted('jobs', 'last')],
  ['in rollback, a component is recorded', 'after', status(3, isAt('components', 'front', 'Submitted'))],
  ['in rollback, a component is submitted', 'after', pendingRecord('front', 3)],
  ['in rollback, a component is delivered', 'after', recordChanged('front', 3)],
  ['the rollback is recorded as applied', 'after', status(3, inPhase('Applied'))],
  ["the hook's release is being removed", 'after', deleted('jobs', 'migrate')],
  ["the hook's record is removed", 'after', deleted('secrets', 'sh.helm.release.v1.migrate.v1')],
];

const EXPECTED = {
  reason: 'UpgradeRolledBack',
  phases: ['Applied', 'RolledBack', 'Applied'],
  images: ['app', 'front', 'store'].map((name) => `${name} example.org/app:1.0.0`),
  pending: [],
  deliveries: { app: 3, front: 3, last: 1, migrate: 1, store: 3 },
  repeated: [],
  jobs: { last: 1, migrate: 1 },
};

await startOperator();

async function install(name: string): Promise<Ledger> {
  const ledger = new Ledger(world.cluster, name);
  await publish(world, name, { version: '1.0.0', tree: before });
  await world.applyPackage(name);
  await world.untilPackage(name, isReady);
  return ledger;
}

/** The upgrade that fails, rolled back, with the hook's release gone. */
async function upgrade(name: string): Promise<void> {
  await publish(world, name, { version: '1.1.0', tree: after, failing: true });
}

async function rolledBack(name: string): Promise<void> {
  await world.untilPackage(name, hasReason('UpgradeRolledBack'));
}

/** How long the new process took until it wrote something of that package. */
function firstWriteSince(moment: number, pkg: string): number {
  const write = proxy.writes.find(({ at, path, body }) => at >= moment && (path.includes(pkg) || body.includes(pkg)));
  return (write?.at ?? Number.POSITIVE_INFINITY) - moment;
}

describe('an upgrade whose fourth component fails', () => {
  it('ends rolled back when nobody kills anything', async () => {
    const ledger = await install('alone');
    await upgrade('alone');
    await rolledBack('alone');
    expect(await outcomeOf(world, 'alone', ledger)).toEqual(EXPECTED);
    ledger.stop();
  });

  it.each(ROWS.map(([what, moment, matches], index) => ({ what, moment, matches, name: `kill-${String(index)}-x` })))(
    'ends the same when the operator is killed right $moment $what',
    async ({ moment, matches, name }) => {
      const ledger = await install(name);
      const killed = proxy.killAt({ moment, matches: (write) => matches(write, name) }, () =>
        world.killOperator('SIGKILL'),
      );
      await upgrade(name);
      await killed;
      await expect.poll(helms, { timeout: 2000, interval: 20 }).toEqual([]);
      const restarted = Date.now();
      await startOperator();
      await rolledBack(name);
      expect(await outcomeOf(world, name, ledger)).toEqual(EXPECTED);
      const ms = firstWriteSince(restarted, name);
      console.log(`${moment} ${name}: first write after ${String(ms)} ms, all ${String(Date.now() - restarted)}`);
      expect(ms).toBeLessThan(PROMPT_MS);
      ledger.stop();
    },
    120_000,
  );
});
