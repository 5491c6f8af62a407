import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  environmentOf,
  type EmbeddedRegistry,
  fetchPrograms,
  openRegistry,
  startEmbeddedCluster,
} from '../dev/demo/embedded-cluster.ts';
import { type Background, startProgram } from '../dev/demo/run-program.ts';
import { createCluster } from '../src/adapters/kube/create-cluster.ts';
import type { KubeClient } from '../src/adapters/kube/kube-client.ts';
import { pushTree } from '../src/adapters/oci/index.ts';
import { customResourceDefinitions } from '../src/api/crd.ts';
import { API_VERSION } from '../src/api/names.ts';
import { createClock } from '../src/compose/clock.ts';
import { writeTree } from '../test/e2e/operator/charts.ts';
import { atOnce, numbered } from './at-once.ts';
import type { Measure } from './measure.ts';
import { chainSource, fourObjectsChart, untilAllReady } from './packages.ts';
import { processCost, residentMemory } from './process-cost.ts';
import type { Sizes } from './sizes.ts';
import { seconds } from './statistics.ts';

const WRITES_AT_ONCE = 8;

interface Site {
  readonly dir: string;
  readonly cluster: KubeClient;
  readonly registry: EmbeddedRegistry;
  readonly operator: Background;
  close(): Promise<void>;
}

/** From nothing to all packages ready on the embedded cluster, which lives in this process. */
export async function measureEmbedded(
  { packages }: Sizes['embedded'],
  say: (line: string) => void,
): Promise<readonly Measure[]> {
  const site = await openSite(say);
  try {
    return await measureSite(site, packages, say);
  } finally {
    await site.close();
  }
}

async function measureSite(site: Site, packages: number, say: (line: string) => void): Promise<readonly Measure[]> {
  const { pid } = site.operator;
  const names = numbered('fleet-', packages);
  const empty = residentMemory(process.pid).nowMiB;
  await applySources(site, names);
  const [own, operator] = [processCost('self'), processCost(pid)];
  const started = performance.now();
  const ready = untilAllReady(site, packages, (count) => {
    if (count % 100 === 0) say(`${String(count)} packages are ready after ${seconds(performance.now() - started)}`);
  });
  await atOnce(WRITES_AT_ONCE, names, (name) => apply(site, { kind: 'Package', name, spec: {} }));
  if ((await Promise.race([ready, site.operator.gone])) !== undefined) throw new Error('the operator has ended');
  const ms = performance.now() - started;
  const [ownAfter, operatorAfter] = [processCost('self'), processCost(pid)];
  const [server, memory] = [residentMemory(process.pid), residentMemory(pid)];
  const what = `${String(packages)} packages on the embedded cluster`;
  const each = (total: number): number => total / packages;
  return [
    { what: `${what} until Ready`, value: ms / 1000, unit: 's' },
    { what: `${what}: memory of its process, empty`, value: empty, unit: 'MiB' },
    { what: `${what}: memory of its process, all Ready`, value: server.nowMiB, unit: 'MiB' },
    { what: `${what}: memory of its process, peak`, value: server.peakMiB, unit: 'MiB' },
    { what: `${what}: memory of the operator, all Ready`, value: memory.nowMiB, unit: 'MiB' },
    { what: `${what}: memory of the operator, peak`, value: memory.peakMiB, unit: 'MiB' },
    { what: `${what}: CPU of its process a package`, value: each(ownAfter.ownMs - own.ownMs), unit: 'ms' },
    { what: `${what}: CPU of the operator a package`, value: each(operatorAfter.ownMs - operator.ownMs), unit: 'ms' },
    {
      what: `${what}: CPU of helm a package`,
      value: each(operatorAfter.childrenMs - operator.childrenMs),
      unit: 'ms',
    },
  ];
}

async function openSite(say: (line: string) => void): Promise<Site> {
  const dir = await mkdtemp(join(tmpdir(), 'kubepkg-bench-'));
  const programs = await fetchPrograms(say);
  const registry = await openRegistry(dir);
  const embedded = await startEmbeddedCluster(dir);
  const { kubeconfig } = embedded;
  const cluster = createCluster({ clock: createClock(), env: { KUBECONFIG: kubeconfig }, userAgent: 'kubepkg-bench' });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubepkg-system' } };
  await cluster.write({ verb: 'create', object: namespace });
  for (const object of customResourceDefinitions()) await cluster.write({ verb: 'apply', object, force: true });
  const args = ['dist/kubepkg.js', 'operator', '--helm', programs.helm, '--cache-dir', join(dir, 'cache')];
  args.push('--registry-ca-file', registry.caFile, '--log-format', 'json');
  args.push('--metrics-bind-address', '0', '--health-probe-bind-address', '0');
  const env = await environmentOf(dir, programs, kubeconfig);
  const command = { file: process.execPath, args, env };
  const operator = startProgram(command, 'everything is read', join(dir, 'operator.log'));
  await operator.ready;
  return {
    dir,
    cluster,
    registry,
    operator,
    close: async () => {
      await operator.stop();
      cluster.close();
      await embedded.stop();
      await registry.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function applySources(site: Site, names: readonly string[]): Promise<void> {
  const { host, caFile } = site.registry;
  const folder = await writeTree(site.dir, { app: fourObjectsChart({ replicas: 1 }) });
  const { reference } = await pushTree(folder, `oci://${host}/bench/embedded:1.0.0`, { caFile, env: {} });
  await atOnce(WRITES_AT_ONCE, names, (name) =>
    apply(site, {
      kind: 'PackageSource',
      name,
      spec: chainSource(reference, name, { namespace: 'bench', components: ['c'] }),
    }),
  );
}

interface Wanted {
  readonly kind: 'Package' | 'PackageSource';
  readonly name: string;
  readonly spec: unknown;
}

async function apply({ cluster }: Site, { kind, name, spec }: Wanted): Promise<void> {
  const object = { apiVersion: API_VERSION, kind, metadata: { name }, spec };
  await cluster.write({ verb: 'apply', force: true, object });
}
