import { afterAll, describe, expect, it } from 'vitest';
import { API_VERSION } from '../../../src/api/names.ts';
import type { BackendName } from '../operator/backends/backend.ts';
import { KillProxy } from '../operator/kill-proxy.ts';
import { outcomeOf, publish, pushCharts } from '../operator/kill-scene.ts';
import { Ledger } from '../operator/ledger.ts';
import { runningPrograms } from '../operator/processes.ts';
import { condition, hasReason, isReady, OperatorWorld, type PackageObject } from '../operator/world.ts';
import { BOUNDARIES, type Boundary, journal } from './boundaries.ts';

const PROMPT_MS = 10_000;
const TIMEOUT_MS = 300_000;

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

/** The operator of one backend is killed at each boundary, and everything ends as if it had not been. */
export async function killCases(backend: BackendName, { local = false } = {}): Promise<void> {
  const world = await OperatorWorld.start({ audit: false, backend, local });
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
  const boundaries = BOUNDARIES[backend];

  /** Nobody else could lead: waiting for the end of a dead process's Lease would prove nothing here. */
  const startOperator = (): Promise<void> => world.startOperator({ kubeconfig: proxy.kubeconfig, leaderElect: false });

  const helms = (): readonly string[] => runningPrograms(world.plane.binaries.helm, world.dir);

  await startOperator();

  async function install(name: string): Promise<Ledger> {
    const ledger = new Ledger(world, name);
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
  async function killAtEach(name: string, points: readonly Boundary[], { begin, end }: Course): Promise<void> {
    const ended = end();
    const restarts: { readonly where: string; readonly at: number }[] = [];
    for (const [what, moment, matches] of points) {
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

  describe(`an upgrade whose fourth component fails, with ${backend}`, { timeout: TIMEOUT_MS }, () => {
    it('P10 ends rolled back when nobody kills anything', async () => {
      const ledger = await install('alone');
      await upgrade('alone');
      await world.untilPackage('alone', isPutAway);
      expect(await outcomeOf(world, 'alone', ledger)).toEqual(EXPECTED);
      ledger.stop();
    });

    it.each([
      ['P10 P16', 'what it records', { name: 'journal', points: journal(boundaries), expected: EXPECTED }],
      [
        'P10 P16',
        'each delivery',
        { name: 'delivered', points: boundaries.deliveries, expected: backend === 'helm' ? CUT_OFF : EXPECTED },
      ],
    ] as const)(
      '%s ends the same when the operator is killed at each boundary of %s',
      async (_promises, _what, { name, points, expected }) => {
        const ledger = await install(name);
        await killAtEach(name, points, {
          begin: () => upgrade(name),
          end: () => world.untilPackage(name, isPutAway),
        });
        expect(await outcomeOf(world, name, ledger)).toEqual(expected);
        ledger.stop();
      },
    );
  });

  describe(`the removal of a package, with ${backend}`, { timeout: TIMEOUT_MS }, () => {
    it('P20 comes to its end when the operator is killed at each boundary', async () => {
      const ledger = await install('removed');
      const gone = world.gone(API_VERSION, 'Package', 'removed');
      const ref = { apiVersion: API_VERSION, kind: 'Package', name: 'removed' };
      await killAtEach('removed', boundaries.removal, {
        begin: () => world.cluster.write({ verb: 'delete', ref }),
        end: () => gone,
      });
      const { images, pending, deliveries, repeated } = await outcomeOf(world, 'removed', ledger);
      expect({ images, pending, repeated }).toEqual({ images: [], pending: [], repeated: [] });
      expect(deliveries).toEqual({ app: 1, front: 1, store: 1 });
      expect(await world.backend.tracesIn('removed')).toEqual([]);
      expect(await world.revisions('removed')).toEqual([]);
      ledger.stop();
    });
  });
}
