import { writeFile } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { chartFiles, entriesOf, tgzOf } from '../../../test/build/archives.ts';
import { type OciWorld, ociTest as it } from '../../../test/fakes/oci-world.ts';
import { parseYaml } from '../../lib/yaml.ts';
import type { TreeChartRef } from '../../ports/artifacts.ts';
import { readArchive } from './archive.ts';
import { CHART_LIMITS } from './limits.ts';
import { chartFromTree } from './tree-chart.ts';

type Files = Readonly<Record<string, string>>;

function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

const TREE: Files = {
  'README.md': 'of the tree',
  'shared.yaml': 'shared: true\n',
  ...below('packages/web', chartFiles({ files: { 'values-prod.yaml': 'replicas: 3\nextra: {a: 1, b: 2}\n' } })),
  ...below('packages/library', {
    'Chart.yaml': 'name: library\nversion: 0.1.0\ntype: library\n',
    'templates/_x.tpl': 'x',
  }),
  'packages/shared.yaml': 'replicas: 9\nextra: {b: 3}\n',
};

async function build(world: OciWorld, more: Partial<TreeChartRef> = {}, tree: Files = TREE): Promise<Files> {
  const path = join(world.folder, 'tree.tgz');
  await writeFile(path, tgzOf(entriesOf(tree)));
  const files = await chartFromTree(path, world.treeRef({ root: 'packages', ...more }));
  return Object.fromEntries(files.map((file) => [file.path, file.content.toString()]));
}

describe('a chart from a tree', () => {
  it('has the files of its folder, sorted, below its name', async ({ world }) => {
    const files = await build(world);
    expect(Object.keys(files)).toEqual([
      'web/Chart.yaml',
      'web/templates/config.yaml',
      'web/values-prod.yaml',
      'web/values.yaml',
    ]);
    expect(files['web/values.yaml']).toBe('replicas: 1\n');
  });

  it.for([
    ['the tree itself is the chart', '', '.', chartFiles()],
    ['the root has slashes and dots', './a//b/', 'web/', below('a/b/web', chartFiles())],
    ['the path climbs inside the tree', 'a', '../web', below('web', chartFiles())],
    ['its folder is named otherwise', '', 'folder', below('folder', chartFiles())],
  ] as const)('is found when %s', async ([, root, path, tree], { world }) => {
    expect(Object.keys(await build(world, { root, path }, tree))).toContain('web/Chart.yaml');
  });

  it('has its libraries below charts', async ({ world }) => {
    const files = await build(world, { libraries: [{ name: 'lib', path: 'library' }] });
    expect(files['web/charts/lib/templates/_x.tpl']).toBe('x');
    expect(files['web/charts/lib/Chart.yaml']).toContain('name: library');
  });

  it('has a library instead of what was there before', async ({ world }) => {
    const tree = { ...TREE, 'packages/web/charts/lib/templates/old.yaml': 'old', 'packages/web/charts/lib2/a': 'a' };
    const files = await build(world, { libraries: [{ name: 'lib', path: 'library' }] }, tree);
    expect(Object.keys(files).filter((path) => path.includes('/charts/'))).toEqual([
      'web/charts/lib/Chart.yaml',
      'web/charts/lib/templates/_x.tpl',
      'web/charts/lib2/a',
    ]);
  });

  it('has its first values file in place of values.yaml, as it is written', async ({ world }) => {
    const files = await build(world, { valuesFiles: ['values-prod.yaml'] });
    expect(files['web/values.yaml']).toBe(TREE['packages/web/values-prod.yaml']);
  });

  it('has further values files merged over the first', async ({ world }) => {
    const files = await build(world, { valuesFiles: ['values-prod.yaml', 'shared.yaml'] });
    const values = parseYaml(files['web/values.yaml'] ?? '', 'values.yaml');
    expect(values).toEqual({ replicas: 9, extra: { a: 1, b: 3 } });
  });

  it('finds a values file in its folder, then beside all charts, then in the tree', async ({ world }) => {
    const inChart = { ...TREE, 'packages/web/shared.yaml': 'own: 1\n' };
    expect((await build(world, { valuesFiles: ['shared.yaml'] }, inChart))['web/values.yaml']).toBe('own: 1\n');
    expect((await build(world, { valuesFiles: ['shared.yaml'] }))['web/values.yaml']).toContain('replicas: 9');
    expect(
      (await build(world, { root: '', path: 'packages/web', valuesFiles: ['shared.yaml'] }))['web/values.yaml'],
    ).toBe('shared: true\n');
  });

  it('finds a values file beside its folder', async ({ world }) => {
    const files = await build(world, { root: '', path: 'packages/web', valuesFiles: ['../shared.yaml'] });
    expect(files['web/values.yaml']).toContain('replicas: 9');
  });

  it('takes an empty values file for no values', async ({ world }) => {
    const tree = { ...TREE, 'packages/web/empty.yaml': '# nothing\n' };
    const files = await build(world, { valuesFiles: ['empty.yaml', 'values-prod.yaml'] }, tree);
    expect(parseYaml(files['web/values.yaml'] ?? '', 'values.yaml')).toMatchObject({ replicas: 3 });
  });

  it('lacks what .helmignore names, as if helm had packed it', async ({ world }) => {
    const tree = {
      ...TREE,
      'packages/web/.helmignore': '*.orig\nci/\n',
      'packages/web/templates/config.yaml.orig': 'old',
      'packages/web/ci/values.yaml': 'a: 1',
      'packages/web/templates/.config.yaml.swp': 'x',
    };
    const paths = Object.keys(await build(world, {}, tree));
    expect(paths.filter((path) => /orig|ci|swp/.test(path))).toEqual([]);
    expect(paths).toContain('web/.helmignore');
  });

  it('is an archive that is read like any chart', async ({ world }) => {
    world.publishTree(TREE);
    const ref = world.treeRef({ root: 'packages', libraries: [{ name: 'lib', path: 'library' }] });
    const chart = await world.source().fetch(ref);
    const options = { limits: CHART_LIMITS, subject: 'chart', wants: () => true };
    const { paths } = await readArchive(createReadStream(chart.path), options);
    expect(paths).toContain('web/charts/lib/Chart.yaml');
  });

  it('has another digest when another root, library or values file is named', async ({ world }) => {
    world.publishTree(TREE);
    const source = world.source();
    const refs: readonly Partial<TreeChartRef>[] = [
      {},
      { libraries: [{ name: 'lib', path: 'library' }] },
      { libraries: [{ name: 'lib2', path: 'library' }] },
      { valuesFiles: ['values-prod.yaml'] },
      { valuesFiles: ['values-prod.yaml', 'shared.yaml'] },
    ];
    const charts = await Promise.all(refs.map((more) => source.fetch(world.treeRef({ root: 'packages', ...more }))));
    expect(new Set(charts.map((chart) => chart.digest)).size).toBe(refs.length);
  });

  it.for([
    ['whose folder is not there', { path: 'gone' }, TREE, 'TreeInvalid'],
    ['whose folder is a file', { path: 'shared.yaml' }, TREE, 'TreeInvalid'],
    ['whose library is not there', { libraries: [{ name: 'a', path: 'gone' }] }, TREE, 'TreeInvalid'],
    ['whose values file is not there', { valuesFiles: ['gone.yaml'] }, TREE, 'TreeInvalid'],
    ['whose folder lies outside', { path: '../../web' }, TREE, 'ReferenceInvalid'],
    ['whose folder is absolute', { path: '/packages/web' }, TREE, 'ReferenceInvalid'],
    ['whose root lies outside', { root: '..' }, TREE, 'ReferenceInvalid'],
    ['whose library lies outside', { libraries: [{ name: 'a', path: '../../x' }] }, TREE, 'ReferenceInvalid'],
    [
      'whose library has a path for a name',
      { libraries: [{ name: '../a', path: 'library' }] },
      TREE,
      'ReferenceInvalid',
    ],
    ['whose values file lies outside', { valuesFiles: ['../../../x'] }, TREE, 'ReferenceInvalid'],
    ['without a Chart.yaml', {}, { 'packages/web/values.yaml': '' }, 'ChartInvalid'],
    [
      'whose values are a list',
      { valuesFiles: ['list.yaml', 'values.yaml'] },
      { ...TREE, 'packages/web/list.yaml': '- a\n' },
      'ChartInvalid',
    ],
    [
      'whose values are no YAML',
      { valuesFiles: ['bad.yaml', 'values.yaml'] },
      { ...TREE, 'packages/web/bad.yaml': 'a: [\n' },
      'ChartInvalid',
    ],
    ['with a .helmignore that Helm refuses', {}, { ...TREE, 'packages/web/.helmignore': '**/x\n' }, 'ChartInvalid'],
    ['with a name that is a path', {}, { 'packages/web/Chart.yaml': 'name: a/b\nversion: 1.0.0\n' }, 'ChartInvalid'],
  ] as const)('%s is refused', async ([, more, tree, code], { world }) => {
    await expect(build(world, more, tree)).rejects.toMatchObject({ code });
  });
});
