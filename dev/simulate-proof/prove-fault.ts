import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { PlantedFault } from '../../test/simulation/planted.ts';
import { plant } from '../mutants/mutant.ts';

export interface Proof {
  /** The first simulation that fails with the fault and passes without it. */
  readonly seed: number | undefined;
  readonly as: string;
}

const FOLDER = join('dist', 'dev', 'planted');
/** Failures that are looked at until one is the fault's own. */
const MOST_TRIES = 10;

/** Runs simulations on a program that has the fault in it, until one of them notices. */
export async function proveFault(fault: PlantedFault, seeds: number): Promise<Proof> {
  await mkdir(FOLDER, { recursive: true });
  const program = join(FOLDER, `${fault.id}.mjs`);
  const healthy = join(FOLDER, 'healthy.mjs');
  try {
    await bundle(program, fault);
    await bundle(healthy, undefined);
    return await search({ program, healthy, seeds });
  } finally {
    await rm(program, { force: true });
  }
}

interface Search {
  readonly program: string;
  readonly healthy: string;
  readonly seeds: number;
}

async function search({ program, healthy, seeds }: Search): Promise<Proof> {
  let from = 1;
  for (let tries = 0; tries < MOST_TRIES && from <= seeds; tries += 1) {
    const failure = await firstFailure(program, from, seeds - from + 1);
    if (failure === undefined) break;
    if ((await firstFailure(healthy, failure.seed, 1)) === undefined) return failure;
    from = failure.seed + 1;
  }
  return { seed: undefined, as: '' };
}

interface Failure {
  readonly seed: number;
  readonly as: string;
}

async function firstFailure(program: string, from: number, count: number): Promise<Failure | undefined> {
  const output = await run(program, { FROM: String(from), SEEDS: String(count), EXPLAIN: '0' });
  const match = /^seed (\d+): (\S+)/m.exec(output);
  return match === null ? undefined : { seed: Number(match[1]), as: match[2] ?? '' };
}

async function bundle(outfile: string, fault: PlantedFault | undefined): Promise<void> {
  await build({
    entryPoints: ['dev/simulate/main.ts'],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    plugins: fault === undefined ? [] : [planting(fault)],
  });
}

function planting(fault: PlantedFault): Plugin {
  return {
    name: 'planted-fault',
    setup(bundler) {
      const path = resolve(fault.file);
      bundler.onLoad({ filter: /\.ts$/ }, async (args) => {
        if (args.path !== path) return undefined;
        return { contents: plant(await readFile(path, 'utf8'), fault), loader: 'ts' };
      });
    },
  };
}

function run(program: string, own: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...own },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', () => {
      done(chunks.join(''));
    });
  });
}
