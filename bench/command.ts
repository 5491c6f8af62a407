import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_VERSION } from '../src/api/names.ts';
import type { OperatorWorld } from '../test/e2e/operator/world.ts';
import { numbered } from './at-once.ts';
import { type FleetSize, installFleet } from './fleet.ts';
import type { Measure } from './measure.ts';
import { chainSource, fourObjectsChart } from './packages.ts';
import { median } from './statistics.ts';

const PROGRAM = join('dist', 'kubepkg.js');
/** Each of these is rendered by a helm. */
const RENDERED = 10;

export interface CommandOptions {
  readonly fleet: FleetSize;
  readonly starts: number;
}

/** How long a person waits for the command line. */
export async function measureCommand(
  world: OperatorWorld,
  { fleet, starts }: CommandOptions,
  say: (line: string) => void,
): Promise<readonly Measure[]> {
  const bare = await medianOf(starts, ['-e', '0']);
  const start = await medianOf(starts, [PROGRAM, 'list', '--help']);
  const size = { ...fleet, components: 1 };
  await installFleet(world, size);
  say(`${String(size.packages)} packages are ready; planning another version of each …`);
  const { names, file } = await nextVersions(world, size);
  const planOf = (count: number): readonly string[] => {
    return [
      PROGRAM,
      'plan',
      ...names.slice(0, count),
      '-f',
      file,
      '--fail-on',
      'never',
      '-o',
      'json',
      ...access(world),
    ];
  };
  // The first one fetches the charts.
  await run([...planOf(1), '--no-objects']);
  const steps = await medianOf(3, [...planOf(size.packages), '--no-objects']);
  const rendered = Math.min(RENDERED, size.packages);
  const objects = await medianOf(1, planOf(rendered));
  return [
    { what: 'start of the program', value: start, unit: 'ms', limit: 100 },
    { what: 'start of a bare node', value: bare, unit: 'ms' },
    { what: 'start of the program, less that of a bare node', value: start - bare, unit: 'ms' },
    { what: `plan of ${String(size.packages)} packages, without objects`, value: steps / 1000, unit: 's', limit: 1 },
    {
      what: `plan of ${String(rendered)} of them, every chart rendered and every object compared`,
      value: objects / 1000,
      unit: 's',
    },
  ];
}

function access(world: OperatorWorld): readonly string[] {
  const { plane, dir } = world;
  const cluster = ['--kubeconfig', plane.kubeconfigFor('kubepkg'), '--helm', plane.binaries.helm];
  return [...cluster, '--registry-ca-file', plane.caFile, '--cache-dir', join(dir, 'plan-cache')];
}

async function nextVersions(
  world: OperatorWorld,
  { packages }: FleetSize,
): Promise<{ readonly names: readonly string[]; readonly file: string }> {
  const tree = await world.push('bench/next', { app: fourObjectsChart({ greeting: 'goodbye' }) });
  const names = numbered('fleet-', packages);
  const options = { namespace: 'bench-fleet', components: numbered('c', 1) };
  const items = names.map((name) => ({
    apiVersion: API_VERSION,
    kind: 'PackageSource',
    metadata: { name },
    spec: { ...chainSource(tree, name, options), version: '1.1.0' },
  }));
  const file = join(world.dir, 'next.json');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return { names, file };
}

async function medianOf(times: number, args: readonly string[]): Promise<number> {
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) taken.push(await run(args));
  return median(taken);
}

/** Milliseconds until it has ended. */
function run(args: readonly string[]): Promise<number> {
  const started = performance.now();
  // Node reads these certificates before anything else, which takes as long as the rest of its start. Nothing here needs them.
  const { NODE_EXTRA_CA_CERTS: _certificates, ...env } = process.env;
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(performance.now() - started);
      else reject(new Error(`${args.slice(1, 3).join(' ')} ended with ${String(code)}: ${said.join('').slice(-500)}`));
    });
  });
}
