import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chartArchive, chartFiles, type Entry, entriesOf, tgzOf } from '../../../test/build/archives.ts';
import { type ChartInspection, inspectChart } from './chart-inspection.ts';

async function inspect(archive: Buffer): Promise<ChartInspection> {
  const folder = await mkdtemp(join(tmpdir(), 'inspection-'));
  try {
    const path = join(folder, 'chart.tgz');
    await writeFile(path, archive);
    return await inspectChart(path, 'chart web');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A chart with packed subcharts by file name. */
function packed(subcharts: Readonly<Record<string, Buffer>>): Buffer {
  const own = Object.entries(chartFiles()).map(([path, content]): Entry => ({ path: `web/${path}`, content }));
  const inside = Object.entries(subcharts).map(([name, content]): Entry => ({ path: `web/charts/${name}`, content }));
  return tgzOf([...own, ...inside]);
}

function hook(events: string): string {
  return `kind: Job\nmetadata:\n  annotations:\n    "helm.sh/hook": ${events}\n`;
}

const WITH_HOOK = chartArchive({ name: 'db', files: { 'templates/job.yaml': hook('post-install') } });

describe('post hooks', () => {
  it.each([
    ['in a template', { 'templates/job.yaml': hook('post-install') }],
    ['on upgrade', { 'templates/job.yaml': hook('pre-upgrade,post-upgrade') }],
    ['in a template of a folder', { 'templates/jobs/job.yaml': hook('post-upgrade') }],
    ['in a helper', { 'templates/_job.tpl': hook('"post-upgrade"') }],
    ['that a value chooses', { 'templates/job.yaml': `helm.sh/hook: {{ .Values.on | default "post-install" }}` }],
    ['that stand on another line', { 'templates/job.yaml': 'helm.sh/hook: >-\n  pre-install,\n  post-install\n' }],
    ['in annotations among the values', { 'values.yaml': 'job:\n  annotations:\n    helm.sh/hook: post-install\n' }],
    ['in an unpacked subchart', { 'charts/db/templates/job.yaml': hook('post-install') }],
    ['in a subchart of a subchart', { 'charts/db/charts/tls/templates/job.yaml': hook('post-install') }],
  ])('are found %s', async (_, files) => {
    expect(await inspect(chartArchive({ files }))).toMatchObject({ hasPostHooks: true });
  });

  it('are found in a packed subchart, and in one inside that', async () => {
    const middle = tgzOf([
      ...entriesOf({ 'db/Chart.yaml': 'name: db\n' }),
      { path: 'db/charts/x.tgz', content: WITH_HOOK },
    ]);
    expect(await inspect(packed({ 'db-1.2.3.tgz': WITH_HOOK }))).toMatchObject({ hasPostHooks: true });
    expect(await inspect(packed({ 'db-1.2.3.tgz': middle }))).toMatchObject({ hasPostHooks: true });
  });

  it.each([
    ['other hooks', { 'templates/job.yaml': hook('pre-install,pre-upgrade,post-delete,test') }],
    ['attributes of hooks', { 'templates/job.yaml': 'helm.sh/hook-weight: "1"\n# post-install\nx: post-install\n' }],
    ['comments', { 'values.yaml': '  # helm.sh/hook: post-install\n' }],
    ['other files', { 'README.md': hook('post-install'), 'files/job.yaml': hook('post-install') }],
    ['words that only begin so', { 'templates/job.yaml': 'helm.sh/hook: pre-install\nx: post-installer\n' }],
  ])('are not seen in %s', async (_, files) => {
    expect(await inspect(chartArchive({ files }))).toMatchObject({ hasPostHooks: false });
  });

  it('are not seen in packed subcharts that Helm ignores', async () => {
    const archive = packed({ '_db.tgz': WITH_HOOK, '.db.tgz': WITH_HOOK, 'db.txt': WITH_HOOK });
    expect(await inspect(archive)).toMatchObject({ hasPostHooks: false });
  });
});

describe('a chart archive', () => {
  it('gives name and version', async () => {
    const archive = chartArchive({ name: 'a.b', version: 'v1.0.0-rc.1+x' });
    expect(await inspect(archive)).toEqual({ name: 'a.b', version: 'v1.0.0-rc.1+x', hasPostHooks: false });
  });

  it.each([
    [
      'with files beside its folder',
      [
        { path: 'web/Chart.yaml', content: 'name: web\n' },
        { path: 'x', content: '' },
      ],
    ],
    ['with two folders', [{ path: 'web/Chart.yaml', content: 'name: web\n' }, { path: 'db/Chart.yaml' }]],
    ['without a folder', [{ path: 'Chart.yaml', content: 'name: web\n' }]],
  ])('%s is refused', async (_, entries) => {
    await expect(inspect(tgzOf(entries))).rejects.toMatchObject({ code: 'ArchiveInvalid' });
  });

  it('is refused for what a packed subchart holds', async () => {
    const evil = tgzOf([{ path: '../evil', content: 'x' }]);
    await expect(inspect(packed({ 'db.tgz': evil }))).rejects.toMatchObject({ code: 'ArchiveUnsafe' });
    await expect(inspect(packed({ 'db.tgz': Buffer.from('x') }))).rejects.toMatchObject({ code: 'ArchiveInvalid' });
  });

  it('is refused when subcharts are packed into one another without end', async () => {
    let inner = WITH_HOOK;
    for (let depth = 0; depth < 7; depth += 1) {
      inner = tgzOf([
        { path: 'db/Chart.yaml', content: 'name: db\n' },
        { path: 'db/charts/x.tgz', content: inner },
      ]);
    }
    await expect(inspect(packed({ 'x.tgz': inner }))).rejects.toMatchObject({ code: 'ChartInvalid' });
  });

  it('is refused when its packed subcharts together are too large', async () => {
    const zeros = tgzOf([{ path: 'db/zeros', content: Buffer.alloc(100 * 1024 * 1024) }]);
    const two = packed({ 'a.tgz': zeros, 'b.tgz': zeros });
    const three = packed({ 'a.tgz': zeros, 'b.tgz': zeros, 'c.tgz': zeros });
    expect(await inspect(two)).toMatchObject({ name: 'web' });
    await expect(inspect(three)).rejects.toMatchObject({ code: 'ArchiveTooLarge' });
  });
});

describe('the keys of values that a schema allows', () => {
  const CLOSED = { additionalProperties: false, properties: { image: {}, global: {} } };

  it.each<[string, unknown, readonly string[] | undefined]>([
    ['are those of a closed schema', CLOSED, ['image', 'global']],
    ['are none where it names none', { additionalProperties: false }, []],
    ['are any where it is open', { properties: { image: {} } }, undefined],
    ['are any where further ones have a schema', { ...CLOSED, additionalProperties: {} }, undefined],
    ['are any where patterns allow more', { ...CLOSED, patternProperties: { '^x-': {} } }, undefined],
  ])('%s', async (_say, schema, keys) => {
    const files = { 'values.schema.json': JSON.stringify(schema) };
    expect((await inspect(chartArchive({ files }))).valuesKeys).toEqual(keys);
  });

  it.each([
    ['there is no schema', {}],
    ['it is no JSON', { 'values.schema.json': '{' }],
    ['it is that of a subchart', { 'charts/db/values.schema.json': JSON.stringify(CLOSED) }],
  ])('are any where %s', async (_say, files) => {
    expect((await inspect(chartArchive({ files }))).valuesKeys).toBeUndefined();
  });
});
