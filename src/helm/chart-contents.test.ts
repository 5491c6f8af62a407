import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { chartArchive, tgzOf } from '../../test/build/archives.ts';
import { type ChartContents, readChartContents } from './chart-contents.ts';

const folder = await mkdtemp(join(tmpdir(), 'kubepkg-contents-'));
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function contentsOf(archive: Buffer): Promise<ChartContents> {
  const path = join(folder, 'chart.tgz');
  await writeFile(path, archive);
  return readChartContents(path);
}

async function crdFilesOf(archive: Buffer): Promise<readonly string[]> {
  return [...(await contentsOf(archive)).crds].sort();
}

describe('the files with CRDs of a chart', () => {
  it('are those of the chart and of its subcharts', async () => {
    const files = {
      'crds/a.yaml': 'a',
      'crds/deep/b.yaml': '\uFEFFb',
      'charts/sub/crds/c.yaml': 'c',
      'charts/sub/charts/more/crds/d.yaml': 'd',
      'templates/crds/no.yaml': 'no',
      'files/crds/no.yaml': 'no',
    };
    expect(await crdFilesOf(chartArchive({ files }))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are also those of subcharts that are packed inside it', async () => {
    const inner = tgzOf([{ path: 'more/crds/e.yaml', content: 'e' }]);
    const sub = tgzOf([
      { path: 'sub/crds/c.yaml', content: 'c' },
      { path: 'sub/charts/more-1.0.0.tgz', content: inner },
    ]);
    expect(await crdFilesOf(tgzOf([{ path: 'web/charts/sub-1.0.0.tgz', content: sub }]))).toEqual(['c', 'e']);
  });

  it('are none where a chart has none', async () => {
    expect(await crdFilesOf(chartArchive())).toEqual([]);
  });
});

describe('a chart may have hooks', () => {
  const hook = 'metadata: { annotations: { "helm.sh/hook": pre-install } }';
  const sub = tgzOf([{ path: 'sub/templates/job.yaml', content: hook }]);

  it.each<[string, boolean, Buffer]>([
    ['a template that is one', true, chartArchive({ files: { 'templates/job.yaml': hook } })],
    ['values that make one', true, chartArchive({ files: { 'values.yaml': hook } })],
    ['a packed subchart with one', true, tgzOf([{ path: 'web/charts/sub-1.0.0.tgz', content: sub }])],
    ['prose about them', false, chartArchive({ files: { 'README.md': hook } })],
    ['nothing of that kind', false, chartArchive()],
  ])('with %s: %s', async (_, expected, archive) => {
    expect((await contentsOf(archive)).mayHaveHooks).toBe(expected);
  });
});
