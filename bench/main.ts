import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { OperatorWorld } from '../test/e2e/operator/world.ts';
import { measureCommand } from './command.ts';
import { measureEmbedded } from './embedded.ts';
import { measureFleet } from './fleet.ts';
import { measureIsolation } from './isolation.ts';
import { measureLatency } from './latency.ts';
import { isKept, type Measure, type Report, tableOf } from './measure.ts';
import { measureRest } from './rest.ts';
import { FULL, QUICK, type Sizes } from './sizes.ts';

type PartOfRig = (world: OperatorWorld, sizes: Sizes, say: (line: string) => void) => Promise<readonly Measure[]>;

/** Each on a control plane of its own. */
const PARTS_OF_RIG: Readonly<Record<string, PartOfRig>> = {
  latency: (world, { latency }, say) => measureLatency(world, latency, say),
  fleet: (world, { fleet }, say) => measureFleet(world, fleet, say),
  rest: (world, { fleet, restSeconds }, say) => measureRest(world, { fleet, restSeconds }, say),
  command: (world, { fleet, starts }, say) => measureCommand(world, { fleet, starts }, say),
  isolation: (world, { isolation }, say) => measureIsolation(world, isolation, say),
};

const PARTS = [...Object.keys(PARTS_OF_RIG), 'embedded'];

const USAGE = `Usage: bench [PART...] [--quick] [--packages=N] [--components=N] [-o table|json]

Parts (all when none is named): ${PARTS.join(', ')}.
  --quick         only to see that it runs: the numbers mean nothing
  --packages=N    packages of the parts fleet, rest, command and embedded
  --components=N  components of each of them, but for embedded
`;

interface Wish {
  readonly parts: readonly string[];
  readonly sizes: Sizes;
  readonly output: 'table' | 'json';
}

function wishOf(args: readonly string[]): Wish | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      packages: { type: 'string' },
      components: { type: 'string' },
      output: { type: 'string', short: 'o', default: 'table' },
    },
  });
  const { output } = values;
  const sizes = sizesOf(values);
  const isKnown = positionals.every((part) => PARTS.includes(part));
  if (!isKnown || sizes === undefined || (output !== 'table' && output !== 'json')) return undefined;
  return { parts: positionals.length === 0 ? PARTS : positionals, output, sizes };
}

interface SizeFlags {
  readonly quick: boolean;
  readonly packages?: string | undefined;
  readonly components?: string | undefined;
}

function sizesOf(flags: SizeFlags): Sizes | undefined {
  const sizes = flags.quick ? QUICK : FULL;
  const packages = Number(flags.packages ?? sizes.fleet.packages);
  const components = Number(flags.components ?? sizes.fleet.components);
  if (!(packages > 0) || !(components > 0)) return undefined;
  const embedded = { packages: flags.packages === undefined ? sizes.embedded.packages : packages };
  return { ...sizes, embedded, fleet: { packages, components } };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function loadNow(): number {
  return loadavg()[0] ?? Number.NaN;
}

/** Each part has a cluster and an operator of its own, so that none bears what another one left. */
async function measurePart(name: string, sizes: Sizes): Promise<readonly Measure[]> {
  if (name === 'embedded') return measureEmbedded(sizes.embedded, say);
  say(`${name}: starting a control plane and an operator …`);
  const world = await OperatorWorld.start({ audit: name !== 'isolation' });
  try {
    await world.startOperator();
    return (await PARTS_OF_RIG[name]?.(world, sizes, say)) ?? [];
  } finally {
    await world.stop();
  }
}

async function measureAll({ parts, sizes }: Wish): Promise<Report> {
  const before = loadNow();
  const measures: Measure[] = [];
  for (const part of parts) measures.push(...(await measurePart(part, sizes)));
  return { node: process.version, cores: cpus().length, load: [before, loadNow()], measures };
}

async function main(): Promise<number> {
  const wish = wishOf(process.argv.slice(2));
  if (wish === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const report = await measureAll(wish);
  await mkdir('bench/out', { recursive: true });
  await writeFile('bench/out/report.json', `${JSON.stringify(report, undefined, 2)}\n`);
  await writeFile('bench/out/report.txt', `${tableOf(report)}\n`);
  process.stdout.write(wish.output === 'json' ? `${JSON.stringify(report, undefined, 2)}\n` : `${tableOf(report)}\n`);
  return report.measures.every(isKept) ? 0 : 1;
}

process.exit(await main());
