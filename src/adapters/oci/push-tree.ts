import { tmpdir } from 'node:os';
import { KubepkgError } from '../../api/errors.ts';
import { type ClientOptions, createClient } from './client.ts';
import { withTemporary } from './disk.ts';
import { TREE_LIMITS } from './limits.ts';
import { type Packed, pack } from './pack.ts';
import { type Artifact, publishedAlready, pushArtifact } from './push-artifact.ts';
import { formatOciReference, type OciReference, parseOciReference } from './reference.ts';
import type { Manifest, RegistryClient } from './registry-client.ts';
import { TREE_CONFIG, TREE_LAYER } from './tree.ts';
import { filesOf } from './tree-files.ts';

export interface PushOptions extends ClientOptions {
  /** Where the sources of the tree are kept. */
  readonly source?: string | undefined;
  /** Their revision. */
  readonly revision?: string | undefined;
  /** What to do where the tag names other content, which is then left as it is; absent: the tag is moved. */
  readonly otherwise?: string | undefined;
}

export interface PushedTree {
  /** `sha256:…` of the manifest. */
  readonly digest: string;
  /** As pushed, with the digest. */
  readonly reference: string;
  readonly sizeBytes: number;
  readonly files: number;
}

const MOVING_TAG = 'latest';

/**
 * Pushes a folder as a package tree, under the tag of `url` or as `latest`. The digest depends on paths, contents, executable bits and the two annotations
 * only: whoever pushes the same tree, from wherever, gets the same one.
 */
export async function pushTree(folder: string, url: string, options: PushOptions): Promise<PushedTree> {
  const { digest: unexpected, ...named } = parseOciReference(url);
  const reference = { ...named, tag: named.tag ?? MOVING_TAG };
  if (unexpected !== undefined) {
    throw new KubepkgError('ReferenceInvalid', `${url}: a digest is the result of a push`, {
      hint: 'name a tag instead',
    });
  }
  const { registry } = createClient(options);
  return withTemporary(tmpdir(), async (path) => {
    const packed = await pack(filesOf(folder), { path, limits: TREE_LIMITS, subject: folder });
    const layer = { mediaType: TREE_LAYER, digest: packed.digest, size: packed.sizeBytes };
    const artifact = { layer, path, config: configOf(packed), annotations: annotationsOf(options) };
    const kept = await keptTree(registry, reference, { digest: packed.digest, remedy: options.otherwise });
    const digest = kept?.digest ?? (await pushArtifact(registry, reference, artifact));
    const pushed = formatOciReference({ ...reference, digest });
    return { digest, reference: pushed, sizeBytes: packed.sizeBytes, files: packed.files };
  });
}

/** `latest` is there to be moved. */
async function keptTree(
  registry: RegistryClient,
  reference: OciReference,
  { digest, remedy }: { readonly digest: string; readonly remedy: string | undefined },
): Promise<Manifest | undefined> {
  if (remedy === undefined || reference.tag === MOVING_TAG) return undefined;
  return publishedAlready(registry, reference, { digest, remedy });
}

/** What image tools expect to find; fixed but for the tar's digest. */
function configOf(packed: Packed): Artifact['config'] {
  const rootfs = { type: 'layers', diff_ids: [packed.tarDigest] };
  const bytes = Buffer.from(JSON.stringify({ architecture: '', os: '', config: {}, rootfs }));
  return { mediaType: TREE_CONFIG, bytes };
}

function annotationsOf({ source, revision }: PushOptions): Artifact['annotations'] {
  return {
    ...(source === undefined ? {} : { 'org.opencontainers.image.source': source }),
    ...(revision === undefined ? {} : { 'org.opencontainers.image.revision': revision }),
  };
}
