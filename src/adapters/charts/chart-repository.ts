import { sha256 } from '../../lib/digest.ts';
import type { KeptChart } from '../../ports/artifacts.ts';

export const INDEX_FILE = 'index.yaml';

/** A file that never changes: its address holds the digest of the chart. */
export interface RepositoryFile {
  readonly contentType: string;
  readonly etag: string;
  readonly sizeBytes: number;
  /** The content itself, or where it is on the disk. */
  readonly content: string | { readonly path: string };
}

/** The file of that name in the repository that holds this chart alone; undefined: there is none. */
export function repositoryFile(chart: KeptChart, name: string): RepositoryFile | undefined {
  if (name === INDEX_FILE) return indexFile(chart);
  if (name !== archiveName(chart)) return undefined;
  const { path, digest, sizeBytes } = chart;
  return { contentType: 'application/gzip', etag: `"${digest}"`, sizeBytes, content: { path } };
}

function archiveName({ name, version }: KeptChart): string {
  return `${name}-${version}.tgz`;
}

/** JSON is YAML. */
function indexFile(chart: KeptChart): RepositoryFile {
  const { name, version, digest } = chart;
  const entry = { apiVersion: 'v2', name, version, digest: digest.replace(/^sha256:/, ''), urls: [archiveName(chart)] };
  const content = `${JSON.stringify({ apiVersion: 'v1', entries: { [name]: [entry] } })}\n`;
  const sizeBytes = Buffer.byteLength(content);
  return { contentType: 'application/yaml; charset=utf-8', etag: `"sha256:${sha256(content)}"`, sizeBytes, content };
}
