import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ChartFinder } from '../../../src/adapters/charts/chart-finder.ts';
import { createChartServer } from '../../../src/adapters/charts/chart-server.ts';
import { pushTree } from '../../../src/adapters/oci/index.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import { API_VERSION } from '../../../src/api/names.ts';
import { createClock } from '../../../src/compose/clock.ts';
import { snapshotComponent } from '../../../src/domain/release/snapshot.ts';
import { resolvePackage } from '../../../src/domain/resolve/resolve-package.ts';
import { type ChartLocation, createChartLocator } from '../../../src/helm/chart-location.ts';
import { sha256 } from '../../../src/lib/digest.ts';
import type { FetchedChart } from '../../../src/ports/artifacts.ts';
import { chartFiles, type ChartShape } from '../../build/archives.ts';
import { aComponent, aPackage, aRevision, aSource } from '../../build/objects.ts';
import { MemoryCluster } from '../../fakes/memory-cluster.ts';
import { RecordingLog } from '../../fakes/recording-log.ts';
import { describeRegistries, type HelmWorld } from './helm-world.ts';

/** Serves charts for the time of one test; gives the address for `--charts-url`. */
async function serve(world: HelmWorld, cluster: MemoryCluster): Promise<string> {
  const clock = createClock();
  const charts = new ChartFinder({ artifacts: world.source(), cluster, clock, archiveOf: () => undefined });
  const server = createChartServer({ charts, clock, log: new RecordingLog() });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/charts`;
}

async function chartOfTree(world: HelmWorld, shape: ChartShape): Promise<FetchedChart> {
  const { host, caFile } = world.registry;
  const tree = await world.write('tree', {});
  await world.write('tree/web', chartFiles(shape));
  const url = `${host}/trees/served-${sha256(world.folder).slice(0, 8)}:1.0.0`;
  await pushTree(tree, url, { caFile, env: {} });
  return world.source().fetch({ kind: 'tree', url, root: '', path: 'web', libraries: [], valuesFiles: [] });
}

/** A cluster in which a revision of another operator recorded the chart. */
function clusterWith(chart: FetchedChart): MemoryCluster {
  const resolution = resolvePackage(aPackage(), aSource([aComponent('app')]), { defaultBackend: 'default' });
  const [component] = resolution.kind === 'resolved' ? resolution.desired.components : [];
  if (component === undefined) throw new Error('it can be resolved');
  const options = { number: 1, valuesNamespace: 'kubepkg-system' };
  const recorded = snapshotComponent({ package: 'shop' }, { component, chart, options });
  const cluster = new MemoryCluster();
  cluster.serve(API_VERSION, 'PackageRevision', false);
  cluster.put(aRevision({ components: [recorded] }) as unknown as KubeObject);
  return cluster;
}

function locate(world: HelmWorld, chart: FetchedChart, chartsUrl?: string): Promise<ChartLocation> {
  const source = world.source();
  const locator = createChartLocator({
    manifestDigest: (ref, signal) => source.manifestDigest(ref, signal),
    chartsUrl,
  });
  return locator.locate(chart, new AbortController().signal);
}

/** The bytes that helm pulls from where a controller is sent. */
async function pull(world: HelmWorld, { repository, version }: ChartLocation, name: string): Promise<Buffer> {
  await world.helm('pull', '--repo', repository, name, '--version', version, '--destination', world.folder);
  return readFile(join(world.folder, `${name}-${version}.tgz`));
}

const SHAPES: readonly ChartShape[] = [
  {},
  { version: '1.2.3+up4' },
  { name: 'internal.my-chart', version: '1.0.0-rc.1' },
];

describeRegistries('a chart from a tree, pulled by helm from where a controller is sent', (it) => {
  it.for(SHAPES)('F84 F85 %j is the one that was verified', async (shape, { world }) => {
    const chart = await chartOfTree(world, shape);
    const url = await serve(world, new MemoryCluster());
    const location = await locate(world, chart, url);
    const pulled = await pull(world, location, chart.name);
    expect(`sha256:${sha256(pulled)}`).toBe(chart.digest);
    expect(pulled.equals(await readFile(chart.path))).toBe(true);
  });

  it('comes from an operator that never saw it', async ({ world }) => {
    const chart = await chartOfTree(world, {});
    const url = await serve(world, clusterWith(chart));
    await rm(join(world.folder, 'cache'), { recursive: true });
    const pulled = await pull(world, await locate(world, chart, url), chart.name);
    expect(`sha256:${sha256(pulled)}`).toBe(chart.digest);
  });

  it('that nobody recorded is not there', async ({ world }) => {
    const chart = await chartOfTree(world, {});
    const url = await serve(world, clusterWith({ ...chart, digest: `sha256:${'0'.repeat(64)}` }));
    await rm(join(world.folder, 'cache'), { recursive: true });
    await expect(pull(world, await locate(world, chart, url), chart.name)).rejects.toThrow('404');
  });
});

describeRegistries('a chart that helm pushed', (it) => {
  it('F85 is pulled by the digest of its manifest', async ({ world }) => {
    await world.write('web', chartFiles({ version: '1.2.3+up4' }));
    await world.helm('package', 'web', '--destination', world.folder);
    const repository = `oci://${world.registry.host}/served/published`;
    await world.helm('push', 'web-1.2.3+up4.tgz', repository);
    const chart = await world.source().fetch({ kind: 'chart', repository, name: 'web', version: '1.2.3+up4' });
    const location = await locate(world, chart);
    expect(location).toMatchObject({ kind: 'oci', repository: `${repository}/web`, version: '1.2.3+up4' });
    const pinned = location.kind === 'oci' ? `${location.repository}@${location.manifestDigest}` : '';
    await rm(join(world.folder, 'web-1.2.3+up4.tgz'));
    await world.helm('show', 'chart', pinned);
  });
});
