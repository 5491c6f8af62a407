import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { chartFiles } from '../../../test/build/archives.ts';
import { aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { VirtualClock } from '../../../test/fakes/clock.ts';
import { MemoryCluster } from '../../../test/fakes/memory-cluster.ts';
import { type OciWorld, ociTest as it } from '../../../test/fakes/oci-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { ANNOTATION, API_VERSION } from '../../api/names.ts';
import type { ChartRecord, PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { sha256 } from '../../lib/digest.ts';
import type { ReleaseArchive, ReleaseTarget } from '../../ports/backend.ts';
import { ChartFinder } from './chart-finder.ts';

/** An operator that has just started: what it finds is nowhere but in the cluster and the registry. */
class Search {
  readonly cluster = new MemoryCluster();
  readonly clock = new VirtualClock();
  readonly finder: ChartFinder;

  constructor(world: OciWorld, archives: Readonly<Record<string, ReleaseArchive>> = {}, artifacts = world.source()) {
    this.cluster.serve(API_VERSION, 'PackageRevision', false);
    const { cluster, clock } = this;
    const archiveOf = (backend = 'default') => archives[backend];
    this.finder = new ChartFinder({ artifacts, cluster, clock, archiveOf });
  }

  put(revision: PackageRevision): void {
    this.cluster.put(revision as unknown as KubeObject);
  }

  /** Lets time pass until something is done; reading the disk takes none of it. */
  async until<T>(work: Promise<T>): Promise<T> {
    const done = new AbortController();
    void work.finally(() => {
      done.abort();
    });
    while (!done.signal.aborted) await this.clock.advance(1000);
    return work;
  }

  get lists(): number {
    return this.cluster.requests.filter(({ verb }) => verb === 'list').length;
  }
}

const NOTHING = `sha256:${'0'.repeat(64)}`;

function recorded(chart: ChartRecord, chartDigest: string): RevisionComponent {
  return aRevisionComponent('web', { chart, chartDigest });
}

function publishedRecord(world: OciWorld): ChartRecord {
  return { kind: 'chart', repository: `oci://${world.registry.host}/charts`, name: 'web', version: '1.2.3' };
}

/** As a test of a restart: published, and not in the cache. */
function publish(world: OciWorld): RevisionComponent {
  return recorded(publishedRecord(world), world.publishChart().layer);
}

function withHook(hook: RevisionComponent): PackageRevision {
  const revision = aRevision({ number: 7 });
  return { ...revision, spec: { ...revision.spec, hooks: [hook] } };
}

function withAddition(component: RevisionComponent): PackageRevision {
  const revision = aRevision({ number: 3, components: [aRevisionComponent('web', { chartDigest: '' })] });
  const annotations = { [ANNOTATION.additions]: JSON.stringify({ components: [component] }) };
  return { ...revision, metadata: { ...revision.metadata, annotations } };
}

describe('a chart that is asked for by its digest', () => {
  it('comes from the cache, and nobody is asked', async ({ world }) => {
    world.publishChart();
    const { digest, path } = await world.source().fetch(world.chartRef());
    const search = new Search(world);
    expect(await search.finder.find(digest)).toMatchObject({ digest, path, name: 'web' });
    expect(search.lists).toBe(0);
  });

  it.for([
    ['a component', (component: RevisionComponent) => aRevision({ components: [component] })],
    ['a hook', withHook],
    ['a component of a revision that was taken over', withAddition],
  ] as const)('is fetched as %s recorded it, by an operator that never saw it', async ([, revise], { world }) => {
    const component = publish(world);
    const search = new Search(world);
    search.put(aRevision({ number: 1 }));
    search.put(revise(component));
    const chart = await search.finder.find(component.chartDigest);
    expect(`sha256:${sha256(await readFile(chart?.path ?? ''))}`).toBe(component.chartDigest);
    expect(search.lists).toBe(1);
  });

  it('is built again out of its tree', async ({ world }) => {
    const files = Object.entries(chartFiles()).map(([path, content]) => [`web/${path}`, content]);
    const treeDigest = world.publishTree(Object.fromEntries(files) as Record<string, string>);
    const { digest } = await world.source().fetch(world.treeRef());
    await world.forget();
    const url = `oci://${world.registry.host}/trees/shop:1.0.0`;
    const search = new Search(world);
    search.put(aRevision({ components: [recorded({ kind: 'tree', url, root: '', path: 'web', treeDigest }, digest)] }));
    expect(await search.finder.find(digest)).toMatchObject({ digest, name: 'web', version: '1.2.3' });
  });

  it('that nobody recorded is not found', async ({ world }) => {
    const search = new Search(world);
    search.put(aRevision({ components: [publish(world)] }));
    expect(await search.finder.find(NOTHING)).toBeUndefined();
    expect(world.registry.seen).toEqual([]);
  });

  it('is never another one, whatever the registry has by now', async ({ world }) => {
    const component = publish(world);
    world.publishChart({ files: { 'README.md': 'newer' } });
    world.registry.remove(`/v2/charts/web/blobs/${component.chartDigest}`);
    const search = new Search(world);
    search.put(aRevision({ components: [component] }));
    await expect(search.finder.find(component.chartDigest)).rejects.toMatchObject({ code: 'DigestMismatch' });
  });
});

describe('a chart that was made of a release record', () => {
  const FILES = chartFiles();
  const RECALLED = {
    revision: 4,
    chartName: 'web',
    chartVersion: '1.2.3',
    values: {},
    privileged: false,
    files: FILES,
  };

  /** What it was recorded with, and a cache that has lost it. */
  async function remade(world: OciWorld): Promise<RevisionComponent> {
    const { digest } = await world.source().pack('web', FILES);
    await world.forget();
    return recorded({ kind: 'release', name: 'web', version: '1.2.3', record: 4 }, digest);
  }

  it.for([
    ['the default backend', undefined, 'default'],
    ['the backend of its revision', 'other', 'other'],
  ] as const)('is made again of the record of %s', async ([, backend, name], { world }) => {
    const component = await remade(world);
    const asked: unknown[] = [];
    const recall = (target: ReleaseTarget, record?: number) => {
      asked.push([target.namespace, target.releaseName, record]);
      return Promise.resolve(RECALLED);
    };
    const search = new Search(world, { [name]: { recall } });
    const revision = aRevision({ components: [component] });
    search.put({ ...revision, spec: { ...revision.spec, ...(backend === undefined ? {} : { backend }) } });
    expect(await search.finder.find(component.chartDigest)).toMatchObject({ digest: component.chartDigest });
    expect(asked).toEqual([['shop', 'web', 4]]);
  });

  it.for([
    ['the record is gone', () => Promise.resolve(undefined)],
    ['the record is another', () => Promise.resolve({ ...RECALLED, files: chartFiles({ version: '2.0.0' }) })],
  ] as const)('is not to be had when %s', async ([, recall], { world }) => {
    const component = await remade(world);
    const search = new Search(world, { default: { recall } });
    search.put(aRevision({ components: [component] }));
    await expect(search.finder.find(component.chartDigest)).rejects.toMatchObject({ code: 'ArtifactNotFound' });
  });

  it('is not to be had when the backend keeps no records', async ({ world }) => {
    const component = await remade(world);
    const search = new Search(world);
    search.put(aRevision({ components: [component] }));
    await expect(search.finder.find(component.chartDigest)).rejects.toMatchObject({ code: 'ArtifactNotFound' });
  });
});

describe('many questions', () => {
  it('for one chart at the same time fetch it once', async ({ world }) => {
    const component = publish(world);
    const search = new Search(world);
    search.put(aRevision({ components: [component] }));
    await Promise.all(Array.from({ length: 5 }, () => search.finder.find(component.chartDigest)));
    expect(search.lists).toBe(1);
    expect(world.registry.seen.filter(({ path }) => path.includes('/blobs/'))).toHaveLength(1);
  });

  it('for charts that nobody has cost few lists: one at once, one for all others after a pause', async ({ world }) => {
    const search = new Search(world, {}, { ...world.source(), find: () => Promise.resolve(undefined) });
    await search.finder.find(NOTHING);
    const digests = Array.from({ length: 20 }, (_, index) => `sha256:${String(index).padStart(64, '0')}`);
    const others = Promise.all(digests.map((digest) => search.finder.find(digest)));
    await search.clock.advance(999);
    expect(search.lists).toBe(1);
    await search.until(others);
    expect(search.lists).toBe(2);
  });

  it('for the charts of one package cost one list', async ({ world }) => {
    const component = publish(world);
    const db = recorded({ ...publishedRecord(world), name: 'db' }, world.publishChart({ name: 'db' }).layer);
    const search = new Search(world);
    search.put(aRevision({ components: [component, db] }));
    expect(await search.finder.find(component.chartDigest)).toMatchObject({ name: 'web' });
    expect(await search.finder.find(db.chartDigest)).toMatchObject({ name: 'db' });
    expect(search.lists).toBe(1);
  });

  it('nobody is told that a chart is unknown which was recorded before they asked', async ({ world }) => {
    const component = publish(world);
    const search = new Search(world);
    await search.finder.find(NOTHING);
    search.put(aRevision({ components: [component] }));
    expect(await search.until(search.finder.find(component.chartDigest))).toMatchObject({ name: 'web' });
  });

  it.for(['shop-1', 'shop-2'])('a chart is found by another revision when %s is gone', async (name, { world }) => {
    const component = publish(world);
    const search = new Search(world);
    for (const number of [1, 2]) search.put(aRevision({ number, components: [component] }));
    await search.finder.find(NOTHING);
    search.cluster.remove({ apiVersion: API_VERSION, kind: 'PackageRevision', name });
    expect(await search.finder.find(component.chartDigest)).toMatchObject({ name: 'web' });
    expect(search.lists).toBe(1);
  });

  it('an API server that did not answer is asked again', async ({ world }) => {
    const component = publish(world);
    const search = new Search(world);
    search.put(aRevision({ components: [component] }));
    search.cluster.before = () => {
      throw new KubepkgError('ApiUnreachable', 'no answer');
    };
    await expect(search.finder.find(component.chartDigest)).rejects.toMatchObject({ code: 'ApiUnreachable' });
    search.cluster.before = () => undefined;
    expect(await search.until(search.finder.find(component.chartDigest))).toMatchObject({ name: 'web' });
  });
});
