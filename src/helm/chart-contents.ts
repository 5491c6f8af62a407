import { type ArchivedFile, readChartArchive, unpack } from './chart-archive.ts';
import { CRDS_PATH } from './chart-crds.ts';
import { HOOK } from './hook-objects.ts';

const PACKED_SUBCHART = /^[^/]+\/(?:charts\/[^/]+\/)*charts\/[^/_.][^/]*\.tgz$/;
const PROSE = /\.(md|txt)$/;

/** What can be told of a chart and all charts in it, enabled or not, without rendering it. */
export interface ChartContents {
  /** The text of each file in a `crds/` folder. */
  readonly crds: readonly string[];
  /** False where no object can be a hook, unless the values make it one. */
  readonly mayHaveHooks: boolean;
}

export async function readChartContents(chartPath: string): Promise<ChartContents> {
  const files = await allFiles(await readChartArchive(chartPath));
  return {
    // The decoder drops a byte order mark, as helm does.
    crds: files.filter(({ path }) => CRDS_PATH.test(path)).map(({ content }) => new TextDecoder().decode(content)),
    // Anything that a template can read may hold the annotation.
    mayHaveHooks: files.some(({ path, content }) => !PROSE.test(path) && content.includes(HOOK)),
  };
}

async function allFiles(files: readonly ArchivedFile[]): Promise<readonly ArchivedFile[]> {
  const all: ArchivedFile[] = [];
  for (const file of files) {
    if (!PACKED_SUBCHART.test(file.path)) all.push(file);
    else all.push(...(await allFiles(await unpack(file.content, file.path))));
  }
  return all;
}
