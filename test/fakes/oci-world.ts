import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { createArtifactSource, type OciArtifacts } from '../../src/adapters/oci/artifact-source.ts';
import type { ClientOptions } from '../../src/adapters/oci/client.ts';
import type { PublishedChartRef, TreeChartRef } from '../../src/ports/artifacts.ts';
import { type ChartShape, chartArchive, entriesOf, tgzOf } from '../build/archives.ts';
import { type PublishedArtifact, ScriptedRegistry, type ScriptedRegistryOptions } from './scripted-registry.ts';

export const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
export const TREE_LAYER = 'application/vnd.cncf.flux.content.v1.tar+gzip';

/** A registry on loopback, and a folder for caches and files; both vanish with the test. */
export class OciWorld {
  readonly folder: string;
  readonly #registries: ScriptedRegistry[];

  private constructor(folder: string, registry: ScriptedRegistry) {
    this.folder = folder;
    this.#registries = [registry];
  }

  static async start(): Promise<OciWorld> {
    return new OciWorld(await mkdtemp(join(tmpdir(), 'oci-world-')), await ScriptedRegistry.start());
  }

  async stop(): Promise<void> {
    await Promise.all(this.#registries.map((registry) => registry.stop()));
    await rm(this.folder, { recursive: true });
  }

  /** The newest one. */
  get registry(): ScriptedRegistry {
    const registry = this.#registries.at(-1);
    if (registry === undefined) throw new Error('there is always one');
    return registry;
  }

  /** From now on another registry is meant. */
  async useRegistry(options: ScriptedRegistryOptions): Promise<ScriptedRegistry> {
    const registry = await ScriptedRegistry.start(options);
    this.#registries.push(registry);
    return registry;
  }

  get cacheDir(): string {
    return join(this.folder, 'cache');
  }

  /** A fresh one each time, as after a restart; all share the cache. */
  source(options: ClientOptions = {}): OciArtifacts {
    return createArtifactSource({ cacheDir: this.cacheDir, plainHttp: true, env: {}, ...options });
  }

  /** As if the disk of the cache were a new one. */
  async forget(): Promise<void> {
    await rm(this.cacheDir, { recursive: true });
  }

  publishChart(shape: ChartShape & { readonly tag?: string } = {}): PublishedArtifact {
    const { name = 'web', version = '1.2.3' } = shape;
    const tag = shape.tag ?? version.replaceAll('+', '_');
    return this.registry.publish(`charts/${name}`, tag, { mediaType: CHART_LAYER, content: chartArchive(shape) });
  }

  chartRef(more: Partial<PublishedChartRef> = {}): PublishedChartRef {
    return { kind: 'chart', repository: `oci://${this.registry.host}/charts`, name: 'web', version: '1.2.3', ...more };
  }

  /** A chart repository on the web server of the registry. */
  webRef(more: Partial<PublishedChartRef> = {}): PublishedChartRef {
    return this.chartRef({ repository: `http://${this.registry.host}/stable`, ...more });
  }

  /** Publishes a tree under the tag 1.0.0; returns the digest of its manifest. */
  publishTree(files: Readonly<Record<string, string>>): string {
    const content = tgzOf(entriesOf(files));
    return this.registry.publish('trees/shop', '1.0.0', { mediaType: TREE_LAYER, content }).manifest;
  }

  treeRef(more: Partial<TreeChartRef> = {}): TreeChartRef {
    const url = `oci://${this.registry.host}/trees/shop:1.0.0`;
    return { kind: 'tree', url, root: '', path: 'web', libraries: [], valuesFiles: [], ...more };
  }
}

/** `it` with a world of its own for each test. */
export const ociTest = test.extend<{ world: OciWorld }>({
  world: async ({}, use) => {
    const world = await OciWorld.start();
    await use(world);
    await world.stop();
  },
});
