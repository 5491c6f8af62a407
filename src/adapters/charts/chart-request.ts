/** What is asked for: a file of the repository that holds one chart. */
export interface ChartRequest {
  /** `sha256:…` of the chart's archive. */
  readonly digest: string;
  /** Name of the file; compared with what there is, never made a path of. */
  readonly file: string;
}

const PATH = /^\/charts\/sha256-([0-9a-f]{64})\/([^/?#]+)$/;

/** `/charts/sha256-<hex>/<file>`, with whatever query; undefined: nothing that is served looks like that. */
export function parseChartRequest(url: string): ChartRequest | undefined {
  const [, hex, file] = PATH.exec(url.replace(/\?.*$/s, '')) ?? [];
  const name = file === undefined ? undefined : decoded(file);
  return hex === undefined || name === undefined ? undefined : { digest: `sha256:${hex}`, file: name };
}

/** Clients write the `+` of a version as `%2B`, too. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
