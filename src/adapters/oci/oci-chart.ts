import { isCode, KubepkgError } from '../../api/errors.ts';
import type { PinnedChartRef, PublishedChartRef } from '../../ports/artifacts.ts';
import type { FetchContext } from './context.ts';
import type { CachedFile } from './disk-cache.ts';
import { CHART_LIMITS } from './limits.ts';
import { formatOciReference, type OciReference, ociReferenceOf } from './reference.ts';
import type { Descriptor, Manifest } from './registry-client.ts';

export const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

/**
 * A chart of an OCI registry. With a digest its archive is asked for by that digest, so that a moved tag does no harm;
 * without one the tag says which archive it is today.
 */
export async function fetchOciChart(ref: PublishedChartRef, context: FetchContext): Promise<CachedFile> {
  const reference = ociReferenceOf(ref);
  if (ref.digest !== undefined) return fetchPinned(reference, ref.digest, context);
  const manifest = await context.registry.fetchManifest(reference, context.signal);
  const { digest } = chartLayer(manifest, reference);
  return (await context.cache.find('charts', digest)) ?? download(reference, digest, context);
}

/**
 * The digest of the manifest of a chart's version, for those who pull by it. The archive that it lists must be the one
 * that was verified: tags move.
 */
export async function chartManifestDigest(ref: PinnedChartRef, context: Omit<FetchContext, 'cache'>): Promise<string> {
  const reference = ociReferenceOf(ref);
  const manifest = await context.registry.fetchManifest(reference, context.signal);
  const layer = chartLayer(manifest, reference);
  if (layer.digest === ref.digest) return manifest.digest;
  throw replacedError(`chart ${formatOciReference(reference)}`, { now: layer.digest, wanted: ref.digest });
}

async function fetchPinned(reference: OciReference, digest: string, context: FetchContext): Promise<CachedFile> {
  try {
    return await download(reference, digest, context);
  } catch (error) {
    if (!isCode(error, 'ArtifactNotFound')) throw error;
    throw await explainMissing(reference, digest, context);
  }
}

function download(reference: OciReference, digest: string, context: FetchContext): Promise<CachedFile> {
  const { cache, registry, signal } = context;
  const limit = CHART_LIMITS.compressedBytes;
  return cache.store('charts', (path) => registry.downloadBlob(reference, digest, { path, limit, signal }));
}

/** Why there is no archive of the pinned digest: the tag tells. */
async function explainMissing(reference: OciReference, digest: string, context: FetchContext): Promise<KubepkgError> {
  const named = `chart ${formatOciReference(reference)}`;
  const manifest = await context.registry.fetchManifest(reference, context.signal);
  const layer = chartLayer(manifest, reference);
  if (layer.digest === digest) {
    return new KubepkgError('ArtifactNotFound', `${named}: its archive ${digest} is missing in the registry`, {
      hint: 'push the chart again',
    });
  }
  if (manifest.digest === digest) {
    return new KubepkgError('DigestMismatch', `${named}: ${digest} is the digest of its manifest, not of its archive`, {
      hint: `pin ${layer.digest} instead`,
    });
  }
  return replacedError(named, { now: layer.digest, wanted: digest });
}

function replacedError(
  named: string,
  { now, wanted }: { readonly now: string; readonly wanted: string },
): KubepkgError {
  return new KubepkgError('DigestMismatch', `${named}: that version is now ${now}, not ${wanted}`, {
    hint: 'a published version was replaced: publish a new version, or change the digest if this was meant',
  });
}

function chartLayer(manifest: Manifest, reference: OciReference): Descriptor {
  const layers = manifest.layers.filter((layer) => layer.mediaType === CHART_LAYER);
  const [layer] = layers;
  if (layer !== undefined && layers.length === 1) return layer;
  throw new KubepkgError('ChartInvalid', `chart ${formatOciReference(reference)}: the artifact is no Helm chart`, {
    hint: 'push it with helm push',
  });
}
