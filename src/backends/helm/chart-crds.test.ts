import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { chartArchive, tgzOf } from '../../../test/build/archives.ts';
import { enabledCrds, readCrdFiles } from './chart-crds.ts';

const folder = await mkdtemp(join(tmpdir(), 'kubepkg-crds-'));
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function crdFilesOf(archive: Buffer): Promise<readonly string[]> {
  const path = join(folder, 'chart.tgz');
  await writeFile(path, archive);
  return [...(await readCrdFiles(path))].sort();
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

describe('the CRDs of enabled charts', () => {
  const [one, two, three] = [
    'kind: One\n',
    'kind: Two\n---\n# Source: web/templates/two.yaml\nkind: Too\n\n',
    '\nkind: One\nname: three',
  ];
  const template = '---\n# Source: web/templates/a.yaml\nkind: A\n';

  it.each<[string, string, readonly string[]]>([
    ['none', `\n${template}`, []],
    ['one', `---\n# Source: web/crds/1.yaml\n${one}\n${template}`, [one]],
    ['one of several documents', `---\n# Source: web/crds/2.yaml\n${two}\n${template}`, [two]],
    ['one of a subchart with an alias', `---\n# Source: web/charts/alias/crds/3.yaml\n${three}\n${template}`, [three]],
    [
      'several',
      `---\n# Source: web/crds/2.yaml\n${two}\n---\n# Source: web/crds/1.yaml\n${one}\n${template}`,
      [two, one],
    ],
    ['some, and no template', `---\n# Source: web/crds/1.yaml\n${one.trimEnd()}`, [one]],
    ['no template of a folder of that name', '---\n# Source: web/templates/crds/1.yaml\nkind: One\n', []],
  ])('are read from what helm renders: %s', (_, rendered, expected) => {
    expect(enabledCrds(rendered, [one, two, three])).toEqual(expected.map((text) => text.trim()));
  });

  it('are refused where helm has them otherwise than the archive', () => {
    const rendered = '---\n# Source: web/crds/1.yaml\nkind: Other\n';
    expect(() => enabledCrds(rendered, [one])).toThrow(expect.objectContaining({ code: 'HelmFailed' }));
  });
});
