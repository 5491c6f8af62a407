import { KubepkgError } from '../../api/errors.ts';
import { type ArchivedFile, readChartArchive, unpack } from './chart-archive.ts';

const CRDS_PATH = /^[^/]+\/(?:charts\/[^/]+\/)*crds\/[^\n]+$/;
const PACKED_SUBCHART = /^[^/]+\/(?:charts\/[^/]+\/)*charts\/[^/_.][^/]*\.tgz$/;
/** What helm puts before each file. */
const SOURCE = /^---\n# Source: ([^\n]*)\n/;

/** The text of each file in a `crds/` folder of a chart or of any chart in it, whether it is enabled or not. */
export async function readCrdFiles(chartPath: string): Promise<readonly string[]> {
  return crdTexts(await readChartArchive(chartPath));
}

/**
 * Of these texts, the ones that helm rendered. It gives them before all templates, each as it is in the archive, and
 * so they are told apart by that: a file of several documents, or with a `# Source:` of its own, is not misread.
 */
export function enabledCrds(rendered: string, texts: readonly string[]): readonly string[] {
  const longestFirst = texts.map((text) => text.trim()).sort((a, b) => b.length - a.length);
  const enabled: string[] = [];
  let rest = rendered.trimStart();
  for (;;) {
    const [head, path = ''] = SOURCE.exec(rest) ?? [''];
    if (!CRDS_PATH.test(path)) return enabled;
    const body = rest.slice(head.length).trimStart();
    const text = longestFirst.find((each) => body.startsWith(each));
    if (text === undefined)
      throw new KubepkgError('HelmFailed', `helm renders ${path} otherwise than the chart has it`);
    enabled.push(text);
    rest = body.slice(text.length).trimStart();
  }
}

async function crdTexts(files: readonly ArchivedFile[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const { path, content } of files) {
    // The decoder drops a byte order mark, as helm does.
    if (CRDS_PATH.test(path)) texts.push(new TextDecoder().decode(content));
    else if (PACKED_SUBCHART.test(path)) texts.push(...(await crdTexts(await unpack(content, path))));
  }
  return texts;
}
