import { KubepkgError } from '../api/errors.ts';

export const CRDS_PATH = /^[^/]+\/(?:charts\/[^/]+\/)*crds\/[^\n]+$/;
/** What helm puts before each file. */
const SOURCE = /^---\n# Source: ([^\n]*)\n/;

/**
 * Of the texts of all `crds/` folders, the ones that helm rendered. It gives them before all templates, each as it is
 * in the archive, and so they are told apart by that: a file of several documents, or with a `# Source:` of its own,
 * is not misread.
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
