import { tmpdir } from 'node:os';
import { writeFile } from 'node:fs/promises';
import { KubepkgError } from '../../api/errors.ts';
import { sha256 } from '../../lib/digest.ts';
import { onDisk, withTemporary } from './disk.ts';
import { formatOciReference, type OciReference } from './reference.ts';
import { type Descriptor, type Manifest, MANIFEST_TYPE, type RegistryClient } from './registry-client.ts';

/** One packed layer, and what is said of it. */
export interface Artifact {
  readonly layer: Descriptor;
  /** File of the layer. */
  readonly path: string;
  readonly config: { readonly mediaType: string; readonly bytes: Buffer };
  readonly annotations: Readonly<Record<string, string>>;
}

/** Gives back the digest of the manifest, which depends on nothing but the artifact. */
export async function pushArtifact(
  registry: RegistryClient,
  reference: OciReference,
  { layer, path, config, annotations }: Artifact,
): Promise<string> {
  await registry.pushBlob(reference, { ...layer, path });
  const { bytes, mediaType } = config;
  const described = { mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length };
  await withTemporary(tmpdir(), async (place) => {
    await onDisk(place, () => writeFile(place, bytes));
    await registry.pushBlob(reference, { ...described, path: place });
  });
  const content = { schemaVersion: 2, mediaType: MANIFEST_TYPE, config: described, layers: [layer], annotations };
  const manifest = Buffer.from(JSON.stringify(content));
  await registry.pushManifest(reference, manifest);
  return `sha256:${sha256(manifest)}`;
}

/** What a tag names already, where that is the same layer; undefined: nothing. Other content is refused. */
export async function publishedAlready(
  registry: RegistryClient,
  reference: OciReference,
  { digest, remedy }: { readonly digest: string; readonly remedy: string },
): Promise<Manifest | undefined> {
  const found = await registry.findManifest(reference);
  if (found === undefined || found.layers.some((layer) => layer.digest === digest)) return found;
  throw new KubepkgError(
    'DigestMismatch',
    `${formatOciReference(reference)} is published already, with other content`,
    {
      hint: remedy,
    },
  );
}
