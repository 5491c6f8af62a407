import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { chartArchive, chartFiles, entriesOf, tgzOf } from '../../../test/build/archives.ts';
import { CHART_LAYER, type OciWorld, ociTest as it, TREE_LAYER } from '../../../test/fakes/oci-world.ts';
import { sha256 } from '../../lib/digest.ts';
import type { ChartRef, PublishedChartRef } from '../../ports/artifacts.ts';

const OTHER_DIGEST = `sha256:${'0'.repeat(64)}`;

function treeFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(chartFiles()).map(([path, content]) => [`web/${path}`, content]));
}

/** Publishes something and says how it is asked for. */
const KINDS: readonly (readonly [string, (world: OciWorld) => ChartRef])[] = [
  [
    'a chart from an OCI registry',
    (world) => {
      world.publishChart();
      return world.chartRef();
    },
  ],
  [
    'a chart from a web repository',
    (world) => {
      const archive = chartArchive();
      world.registry.put('/stable/web-1.2.3.tgz', archive);
      world.registry.put('/stable/index.yaml', indexOf(sha256(archive)));
      return world.webRef();
    },
  ],
  [
    'a chart from a tree',
    (world) => {
      world.publishTree(treeFiles());
      return world.treeRef();
    },
  ],
];

function indexOf(digest: string): string {
  return `apiVersion: v1\nentries:\n  web:\n  - digest: ${digest}\n    urls:\n    - web-1.2.3.tgz\n    version: 1.2.3\n`;
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe.for(KINDS)('%s', ([, publish]) => {
  it('comes with its digest, name, version and size', async ({ world }) => {
    const ref = publish(world);
    const chart = await world.source().fetch(ref);
    const bytes = await readFile(chart.path);
    expect(chart).toMatchObject({ name: 'web', version: '1.2.3', hasPostHooks: false, sizeBytes: bytes.length });
    expect(chart.digest).toBe(`sha256:${sha256(bytes)}`);
    expect(chart.ref).toMatchObject({ ...ref, digest: chart.digest });
  });

  it('is fetched again, once its digest is known, without any network', async ({ world }) => {
    const first = await world.source().fetch(publish(world));
    await world.registry.stop();
    expect(await world.source().fetch(first.ref)).toEqual(first);
  });

  it('is fetched afresh when the cache was damaged', async ({ world }) => {
    const first = await world.source().fetch(publish(world));
    const before = await readFile(first.path);
    for (const path of await filesBelow(world.cacheDir)) await writeFile(path, 'damaged');
    expect(await world.source().fetch(first.ref)).toEqual(first);
    expect(await readFile(first.path)).toEqual(before);
  });

  it('is refused when it is not what the digest names', async ({ world }) => {
    const ref = { ...publish(world), digest: OTHER_DIGEST };
    await expect(world.source().fetch(ref)).rejects.toMatchObject({ code: 'DigestMismatch' });
  });

  it('leaves nothing half written when the connection breaks', async ({ world }) => {
    const ref = publish(world);
    world.registry.misbehave(({ path }, response) => {
      if (!/blobs|tgz/.test(path)) return false;
      response.writeHead(200, { 'content-length': '100000' });
      response.write('half', () => response.destroy());
      return true;
    });
    await expect(world.source().fetch(ref)).rejects.toMatchObject({ code: 'RegistryUnreachable', class: 'transient' });
    expect(await readdir(join(world.cacheDir, 'tmp'))).toEqual([]);
    world.registry.behave();
    expect(await world.source().fetch(ref)).toMatchObject({ name: 'web' });
  });

  it('is downloaded once when many ask for it at the same time', async ({ world }) => {
    const ref = publish(world);
    const source = world.source();
    const charts = await Promise.all(Array.from({ length: 5 }, () => source.fetch(ref)));
    expect(new Set(charts.map((chart) => chart.path)).size).toBe(1);
    expect(world.registry.seen.filter(({ path }) => /blobs|tgz/.test(path))).toHaveLength(1);
  });

  it('may be fetched by two processes into one cache', async ({ world }) => {
    const ref = publish(world);
    const [one, other] = await Promise.all([world.source().fetch(ref), world.source().fetch(ref)]);
    expect(one).toEqual(other);
  });

  it('an aborted fetch ends with the reason of its caller, others go on', async ({ world }) => {
    const ref = publish(world);
    const source = world.source();
    const abort = new AbortController();
    world.registry.misbehave(({ path }) => {
      if (!/manifests|index/.test(path)) return false;
      world.registry.behave();
      abort.abort(new Error('enough'));
      return true;
    });
    const aborted = source.fetch(ref, abort.signal);
    const other = source.fetch(ref);
    await expect(aborted).rejects.toThrow('enough');
    expect(await other).toMatchObject({ name: 'web' });
  });
});

describe('a published chart', () => {
  it('F85 keeps its build metadata through the tag', async ({ world }) => {
    world.publishChart({ version: '1.2.3+up4' });
    expect(world.registry.seen).toEqual([]);
    const chart = await world.source().fetch(world.chartRef({ version: '1.2.3+up4' }));
    expect(chart.version).toBe('1.2.3+up4');
    expect(world.registry.seen[0]?.path).toBe('/v2/charts/web/manifests/1.2.3_up4');
  });

  it('F84 may have dots in its name', async ({ world }) => {
    world.publishChart({ name: 'internal.my-chart' });
    const chart = await world.source().fetch(world.chartRef({ name: 'internal.my-chart' }));
    expect(chart.name).toBe('internal.my-chart');
  });

  it('with a digest survives that its tag was moved', async ({ world }) => {
    const { layer } = world.publishChart();
    world.publishChart({ files: { 'README.md': 'newer' } });
    expect(await world.source().fetch(world.chartRef({ digest: layer }))).toMatchObject({ digest: layer });
  });

  it('whose archive is gone is not found, however pinned', async ({ world }) => {
    const { layer } = world.publishChart();
    world.registry.remove(`/v2/charts/web/blobs/${layer}`);
    const ref = world.chartRef({ digest: layer });
    await expect(world.source().fetch(ref)).rejects.toMatchObject({ code: 'ArtifactNotFound' });
  });

  it('pinned by the digest of its manifest is refused with the right one', async ({ world }) => {
    const { manifest, layer } = world.publishChart();
    const error: unknown = await world
      .source()
      .fetch(world.chartRef({ digest: manifest }))
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'DigestMismatch', hint: expect.stringContaining(layer) as string });
  });

  const WRONG: readonly (readonly [string, Partial<PublishedChartRef>, string])[] = [
    ['F89 a name with a slash', { name: 'team/web' }, 'ReferenceInvalid'],
    ['a name that is a path', { name: '..' }, 'ReferenceInvalid'],
    ['a range instead of a version', { version: '^1.0.0' }, 'ReferenceInvalid'],
    ['a tag instead of a version', { version: 'latest' }, 'ReferenceInvalid'],
    ['a version written as its tag', { version: '1.2.3_up4' }, 'ReferenceInvalid'],
    ['a short digest', { digest: 'sha256:abc' }, 'ReferenceInvalid'],
    ['a repository of another kind', { repository: 'ftp://127.0.0.1/charts' }, 'ReferenceInvalid'],
    ['a repository without a scheme', { repository: 'charts' }, 'ReferenceInvalid'],
    ['a version that is not there', { version: '9.9.9' }, 'ArtifactNotFound'],
  ];
  it.for(WRONG)('%s is refused', async ([, more, code], { world }) => {
    world.publishChart();
    await expect(world.source().fetch(world.chartRef(more))).rejects.toMatchObject({ code });
  });

  it.for([
    ['another name', { name: 'other' }],
    ['another version', { version: '1.2.4' }],
    ['no Chart.yaml', { files: { 'Chart.yaml': '' } }],
    ['a Chart.yaml that is no YAML', { files: { 'Chart.yaml': 'a: [' } }],
    ['a version that is a number', { files: { 'Chart.yaml': 'name: web\nversion: 1.2\n' } }],
    ['a name that is a path', { files: { 'Chart.yaml': 'name: ../web\nversion: 1.2.3\n' } }],
  ] as const)('whose archive has %s is refused', async ([, shape], { world }) => {
    world.registry.publish('charts/web', '1.2.3', { mediaType: CHART_LAYER, content: chartArchive(shape) });
    await expect(world.source().fetch(world.chartRef())).rejects.toMatchObject({ code: 'ChartInvalid' });
  });

  it('that is another kind of artifact is refused', async ({ world }) => {
    const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', content: chartArchive() };
    world.registry.publish('charts/web', '1.2.3', layer);
    await expect(world.source().fetch(world.chartRef())).rejects.toMatchObject({ code: 'ChartInvalid' });
  });

  it('whose registry sends other content than asked for is refused', async ({ world }) => {
    world.publishChart();
    world.registry.misbehave(({ path }, response) => {
      if (path.includes('/blobs/')) response.end('something else');
      return path.includes('/blobs/');
    });
    await expect(world.source().fetch(world.chartRef())).rejects.toMatchObject({ code: 'DigestMismatch' });
  });

  it('F88 comes from the cache while its registry refuses everyone', async ({ world }) => {
    const { layer } = world.publishChart();
    const ref = world.chartRef({ digest: layer });
    await world.source().fetch(ref);
    world.registry.misbehave((_, response) => {
      response.writeHead(401).end();
      return true;
    });
    expect(await world.source().fetch(ref)).toMatchObject({ digest: layer });
    await expect(world.source().fetch(world.chartRef())).rejects.toMatchObject({
      code: 'RegistryUnauthorized',
      class: 'transient',
    });
  });
});

describe('a tree', () => {
  it('is downloaded once for all its charts', async ({ world }) => {
    world.publishTree({ ...treeFiles(), 'db/Chart.yaml': 'name: db\nversion: 1.0.0\n' });
    const source = world.source();
    const web = await source.fetch(world.treeRef());
    const db = await source.fetch(world.treeRef({ path: 'db' }));
    expect([web.name, db.name]).toEqual(['web', 'db']);
    expect(world.registry.seen.filter(({ path }) => path.includes('/blobs/'))).toHaveLength(1);
  });

  it('resolved once, is the same tree after its tag was moved', async ({ world }) => {
    world.publishTree(treeFiles());
    const first = await world.source().fetch(world.treeRef());
    world.publishTree({ ...treeFiles(), 'web/values.yaml': 'replicas: 2\n' });
    const again = await world.source({}).fetch(first.ref);
    expect(again.digest).toBe(first.digest);
    const now = await world.source().fetch(world.treeRef());
    expect(now.digest).not.toBe(first.digest);
  });

  it('named by digest needs no tag, and one that it was not resolved to is refused', async ({ world }) => {
    const digest = world.publishTree(treeFiles());
    const url = `${world.registry.host}/trees/shop@${digest}`;
    expect(await world.source().fetch(world.treeRef({ url }))).toMatchObject({ ref: { treeDigest: digest } });
    const stale = world.treeRef({ url, treeDigest: OTHER_DIGEST });
    await expect(world.source().fetch(stale)).rejects.toMatchObject({ code: 'DigestMismatch' });
  });

  it.for([{ digest: 'sha256:../../x' }, { treeDigest: 'sha256:../../x' }])(
    'with %j is refused',
    async (more, { world }) => {
      world.publishTree(treeFiles());
      await expect(world.source().fetch(world.treeRef(more))).rejects.toMatchObject({ code: 'ReferenceInvalid' });
      expect(world.registry.seen).toEqual([]);
    },
  );

  it('gives the same digest from every source, whatever packed it', async ({ world }) => {
    world.publishTree(treeFiles());
    const first = await world.source().fetch(world.treeRef());
    const reversed = Object.fromEntries(Object.entries(treeFiles()).toReversed());
    world.publishTree(reversed);
    const second = await world.source().fetch(world.treeRef());
    expect(second.digest).toBe(first.digest);
    expect(second.ref).not.toEqual(first.ref);
  });

  it('of several layers is refused, unless one is marked as the tree', async ({ world }) => {
    const digest = world.publishTree(treeFiles());
    const layers = (types: readonly string[]) => types.map((mediaType) => ({ mediaType, digest, size: 1 }));
    const twice = { schemaVersion: 2, layers: layers(['a/b.tar+gzip', 'a/c.tar+gzip']) };
    world.registry.putManifest('trees/shop', '1.0.0', twice);
    await expect(world.source().fetch(world.treeRef())).rejects.toMatchObject({ code: 'TreeInvalid' });
    const tree = world.registry.publish('trees/shop', 'x', {
      mediaType: TREE_LAYER,
      content: tgzOf(entriesOf(treeFiles())),
    });
    const marked = [
      { mediaType: 'a/b.tar+gzip', digest, size: 1 },
      { mediaType: TREE_LAYER, digest: tree.layer, size: 1 },
    ];
    world.registry.putManifest('trees/shop', '1.0.0', { schemaVersion: 2, layers: marked });
    expect(await world.source().fetch(world.treeRef())).toMatchObject({ name: 'web' });
  });
});
