import { deploymentChart } from '../test/e2e/operator/charts.ts';
import { isReady, type OperatorWorld } from '../test/e2e/operator/world.ts';
import { median, ratio, seconds } from './statistics.ts';

const PACKAGES = 50;
const ROUNDS = 5;
/** What the promise allows: a package that is stuck holds no other one up. */
const LIMIT = 1.1;

interface Round {
  readonly without: number;
  readonly with: number;
}

export interface Report {
  readonly lines: readonly string[];
  readonly kept: boolean;
}

/** 50 packages at once, with and without one of them stuck: how long the other 49 take. */
export async function measureIsolation(world: OperatorWorld, say: (line: string) => void): Promise<Report> {
  const tree = await world.push('bench/isolation', { app: deploymentChart() });
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? [false, true] : [true, false];
    const times = new Map<boolean, number>();
    for (const stuck of order)
      times.set(stuck, await installAll(world, { tree, stuck, prefix: `r${String(round)}${stuck ? 's' : 'n'}` }));
    const result = { without: times.get(false) ?? 0, with: times.get(true) ?? 0 };
    rounds.push(result);
    say(
      `round ${String(round + 1)} of ${String(ROUNDS)}: ${seconds(result.without)} without, ${seconds(result.with)} with one stuck`,
    );
  }
  return reportOf(rounds);
}

function reportOf(rounds: readonly Round[]): Report {
  const without = median(rounds.map((round) => round.without));
  const stuck = median(rounds.map((round) => round.with));
  const kept = stuck / without <= LIMIT;
  return {
    kept,
    lines: [
      `49 of 50 packages until Ready, median of ${String(ROUNDS)}: ${seconds(without)}; with the 50th stuck: ${seconds(stuck)}`,
      `ratio ${ratio(stuck, without)} (at most ${LIMIT.toFixed(2)}): ${kept ? 'kept' : 'NOT KEPT'}`,
    ],
  };
}

interface Batch {
  readonly tree: string;
  readonly stuck: boolean;
  readonly prefix: string;
}

async function installAll(world: OperatorWorld, { tree, stuck, prefix }: Batch): Promise<number> {
  const names = Array.from({ length: PACKAGES }, (_none, index) => `${prefix}-${String(index)}`);
  const [first = '', ...others] = names;
  for (const name of names) await world.applySource(name, sourceOf(tree, name));
  const started = performance.now();
  const waits = others.map((name) => world.untilPackage(name, isReady));
  const behavior = { components: { app: { values: { sim: { 'sim.kubepkg.dev/behavior': 'never-ready' } } } } };
  await Promise.all(names.map((name) => world.applyPackage(name, stuck && name === first ? behavior : {})));
  await Promise.all(waits);
  const took = performance.now() - started;
  await Promise.all(names.map((name) => removePackage(world, name)));
  return took;
}

function sourceOf(url: string, namespace: string): Parameters<OperatorWorld['applySource']>[1] {
  return {
    version: '1.0.0',
    sourceRef: { kind: 'OCIArtifact', url },
    variants: [{ name: 'default', components: [{ name: 'app', path: 'app', install: { namespace } }] }],
  };
}

async function removePackage(world: OperatorWorld, name: string): Promise<void> {
  await world.cluster.write({ verb: 'delete', ref: { apiVersion: 'kubepkg.dev/v1', kind: 'Package', name } });
  await world.gone('kubepkg.dev/v1', 'Package', name);
}
