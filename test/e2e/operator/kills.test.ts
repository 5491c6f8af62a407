import { afterAll, describe, expect, it } from 'vitest';
import { API_VERSION } from '../../../src/api/names.ts';
import { asArray, asString, at } from '../../../src/lib/json.ts';
import { type KillPoint, KillProxy, type Write } from './kill-proxy.ts';
import { outcomeOf, publish, pushCharts } from './kill-scene.ts';
import { Ledger } from './ledger.ts';
import { runningPrograms } from './processes.ts';
import { condition, hasReason, isReady, OperatorWorld, type PackageObject } from './world.ts';

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
    path.includes(`/packagerevisions/${pkg}-${String(revision)}/status`) &&
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

/** A helm that makes the record of a release: pending. */
const recordMade =
  (release: string): Matcher =>
  ({ by, method, path, body }, pkg) =>
    by === 'helm' &&
    method === 'POST' &&
    path.startsWith(`/api/v1/namespaces/${pkg}/secrets`) &&
    body.includes(`sh.helm.release.v1.${release}.v`);

/** A helm that is done and says so in the record. */
const recordChanged =
  (release: string, state: 'deployed' | 'uninstalling'): Matcher =>
  ({ by, method, path, body }, pkg) =>
    by === 'helm' &&
    method === 'PUT' &&
    path.startsWith(`/api/v1/namespaces/${pkg}/secrets/sh.helm.release.v1.${release}.v`) &&
    body.includes(state);

const objectWritten =
  (resource: string, name: string): Matcher =>
  ({ by, method, path }, pkg) =>
    by === 'helm' && method === 'PATCH' && path.includes(`/namespaces/${pkg}/${resource}/${name}`);

const deleted =
  (resource: string, name: string): Matcher =>
  ({ method, path }, pkg) =>
    method === 'DELETE' && path.includes(`/namespaces/${pkg}/${resource}/${name}`);

const revisionCreated =
  (revision: number): Matcher =>
  ({ method, path, body }, pkg) =>
    method === 'POST' && path.includes('/packagerevisions') && body.includes(`"${pkg}-${String(revision)}"`);

/** What happens just then, and where the kill strikes. */
type Boundary = readonly [what: string, moment: KillPoint['moment'], matches: Matcher];

const JOURNAL: readonly Boundary[] = [
  ['the revision is created', 'before', revisionCreated(2)],
  ['the revision is created', 'after', revisionCreated(2)],
  ['the hook is recorded', 'before', status(2, isAt('hooks', 'migrate', 'Submitted'))],
  ['the hook is recorded', 'after', status(2, isAt('hooks', 'migrate', 'Submitted'))],
  ['the hook is delivered, and its Job runs', 'after', recordChanged('migrate', 'deployed')],
  ["the hook's end is recorded", 'before', status(2, isAt('hooks', 'migrate', 'Ready'))],
  ["the hook's end is recorded", 'after', status(2, isAt('hooks', 'migrate', 'Ready'))],
  ['a component is recorded', 'before', status(2, isAt('components', 'app', 'Submitted'))],
  ['a component is recorded', 'after', status(2, isAt('components', 'app', 'Submitted'))],
  ['the failure is recorded, and a rollback owed', 'before', status(2, inPhase('Failed'))],
  ['the failure is recorded, and a rollback owed', 'after', status(2, inPhase('Failed'))],
  ['the rollback is created', 'after', revisionCreated(3)],
  ["in rollback, a component's removal is recorded", 'after', status(3, isAt('removals', 'last', 'Submitted'))],
  ['in rollback, a component is recorded', 'before', status(3, isAt('components', 'front', 'Submitted'))],
  ['in rollback, a component is recorded', 'after', status(3, isAt('components', 'front', 'Submitted'))],
  ['the rollback is recorded as applied', 'before', status(3, inPhase('Applied'))],
  ['the rollback is recorded as applied', 'after', status(3, inPhase('Applied'))],
];

const DELIVERIES: readonly Boundary[] = [
  ['the hook is submitted', 'before', recordMade('migrate')],
  ['the hook is submitted', 'after', recordMade('migrate')],
  ["the hook's Job is made", 'after', objectWritten('jobs', 'migrate')],
  ['a component is submitted', 'before', recordMade('app')],
  ['a component is submitted', 'after', recordMade('app')],
  ["a component's objects are written", 'after', objectWritten('deployments', 'app')],
  ['a component is delivered', 'before', recordChanged('app', 'deployed')],
  ['a component is delivered', 'after', recordChanged('app', 'deployed')],
  ['in rollback, the removal of a component begins', 'after', recordChanged('last', 'uninstalling')],
  ['in rollback, an object of a component is removed', 'after', deleted('jobs', 'last')],
  ['in rollback, the record of a component is removed', 'before', deleted('secrets', 'sh.helm.release.v1.last')],
  ['in rollback, a component is submitted', 'after', recordMade('front')],
  ['in rollback, a component is delivered', 'after', recordChanged('front', 'deployed')],
  ["the hook's Job is removed", 'after', deleted('jobs', 'migrate')],
  ["the hook's record is removed", 'before', deleted('secrets', 'sh.helm.release.v1.migrate')],
];

const REMOVAL: readonly Boundary[] = [
  ['helm begins', 'before', recordChanged('front', 'uninstalling')],
  ['helm begins', 'after', recordChanged('front', 'uninstalling')],
  ['an object is removed', 'after', deleted('deployments', 'app')],
  ['the last record is removed', 'before', deleted('secrets', 'sh.helm.release.v1.store')],
  ['the last record is removed', 'after', deleted('secrets', 'sh.helm.release.v1.store')],
];

const EXPECTED = {
  reason: 'UpgradeRolledBack',
  phases: ['Superseded', 'RolledBack', 'Applied'],
  images: ['app', 'front', 'store'].map((name) => `${name} example.org/app:1.0.0`),
  pending: [],
  deliveries: { app: 3, front: 3, last: 1, migrate: 1, store: 3 },
  repeated: [],
  jobs: { last: 1, migrate: 1 },
};

/** Where the helm of the hook died after it had made the Job: that Job counts, and the hook is not driven again. */
const { migrate: _cutOff, ...completed } = EXPECTED.deliveries;
const CUT_OFF = { ...EXPECTED, deliveries: completed };

await startOperator();

async function install(name: string): Promise<Ledger> {
  const ledger = new Ledger(world.cluster, name);
  await publish(world, name, { version: '1.0.0', tree: before });
  await world.applyPackage(name);
  await world.untilPackage(name, isReady);
  return ledger;
}

async function upgrade(name: string): Promise<void> {
  await publish(world, name, { version: '1.1.0', tree: after, failing: true });
}

/** Rolled back, and nothing of the failed version is left to be removed. */
function isPutAway(pkg: PackageObject): boolean {
  return hasReason('UpgradeRolledBack')(pkg) && condition(pkg, 'Reconciling') === undefined;
}

interface Course {
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

/** Kills the operator at one boundary after the other, and lets the last one come to the end. */
async function killAtEach(name: string, boundaries: readonly Boundary[], { begin, end }: Course): Promise<void> {
  const ended = end();
  const restarts: { readonly where: string; readonly at: number }[] = [];
  for (const [what, moment, matches] of boundaries) {
    const where = `${moment} ${what}`;
    const killed = proxy.killAt({ moment, matches: (write) => matches(write, name) }, () =>
      world.killOperator('SIGKILL'),
    );
    await (restarts.length === 0 ? begin() : startOperator());
    await Promise.race([killed, ended.then(() => Promise.reject(new Error(`it ended without a moment ${where}`)))]);
    await expect.poll(helms, { timeout: 2000, interval: 20, message: where }).toEqual([]);
    restarts.push({ where, at: Date.now() });
  }
  await startOperator();
  await ended;
  for (const { where, at } of restarts) expect(firstWriteSince(at, name), where).toBeLessThan(PROMPT_MS);
}

/** How long the new process took until it changed something of that package. */
function firstWriteSince(moment: number, pkg: string): number {
  const write = proxy.writes.find(({ at, path, body }) => at >= moment && (path.includes(pkg) || body.includes(pkg)));
  return (write?.at ?? Number.POSITIVE_INFINITY) - moment;
}

describe('an upgrade whose fourth component fails', () => {
  it('ends rolled back when nobody kills anything', async () => {
    const ledger = await install('alone');
    await upgrade('alone');
    await world.untilPackage('alone', hasReason('UpgradeRolledBack'));
    expect(await outcomeOf(world, 'alone', ledger)).toEqual(EXPECTED);
    ledger.stop();
  });

  it.each([
    ['P10 P16', 'what it records', { name: 'journal', boundaries: JOURNAL, expected: EXPECTED }],
    ['P10 P16', 'what helm does', { name: 'delivered', boundaries: DELIVERIES, expected: CUT_OFF }],
  ] as const)(
    '%s ends the same when the operator is killed at each boundary of %s',
    async (_promises, _what, { name, boundaries, expected }) => {
      const ledger = await install(name);
      await killAtEach(name, boundaries, {
        begin: () => upgrade(name),
        end: () => world.untilPackage(name, isPutAway),
      });
      expect(await outcomeOf(world, name, ledger)).toEqual(expected);
      ledger.stop();
    },
    300_000,
  );
});

describe('the removal of a package', () => {
  it('P20 comes to its end when the operator is killed at each boundary', async () => {
    const ledger = await install('removed');
    const gone = world.gone(API_VERSION, 'Package', 'removed');
    const ref = { apiVersion: API_VERSION, kind: 'Package', name: 'removed' };
    await killAtEach('removed', REMOVAL, {
      begin: () => world.cluster.write({ verb: 'delete', ref }),
      end: () => gone,
    });
    const { images, pending, deliveries, repeated } = await outcomeOf(world, 'removed', ledger);
    expect({ images, pending, repeated }).toEqual({ images: [], pending: [], repeated: [] });
    expect(deliveries).toEqual({ app: 1, front: 1, store: 1 });
    expect(await world.revisions('removed')).toEqual([]);
    ledger.stop();
  }, 120_000);
});
