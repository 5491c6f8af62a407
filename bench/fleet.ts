import { join } from 'node:path';
import { writeTree } from '../test/e2e/operator/charts.ts';
import type { OperatorWorld } from '../test/e2e/operator/world.ts';
import { numbered } from './at-once.ts';
import { runHelmLoop, type Taken } from './helm-loop.ts';
import { isHelm, readAudit } from './audit.ts';
import type { Measure } from './measure.ts';
import { chainSource, fourObjectsChart, untilAllReady } from './packages.ts';
import { processCost } from './process-cost.ts';
import type { Sizes } from './sizes.ts';
import { seconds } from './statistics.ts';

/** As many deliveries as the operator has places for unless it is told otherwise. */
const PLACES = 4;
const PLAIN = { flags: ['--wait', '--wait-for-jobs'], env: {} };
const LEAN = { flags: ['--disable-openapi-validation'], env: { GOGC: 'off' } };

export type FleetSize = Sizes['fleet'];

/** From nothing to all packages ready, beside helm in a loop on the same control plane. */
export async function measureFleet(
  world: OperatorWorld,
  size: FleetSize,
  say: (line: string) => void,
): Promise<readonly Measure[]> {
  const { packages, components } = size;
  const told = <T extends Taken>(who: string, taken: T): T => {
    say(
      `${String(packages)} × ${String(components)} releases by ${who}: ${seconds(taken.ms)}, CPU ${seconds(taken.cpuMs)}`,
    );
    return taken;
  };
  const ours = told('kubepkg', await installFleet(world, size));
  const chart = join(await writeTree(world.dir, { app: fourObjectsChart() }), 'app');
  const names = { packages: numbered('p', packages), components: numbered('c', components), chart, places: PLACES };
  const lean = told('a lean loop of helm', await runHelmLoop(world, { ...names, ...LEAN, namespace: 'bench-lean' }));
  const plain = told(
    'a plain loop of helm',
    await runHelmLoop(world, { ...names, ...PLAIN, namespace: 'bench-plain' }),
  );
  const releases = packages * components;
  const requests = (await readAudit(world.plane.auditLog ?? '')).filter(
    ({ user, resource }) => user === 'kubepkg' && resource !== 'leases',
  );
  const what = `${String(packages)} packages × ${String(components)} components until Ready`;
  return [
    { what, value: ours.ms / 1000, unit: 's' },
    { what: `${what}: time of a plain helm loop`, value: ours.ms / plain.ms, unit: 'ratio', limit: 0.4 },
    { what: `${what}: time of a lean helm loop`, value: ours.ms / lean.ms, unit: 'ratio', limit: 1.3 },
    { what: `${what}: CPU of a plain helm loop`, value: ours.cpuMs / plain.cpuMs, unit: 'ratio' },
    { what: `${what}: CPU of a lean helm loop`, value: ours.cpuMs / lean.cpuMs, unit: 'ratio' },
    { what: 'CPU of the operator a release, its helm aside', value: ours.operatorMs / releases, unit: 'ms' },
    { what: 'CPU of its helm a release', value: (ours.cpuMs - ours.operatorMs) / releases, unit: 'ms' },
    { what: 'CPU of a lean helm a release', value: lean.cpuMs / releases, unit: 'ms' },
    {
      what: 'requests of the operator a release',
      value: requests.filter((each) => !isHelm(each)).length / releases,
      unit: 'each',
    },
    { what: 'requests of its helm a release', value: requests.filter(isHelm).length / releases, unit: 'each' },
  ];
}

/** Also what the operator alone takes of it, without the helm that it starts. */
type FleetTaken = Taken & { readonly operatorMs: number };

export async function installFleet(world: OperatorWorld, { packages, components }: FleetSize): Promise<FleetTaken> {
  const tree = await world.push('bench/fleet', { app: fourObjectsChart() });
  const names = numbered('fleet-', packages);
  const options = { namespace: 'bench-fleet', components: numbered('c', components) };
  for (const name of names) await world.applySource(name, chainSource(tree, name, options));
  const pid = world.operatorPid ?? 0;
  const before = processCost(pid);
  const started = performance.now();
  const ready = untilAllReady(world, packages);
  await Promise.all(names.map((name) => world.applyPackage(name)));
  await ready;
  const ms = performance.now() - started;
  const after = processCost(pid);
  const operatorMs = after.ownMs - before.ownMs;
  return { ms, cpuMs: operatorMs + after.childrenMs - before.childrenMs, operatorMs };
}
