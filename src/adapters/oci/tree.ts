import { readFile, writeFile } from 'node:fs/promises';
import { KubepkgError } from '../../api/errors.ts';
import type { TreeChartRef } from '../../ports/artifacts.ts';
import type { FetchContext } from './context.ts';
import { onDisk } from './disk.ts';
import type { CachedFile } from './disk-cache.ts';
import { TREE_LIMITS } from './limits.ts';
import { formatOciReference, type OciReference, parseOciReference } from './reference.ts';
import { type Manifest, parseManifest } from './registry-client.ts';

export const TREE_LAYER = 'application/vnd.cncf.flux.content.v1.tar+gzip';
export const TREE_CONFIG = 'application/vnd.cncf.flux.config.v1+json';
const TAR_GZIP = /\btar[+.]gzip$/;

/** The digest of a tree's manifest as far as its reference tells. */
export function knownTreeDigest(ref: TreeChartRef): string | undefined {
  const { digest } = parseOciReference(ref.url);
  if (digest === undefined || ref.treeDigest === undefined || digest === ref.treeDigest)
    return ref.treeDigest ?? digest;
  throw new KubepkgError('DigestMismatch', `tree ${ref.url}: it was ${ref.treeDigest} when it was resolved`, {
    hint: 'resolve the package again',
  });
}

/** The digest of the manifest that the tag of a tree names today. */
export async function resolveTree(url: string, context: FetchContext): Promise<string> {
  return (await fetchManifest(parseOciReference(url), context)).digest;
}

/** The archive of the tree whose manifest has that digest, from the cache or the registry. */
export async function fetchTree(url: string, treeDigest: string, context: FetchContext): Promise<CachedFile> {
  const { cache, registry, signal } = context;
  const reference = { ...parseOciReference(url), digest: treeDigest };
  const subject = `tree ${formatOciReference(reference)}`;
  const known = await cache.find('manifests', treeDigest);
  const manifest =
    known === undefined ? await fetchManifest(reference, context) : parseManifest(await readFile(known.path), subject);
  const layer = treeLayer(manifest, subject);
  const limit = TREE_LIMITS.compressedBytes;
  const download = (path: string) => registry.downloadBlob(reference, layer, { path, limit, signal });
  return (await cache.find('trees', layer)) ?? cache.store('trees', download);
}

async function fetchManifest(reference: OciReference, context: FetchContext): Promise<Manifest> {
  const manifest = await context.registry.fetchManifest(reference, context.signal);
  await context.cache.store('manifests', async (path) => {
    await onDisk(path, () => writeFile(path, manifest.bytes));
    return manifest;
  });
  return manifest;
}

/** Ours and Flux's have one layer; of several only Flux's own counts. */
function treeLayer(manifest: Manifest, subject: string): string {
  const packed = manifest.layers.filter((layer) => TAR_GZIP.test(layer.mediaType));
  const own = packed.filter((layer) => layer.mediaType === TREE_LAYER);
  const candidates = packed.length === 1 ? packed : own;
  const [layer] = candidates;
  if (layer !== undefined && candidates.length === 1) return layer.digest;
  throw new KubepkgError('TreeInvalid', `${subject}: it has ${String(packed.length)} tar+gzip layers instead of one`, {
    hint: 'push the tree with kubepkg push or flux push artifact',
  });
}
