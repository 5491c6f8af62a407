import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChartShape, chartArchive, chartFiles, entriesOf, tgzOf } from '../../../test/build/archives.ts';
import { ScriptedRegistry } from '../../../test/fakes/scripted-registry.ts';
import { sha256 } from '../../lib/digest.ts';
import type { ArtifactSource, PublishedChartRef, TreeChartRef } from '../../ports/artifacts.ts';
import { createArtifactSource } from './artifact-source.ts';

const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const TREE_LAYER = 'application/vnd.cncf.flux.content.v1.tar+gzip';

let registry: ScriptedRegistry;
let folder: string;
let source: ArtifactSource;

beforeEach(async () => {
  registry = await ScriptedRegistry.start();
  folder = await mkdtemp(join(tmpdir(), 'oci-test-'));
  source = createArtifactSource({ cacheDir: folder, plainHttp: true, env: {} });
});

afterEach(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

function publishChart(shape: ChartShape = {}, tag = '1.2.3'): { manifest: string; layer: string } {
  return registry.publish('charts/web', tag, { mediaType: CHART_LAYER, content: chartArchive(shape) });
}

function ociRef(more: Partial<PublishedChartRef> = {}): PublishedChartRef {
  return { kind: 'chart', repository: `oci://${registry.host}/charts`, name: 'web', version: '1.2.3', ...more };
}

function publishTree(files: Readonly<Record<string, string>>): string {
  const content = tgzOf(entriesOf(files));
  return registry.publish('trees/shop', '1.0.0', { mediaType: TREE_LAYER, content }).manifest;
}

function treeRef(more: Partial<TreeChartRef> = {}): TreeChartRef {
  const url = `oci://${registry.host}/trees/shop:1.0.0`;
  return { kind: 'tree', url, root: '', path: 'web', libraries: [], valuesFiles: [], ...more };
}

describe('a chart from an OCI registry', () => {
  it('comes with its digest, name and version', async () => {
    const { layer } = publishChart();
    const chart = await source.fetch(ociRef());
    expect(chart).toMatchObject({ digest: layer, name: 'web', version: '1.2.3', hasPostHooks: false });
    expect(chart.ref).toEqual(ociRef({ digest: layer }));
    expect(`sha256:${sha256(await readFile(chart.path))}`).toBe(layer);
  });

  it('with a digest is fetched once, then without any network', async () => {
    const { layer } = publishChart();
    const first = await source.fetch(ociRef({ digest: layer }));
    const asked = registry.seen.length;
    expect(await source.fetch(first.ref)).toEqual(first);
    expect(registry.seen).toHaveLength(asked);
  });
});

describe('a chart from a tree', () => {
  it('comes with the digests of tree and archive', async () => {
    const tree = publishTree({
      'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n',
      'web/values.yaml': 'a: 1\n',
    });
    const chart = await source.fetch(treeRef());
    expect(chart).toMatchObject({ name: 'web', version: '0.1.0', ref: { treeDigest: tree, digest: chart.digest } });
    expect(`sha256:${sha256(await readFile(chart.path))}`).toBe(chart.digest);
  });
});
