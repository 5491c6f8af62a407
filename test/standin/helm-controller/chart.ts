import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { unpack } from '../../../src/helm/chart-archive.ts';
import { sha256 } from '../../../src/lib/digest.ts';
import { asString, at, isRecord, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { parseYaml, parseYamlDocuments, writeYaml } from '../../../src/lib/yaml.ts';
import type { Artifact, SourceKind } from './source.ts';
import { digestIn } from './source.ts';

export interface LoadedChart {
  /** A folder that helm takes. */
  readonly path: string;
  readonly name: string;
  /** As it was changed for its source. */
  readonly version: string;
  /** Of an OCIRepository only. */
  readonly ociDigest: string | undefined;
  /** What the `crds/` folders hold. */
  readonly crds: readonly JsonObject[];
}

/** The chart cannot be had now; `isAbsent`: it is not at the place that the source names. */
export class ArtifactError extends Error {
  readonly isAbsent: boolean;

  constructor(message: string, isAbsent = false) {
    super(message);
    this.name = 'ArtifactError';
    this.isAbsent = isAbsent;
  }
}

/** The chart and the revision of its source do not fit. */
export class ChartMutateError extends Error {}

/** Fetches what a source has stored, checks its digest, and unpacks it. */
export async function loadChart(artifact: Artifact, kind: SourceKind, tempDir: string): Promise<LoadedChart> {
  const files = await unpack(await download(artifact), artifact.url);
  const folder = await mkdtemp(join(tempDir, 'chart-'));
  const manifest = files.find(({ path }) => /^[^/]+\/Chart\.yaml$/.test(path));
  if (manifest === undefined) throw new ArtifactError('Chart.yaml file is missing');
  const root = manifest.path.split('/')[0] ?? '';
  const metadata = parseYaml(manifest.content.toString('utf8'), manifest.path);
  const version = versionFor(asString(at(metadata, 'version')) ?? '', artifact.revision, kind);
  for (const { path, content } of files) {
    const safe = normalize(path);
    if (!safe.startsWith(`${root}/`)) continue;
    const target = join(folder, safe);
    await mkdir(dirname(target), { recursive: true });
    const isManifest = path === manifest.path;
    await writeFile(target, isManifest ? writeYaml({ ...(isRecord(metadata) ? metadata : {}), version }) : content);
  }
  const crds = files.filter(
    ({ path }) => path.startsWith(`${root}/`) && /(?:^|\/)crds\/[^/]+\.(?:ya?ml|json)$/.test(path),
  );
  return {
    path: join(folder, root),
    name: asString(at(metadata, 'name')) ?? '',
    version,
    ociDigest: kind === 'OCIRepository' ? digestIn(artifact.revision) : undefined,
    crds: crds.flatMap(({ path, content }) => definitionsIn(parseYamlDocuments(content.toString('utf8'), path))),
  };
}

async function download({ url, digest }: Artifact): Promise<Buffer> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new ArtifactError(error instanceof Error ? error.message : String(error));
  }
  if (response.status === 404) throw new ArtifactError('artifact not found', true);
  if (!response.ok) throw new ArtifactError(`failed to download chart from '${url}': ${String(response.status)}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (`sha256:${sha256(bytes)}` !== digest)
    throw new ArtifactError(`failed to verify artifact: computed checksum doesn't match '${digest}'`);
  return bytes;
}

/**
 * [31, 26]: a chart of an OCIRepository gets the first 12 digits of its manifest's digest as build metadata, in place of
 * its own; one of a HelmRepository stays as it is. A tag has `_` where a version has `+` (F85), and must name this version.
 */
export function versionFor(version: string, revision: string, kind: SourceKind): string {
  if (kind !== 'OCIRepository') return version;
  const [core = ''] = version.replace(/^v/, '').split('+');
  const tag = revision.includes('@') ? revision.slice(0, revision.lastIndexOf('@')) : undefined;
  if (tag !== undefined) {
    const [tagged = ''] = tag.replaceAll('_', '+').replace(/^v/, '').split('+');
    if (!/^\d/.test(tagged))
      throw new ChartMutateError(`failed parsing artifact revision ${tag}: invalid semantic version`);
    if (tagged !== core) {
      throw new ChartMutateError(`artifact revision ${tag} does not match chart version ${version}`);
    }
  }
  return `${core}+${digestIn(revision)
    .replace(/^[^:]*:/, '')
    .slice(0, 12)}`;
}

function definitionsIn(documents: readonly JsonValue[]): readonly JsonObject[] {
  return documents.filter((document): document is JsonObject => isRecord(document));
}
