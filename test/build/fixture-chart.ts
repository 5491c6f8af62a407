import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';
import type { FetchedChart } from '../../src/ports/artifacts.ts';

const CHARTS = fileURLToPath(new URL('../fixtures/charts/', import.meta.url));

export interface FixtureChart {
  /** A folder of test/fixtures/charts. */
  readonly name: string;
  readonly version?: string;
  /** Files put over those of the folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A chart of test/fixtures/charts, packed below `folder` as the artifact cache would have it. */
export async function packFixtureChart(folder: string, chart: FixtureChart): Promise<FetchedChart> {
  const { name, version = '1.0.0', files = {} } = chart;
  const place = await mkdtemp(join(folder, `${name}-`));
  await cp(join(CHARTS, name), join(place, name), { recursive: true });
  const metadata = await readFile(join(place, name, 'Chart.yaml'), 'utf8');
  await writeFile(join(place, name, 'Chart.yaml'), metadata.replace(/^version: .*$/m, `version: ${version}`));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(place, name, path)), { recursive: true });
    await writeFile(join(place, name, path), content);
  }
  const path = join(place, `${name}-${version}.tgz`);
  await create({ file: path, cwd: place, gzip: true, portable: true }, [name]);
  return {
    ref: { kind: 'chart', repository: 'oci://registry.example.com/charts', name, version },
    digest: `sha256:${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}`,
    path,
    name,
    version,
    sizeBytes: (await stat(path)).size,
    hasPostHooks: name === 'checked',
  };
}
