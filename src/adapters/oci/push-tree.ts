import { tmpdir } from 'node:os';
import { writeFile } from 'node:fs/promises';
import { KubepkgError } from '../../api/errors.ts';
import { sha256 } from '../../lib/digest.ts';
import { type ClientOptions, createClient } from './client.ts';
import { onDisk, withTemporary } from './disk.ts';
import { TREE_LIMITS } from './limits.ts';
import { type Packed, pack } from './pack.ts';
import { formatOciReference, parseOciReference } from './reference.ts';
import { type Descriptor, MANIFEST_TYPE } from './registry-client.ts';
import { TREE_CONFIG, TREE_LAYER } from './tree.ts';
import { filesOf } from './tree-files.ts';

export interface PushOptions extends ClientOptions {
  /** Where the sources of the tree are kept. */
  readonly source?: string | undefined;
  /** Their revision. */
  readonly revision?: string | undefined;
}

export interface PushedTree {
  /** `sha256:…` of the manifest. */
  readonly digest: string;
  /** As pushed, with the digest. */
  readonly reference: string;
  readonly sizeBytes: number;
  readonly files: number;
}

/**
 * Pushes a folder as a package tree, under the tag of `url` or as `latest`. The digest depends on paths, contents, executable bits and the two annotations
 * only: whoever pushes the same tree, from wherever, gets the same one.
 */
export async function pushTree(folder: string, url: string, options: PushOptions): Promise<PushedTree> {
  const { digest: unexpected, ...named } = parseOciReference(url);
  const reference = { ...named, tag: named.tag ?? 'latest' };
  if (unexpected !== undefined) {
    throw new KubepkgError('ReferenceInvalid', `${url}: a digest is the result of a push`, {
      hint: 'name a tag instead',
    });
  }
  const { registry } = createClient(options);
  return withTemporary(tmpdir(), async (path) => {
    const packed = await pack(filesOf(folder), { path, limits: TREE_LIMITS, subject: folder });
    const layer = { mediaType: TREE_LAYER, digest: packed.digest, size: packed.sizeBytes };
    await registry.pushBlob(reference, { ...layer, path });
    const configBytes = configOf(packed);
    const config = { mediaType: TREE_CONFIG, digest: `sha256:${sha256(configBytes)}`, size: configBytes.length };
    await onDisk(path, () => writeFile(path, configBytes));
    await registry.pushBlob(reference, { ...config, path });
    const manifest = manifestOf(config, layer, options);
    await registry.pushManifest(reference, manifest);
    const digest = `sha256:${sha256(manifest)}`;
    const pushed = formatOciReference({ ...reference, digest });
    return { digest, reference: pushed, sizeBytes: packed.sizeBytes, files: packed.files };
  });
}

/** What image tools expect to find; fixed but for the tar's digest. */
function configOf(packed: Packed): Buffer {
  const rootfs = { type: 'layers', diff_ids: [packed.tarDigest] };
  return Buffer.from(JSON.stringify({ architecture: '', os: '', config: {}, rootfs }));
}

function manifestOf(config: Descriptor, layer: Descriptor, options: PushOptions): Buffer {
  const annotations = {
    ...(options.source === undefined ? {} : { 'org.opencontainers.image.source': options.source }),
    ...(options.revision === undefined ? {} : { 'org.opencontainers.image.revision': options.revision }),
  };
  const manifest = { schemaVersion: 2, mediaType: MANIFEST_TYPE, config, layers: [layer], annotations };
  return Buffer.from(JSON.stringify(manifest));
}
