import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readArchive } from '../../../src/adapters/oci/archive.ts';
import { type PushedTree, pushTree } from '../../../src/adapters/oci/index.ts';
import { CHART_LIMITS } from '../../../src/adapters/oci/limits.ts';
import type { TreeChartRef } from '../../../src/ports/artifacts.ts';
import { chartFiles } from '../../build/archives.ts';
import { describeRegistries, type HelmWorld } from './helm-world.ts';

const LIBRARY = {
  'Chart.yaml': 'apiVersion: v2\nname: common\nversion: 0.1.0\ntype: library\n',
  'templates/_name.tpl': '{{ define "common.name" }}from-the-library{{ end }}',
};

const WEB = chartFiles({
  files: {
    'templates/config.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ include "common.name" . }}}\ndata: {replicas: "{{ .Values.replicas }}"}\n',
    'values-prod.yaml': 'replicas: 3\n',
    'values-large.yaml': 'replicas: 9\n',
  },
});

async function push(world: HelmWorld, folder: string, name: string): Promise<PushedTree> {
  const { host, caFile } = world.registry;
  return pushTree(folder, `${host}/trees/${name}:1.0.0`, { caFile, env: {} });
}

function treeRef(world: HelmWorld, name: string, more: Partial<TreeChartRef> = {}): TreeChartRef {
  const url = `oci://${world.registry.host}/trees/${name}:1.0.0`;
  return { kind: 'tree', url, root: '', path: 'web', libraries: [], valuesFiles: [], ...more };
}

async function pathsIn(archive: string): Promise<readonly string[]> {
  const options = { limits: CHART_LIMITS, subject: 'chart', wants: () => false };
  return (await readArchive(createReadStream(archive), options)).paths.toSorted();
}

describeRegistries('a package tree', (it) => {
  it('pushed to a real registry gives a chart that helm renders, with library and values', async ({ world }) => {
    await world.write('tree/charts/web', WEB);
    const tree = await world.write('tree/charts/common', LIBRARY);
    const pushed = await push(world, join(tree, '../..'), 'rendered');
    const libraries = [{ name: 'common', path: 'common' }];
    const valuesFiles = ['values-prod.yaml', 'values-large.yaml'];
    const ref = treeRef(world, 'rendered', { root: 'charts', libraries, valuesFiles });
    const chart = await world.source().fetch(ref);
    expect(chart.ref).toMatchObject({ treeDigest: pushed.digest, digest: chart.digest });
    const rendered = await world.helm('template', 'shop', chart.path);
    expect(rendered).toContain('name: from-the-library');
    expect(rendered).toContain('replicas: "9"');
    expect(await world.helm('show', 'chart', chart.path)).toContain('name: web');
  });

  it('pushed twice is the same artifact', async ({ world }) => {
    const tree = await world.write('tree/web', WEB);
    const first = await push(world, join(tree, '..'), 'twice');
    expect(await push(world, join(tree, '..'), 'twice')).toEqual(first);
  });

  it('gives what helm package would pack, .helmignore included', async ({ world }) => {
    await world.helm('create', 'web');
    const ignore = ['# comment', '*.orig', '/only-here', 'ci/', 'docs/*.md', '[ab].txt', 'q?.txt', ''].join('\n');
    const odd = [
      'x.orig',
      'only-here',
      'sub/only-here',
      'ci/a',
      'sub/ci/b',
      'docs/a.md',
      'docs/b/a.md',
      'a.txt',
      'c.txt',
    ];
    const more = [
      'q1.txt',
      'q12.txt',
      'templates/.hidden',
      'templates/old.yaml.orig',
      '.dotfile',
      'ci2/x',
      'README.md',
    ];
    const files = Object.fromEntries([...odd, ...more].map((path) => [path, 'x: 1\n']));
    const folder = await world.write('web', { ...files, '.helmignore': ignore });
    await world.helm('package', 'web', '--destination', world.folder);
    await push(world, join(folder, '..', 'web'), 'ignored');
    const chart = await world.source().fetch(treeRef(world, 'ignored', { path: '' }));
    expect(await pathsIn(chart.path)).toEqual(await pathsIn(join(world.folder, 'web-0.1.0.tgz')));
    const values = await world.write('values', { 'x.yaml': 'replicaCount: 2\n' });
    const render = (archive: string) => world.helm('template', 'shop', archive, '-f', join(values, 'x.yaml'));
    expect(await render(chart.path)).toBe(await render(join(world.folder, 'web-0.1.0.tgz')));
  });

  it('gives an archive that helm pushes and pulls unchanged', async ({ world }) => {
    await world.write('tree/web', chartFiles({ files: { [`templates/${'long-'.repeat(30)}é.yaml`]: 'a: 1\n' } }));
    await push(world, join(world.folder, 'tree'), 'long');
    const chart = await world.source().fetch(treeRef(world, 'long'));
    await world.helm('push', chart.path, `oci://${world.registry.host}/built`);
    const pulled = await world.source().fetch({
      kind: 'chart',
      repository: `oci://${world.registry.host}/built`,
      name: 'web',
      version: '1.2.3',
    });
    expect(pulled.digest).toBe(chart.digest);
    expect(await world.helm('template', 'shop', pulled.path)).toContain('a: 1');
  });

  it('that grew under its tag is another tree; the one that was resolved stays', async ({ world }) => {
    const folder = await world.write('tree/web', WEB);
    await push(world, join(folder, '..'), 'grown');
    const first = await world.source().fetch(treeRef(world, 'grown'));
    await writeFile(join(folder, 'values.yaml'), 'replicas: 8\n');
    await push(world, join(folder, '..'), 'grown');
    expect((await world.source().fetch(treeRef(world, 'grown'))).digest).not.toBe(first.digest);
    expect(await world.source().fetch(first.ref)).toEqual(first);
  });
});
