import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { OperatorWorld } from '../test/e2e/operator/world.ts';
import { atOnce } from './at-once.ts';
import { processCost } from './process-cost.ts';

export interface LoopOptions {
  readonly namespace: string;
  /** Folder of the chart. */
  readonly chart: string;
  readonly packages: readonly string[];
  readonly components: readonly string[];
  /** Packages that are installed at once; the releases of one come one after another. */
  readonly places: number;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Taken {
  readonly ms: number;
  /** CPU of all that ran on this side of the API server. */
  readonly cpuMs: number;
}

/** What people write who have no package manager: helm in a loop. */
export async function runHelmLoop(world: OperatorWorld, options: LoopOptions): Promise<Taken> {
  const { packages, components, places, namespace } = options;
  await world.cluster.write({
    verb: 'create',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  const before = processCost('self').childrenMs;
  const started = performance.now();
  await atOnce(places, packages, async (pkg) => {
    for (const component of components) await upgrade(world, `${pkg}-${component}`, options);
  });
  return { ms: performance.now() - started, cpuMs: processCost('self').childrenMs - before };
}

async function upgrade({ plane }: OperatorWorld, release: string, options: LoopOptions): Promise<void> {
  const { chart, namespace, flags, env } = options;
  const child = spawn(
    plane.binaries.helm,
    ['upgrade', '--install', release, chart, '--namespace', namespace, ...flags],
    {
      env: { ...plane.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`helm upgrade --install ${release} ended with ${String(code)}`);
}
