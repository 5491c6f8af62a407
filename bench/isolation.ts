import { deploymentChart } from '../test/e2e/operator/charts.ts';
import { isReady, type OperatorWorld } from '../test/e2e/operator/world.ts';
import { numbered } from './at-once.ts';
import type { Measure } from './measure.ts';
import { chainSource } from './packages.ts';
import type { Sizes } from './sizes.ts';
import { median, seconds } from './statistics.ts';

/** What the promise allows: a package that is stuck holds no other one up. */
const LIMIT = 1.1;

interface Round {
  readonly without: number;
  readonly with: number;
}

/** Many packages at once, with and without one of them stuck: how long the others take. */
export async function measureIsolation(
  world: OperatorWorld,
  { rounds: count, packages }: Sizes['isolation'],
  say: (line: string) => void,
): Promise<readonly Measure[]> {
  const tree = await world.push('bench/isolation', { app: deploymentChart() });
  const rounds: Round[] = [];
  for (let round = 0; round < count; round += 1) {
    const order = round % 2 === 0 ? [false, true] : [true, false];
    const times = new Map<boolean, number>();
    for (const stuck of order) {
      const names = numbered(`r${String(round)}${stuck ? 's' : 'n'}-`, packages);
      times.set(stuck, await installAll(world, { tree, stuck, names }));
    }
    const result = { without: times.get(false) ?? 0, with: times.get(true) ?? 0 };
    rounds.push(result);
    say(
      `round ${String(round + 1)} of ${String(count)}: ${seconds(result.without)} without, ${seconds(result.with)} with one stuck`,
    );
  }
  const without = median(rounds.map((round) => round.without));
  const stuck = median(rounds.map((round) => round.with));
  const what = `${String(packages - 1)} of ${String(packages)} packages until Ready`;
  return [
    { what: `${what}, median of ${String(count)}`, value: without / 1000, unit: 's' },
    { what: `${what}: time with the last one stuck`, value: stuck / without, unit: 'ratio', limit: LIMIT },
  ];
}

interface Batch {
  readonly tree: string;
  readonly stuck: boolean;
  readonly names: readonly string[];
}

async function installAll(world: OperatorWorld, { tree, stuck, names }: Batch): Promise<number> {
  const [first = '', ...others] = names;
  for (const name of names) {
    await world.applySource(name, chainSource(tree, name, { namespace: name, components: ['app'] }));
  }
  const started = performance.now();
  const waits = others.map((name) => world.untilPackage(name, isReady));
  const behavior = { components: { app: { values: { sim: { 'sim.kubepkg.dev/behavior': 'never-ready' } } } } };
  await Promise.all(names.map((name) => world.applyPackage(name, stuck && name === first ? behavior : {})));
  await Promise.all(waits);
  const took = performance.now() - started;
  await Promise.all(names.map((name) => removePackage(world, name)));
  return took;
}

async function removePackage(world: OperatorWorld, name: string): Promise<void> {
  await world.cluster.write({ verb: 'delete', ref: { apiVersion: 'kubepkg.dev/v1', kind: 'Package', name } });
  await world.gone('kubepkg.dev/v1', 'Package', name);
}
