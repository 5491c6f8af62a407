import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tarOf } from '../../test/build/archives.ts';
import { packFixtureChart } from '../../test/build/fixture-chart.ts';
import { readChartArchive, tarFiles } from './chart-archive.ts';

const folder = await mkdtemp(join(tmpdir(), 'kubepkg-archive-'));
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('a chart archive', () => {
  it('is read with paths of any length', async () => {
    const long = `files/${'deep/'.repeat(40)}${'n'.repeat(120)}.txt`;
    const chart = await packFixtureChart(folder, { name: 'strict', files: { [long]: 'content', 'ü.txt': '' } });
    const files = await readChartArchive(chart.path);
    expect(files.map(({ path }) => path).sort()).toEqual(
      [long, 'Chart.yaml', 'templates/settings.yaml', 'values.schema.json', 'ü.txt']
        .map((path) => `strict/${path}`)
        .sort(),
    );
    expect(files.find(({ path }) => path.endsWith(long))?.content.toString()).toBe('content');
  });

  it('is read with a path that is split over two fields of its header', () => {
    const path = `strict/${'folder/'.repeat(14)}name-${'n'.repeat(60)}.txt`;
    expect([...tarFiles(tarOf([{ path, content: 'x' }]))].map((file) => file.path)).toEqual([path]);
  });

  it('that is none is refused', async () => {
    const path = join(folder, 'bad.tgz');
    await writeFile(path, 'no archive');
    await expect(readChartArchive(path)).rejects.toMatchObject({ code: 'ArchiveInvalid' });
  });
});
