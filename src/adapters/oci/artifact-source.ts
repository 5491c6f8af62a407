import { stat } from 'node:fs/promises';
import { KubepkgError } from '../../api/errors.ts';
import { sha256 } from '../../lib/digest.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type {
  ArtifactSource,
  ChartRef,
  ChartShelf,
  FetchedChart,
  PinnedChartRef,
  PublishedChartRef,
  TreeChartRef,
} from '../../ports/artifacts.ts';
import { type ChartInspection, inspectChart } from './chart-inspection.ts';
import { chartInvalid } from './chart-problems.ts';
import { type ClientOptions, createClient } from './client.ts';
import type { FetchContext } from './context.ts';
import { type CachedFile, DiskCache } from './disk-cache.ts';
import { fetchRepositoryChart } from './helm-repository.ts';
import { KeptCharts } from './kept-charts.ts';
import { KeyedLock } from './keyed-lock.ts';
import { CHART_LIMITS } from './limits.ts';
import { chartManifestDigest, fetchOciChart } from './oci-chart.ts';
import { pack } from './pack.ts';
import { checkChartRef, checkTreeRef, isDigest } from './reference.ts';
import { fetchTree, knownTreeDigest, resolveTree } from './tree.ts';
import { chartFromTree } from './tree-chart.ts';

export interface ArtifactSourceOptions extends ClientOptions {
  /** Folder of the cache; processes may share it. */
  readonly cacheDir: string;
}

export interface OciArtifacts extends ArtifactSource, ChartShelf {
  /** Of the manifest under which an OCI registry has that very archive. */
  manifestDigest(ref: PinnedChartRef, signal?: AbortSignal): Promise<string>;
}

export function createArtifactSource(options: ArtifactSourceOptions): OciArtifacts {
  const client = createClient(options);
  const cache = new DiskCache(options.cacheDir);
  const locks = new KeyedLock();
  const kept = new KeptCharts(cache);
  return {
    async fetch(ref, signal) {
      const context = { ...client, cache, signal };
      const known = await findKnown(ref, context);
      if (known !== undefined) return fetched(known, context);
      // Components of one tree, and packages with one chart, ask for it at the same time.
      const key = ref.kind === 'tree' ? ref.url : `${ref.repository}/${ref.name}`;
      return fetched(await locks.run(key, () => obtain(ref, context), signal), context);
    },
    pack: (name, files) => packFiles(name, files, cache),
    find: (digest) => kept.find(digest),
    manifestDigest: (ref, signal) => chartManifestDigest(ref, { ...client, signal }),
  };
}

async function packFiles(
  name: string,
  files: Readonly<Record<string, string>>,
  cache: DiskCache,
): Promise<FetchedChart> {
  const subject = `chart ${name} of a release record`;
  const entries = Object.entries(files).map(([path, text]) => ({
    path: `${name}/${path}`,
    executable: false,
    content: Buffer.from(text),
  }));
  const sorted = entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const file = await cache.store('charts', (path) => pack(sorted, { path, limits: CHART_LIMITS, subject }));
  const chart = await inspectChart(file.path, subject);
  const ref = { kind: 'chart', repository: '', name, version: chart.version, digest: file.digest } as const;
  const { size } = await stat(file.path);
  return { ref, digest: file.digest, path: file.path, ...chart, sizeBytes: size };
}

interface Resolved {
  readonly ref: ChartRef;
  readonly file: CachedFile;
}

/** Without any network: what was pinned, or built before from a known tree. */
async function findKnown(ref: ChartRef, context: FetchContext): Promise<Resolved | undefined> {
  if (ref.kind === 'chart') checkChartRef(ref);
  else checkTreeRef(ref);
  const pinned = ref.digest === undefined ? undefined : await context.cache.find('charts', ref.digest);
  if (pinned !== undefined || ref.kind === 'chart') return pinned === undefined ? undefined : { ref, file: pinned };
  const treeDigest = knownTreeDigest(ref);
  return treeDigest === undefined ? undefined : findBuilt({ ...ref, treeDigest }, context);
}

function obtain(ref: ChartRef, context: FetchContext): Promise<Resolved> {
  return ref.kind === 'tree' ? obtainFromTree(ref, context) : obtainPublished(ref, context);
}

async function fetched(resolved: Resolved, context: FetchContext): Promise<FetchedChart> {
  const { ref, file } = resolved;
  const { path, digest } = file;
  const subject = subjectOf(ref);
  if (ref.digest !== undefined && ref.digest !== digest) {
    throw new KubepkgError('DigestMismatch', `${subject} is ${digest}, not ${ref.digest}`, {
      hint: 'what was published was replaced: publish a new version, or change the digest if this was meant',
    });
  }
  const chart = await inspectChart(path, subject, context.signal);
  if (ref.kind === 'chart') checkIdentity(ref, chart, subject);
  const { size } = await stat(path);
  return { ref: { ...ref, digest }, digest, path, ...chart, sizeBytes: size };
}

function subjectOf(ref: ChartRef): string {
  return ref.kind === 'chart' ? `chart ${ref.name} ${ref.version}` : `chart ${ref.path} of tree ${ref.url}`;
}

function checkIdentity(ref: PublishedChartRef, chart: ChartInspection, subject: string): void {
  if (chart.name !== ref.name) throw chartInvalid(subject, `the archive holds the chart ${chart.name}`);
  if (chart.version !== ref.version) throw chartInvalid(subject, `the archive holds version ${chart.version}`);
}

async function obtainPublished(ref: PublishedChartRef, context: FetchContext): Promise<Resolved> {
  const fetch = ref.repository.startsWith('oci://') ? fetchOciChart : fetchRepositoryChart;
  return { ref, file: await fetch(ref, context) };
}

async function obtainFromTree(ref: TreeChartRef, context: FetchContext): Promise<Resolved> {
  const treeDigest = knownTreeDigest(ref) ?? (await resolveTree(ref.url, context));
  const resolved = { ...ref, treeDigest };
  return (await findBuilt(resolved, context)) ?? { ref: resolved, file: await buildChart(resolved, context) };
}

type ResolvedTreeRef = TreeChartRef & { readonly treeDigest: string };

async function findBuilt(ref: ResolvedTreeRef, context: FetchContext): Promise<Resolved | undefined> {
  const digest = (await context.cache.findNote(noteOf(ref))) ?? '';
  const file = isDigest(digest) ? await context.cache.find('charts', digest) : undefined;
  return file === undefined ? undefined : { ref, file };
}

async function buildChart(ref: ResolvedTreeRef, context: FetchContext): Promise<CachedFile> {
  const { cache, signal } = context;
  const tree = await fetchTree(ref.url, ref.treeDigest, context);
  const files = await chartFromTree(tree.path, ref, signal);
  const built = await cache.store('charts', (path) =>
    pack(files, { path, limits: CHART_LIMITS, subject: subjectOf(ref) }),
  );
  await cache.storeNote(noteOf(ref), built.digest);
  return built;
}

/** Changes with everything that the built archive depends on. */
function noteOf(ref: ResolvedTreeRef): string {
  const { treeDigest, root, path, libraries, valuesFiles } = ref;
  return sha256(stableJson({ format: 2, treeDigest, root, path, libraries, valuesFiles }));
}
