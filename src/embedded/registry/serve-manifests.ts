import { sha256 } from '../../lib/digest.ts';
import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import { contentDigest, verifyContent } from './content-digest.ts';
import type { RegistryContent } from './content.ts';
import { type Answer, type Exchange, readBody } from './exchange.ts';
import { RegistryError } from './registry-error.ts';

const MANIFEST_LIMIT = 4 * 1024 * 1024;
const TAG = /^\w[\w.-]{0,127}$/;
const MEDIA_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

export async function serveManifest(name: string, reference: string, exchange: Exchange): Promise<Answer> {
  const { method, content } = exchange;
  if (reference.includes(':')) contentDigest(reference);
  switch (method) {
    case 'GET':
    case 'HEAD':
      return manifestOf(content, name, reference);
    case 'PUT':
      return putManifest(name, reference, exchange);
    case 'DELETE':
      content.deleteManifest(name, reference);
      return { status: 202 };
    default:
      throw new RegistryError('UNSUPPORTED');
  }
}

function manifestOf(content: RegistryContent, name: string, reference: string): Answer {
  const { digest, mediaType, bytes } = content.manifest(name, reference);
  const headers = { 'content-type': mediaType, 'docker-content-digest': digest, etag: `"${digest}"` };
  return { status: 200, headers, body: bytes };
}

async function putManifest(name: string, reference: string, { request, content }: Exchange): Promise<Answer> {
  const isDigest = reference.includes(':');
  if (!isDigest && !TAG.test(reference)) throw new RegistryError('MANIFEST_INVALID', `${reference} is no tag`);
  const bytes = await readBody(request, MANIFEST_LIMIT);
  const digest = isDigest ? reference : `sha256:${sha256(bytes)}`;
  verifyContent(digest, bytes);
  const mediaType = mediaTypeOf(request.headers['content-type']);
  refuseUnknownParts(parseManifest(bytes, mediaType), name, content);
  content.putManifest(name, { digest, mediaType, bytes }, isDigest ? undefined : reference);
  const headers = { location: `/v2/${name}/manifests/${digest}`, 'docker-content-digest': digest };
  return { status: 201, headers };
}

function mediaTypeOf(header = ''): string {
  const mediaType = header.replace(/;.*$/s, '').trim();
  if (MEDIA_TYPES.includes(mediaType)) return mediaType;
  throw new RegistryError('MANIFEST_INVALID', `${JSON.stringify(mediaType)} is no media type of a manifest`);
}

function parseManifest(bytes: Buffer, mediaType: string): unknown {
  const manifest = parseJson(bytes);
  if (!isRecord(manifest)) throw new RegistryError('MANIFEST_INVALID', 'it is not a JSON object');
  if (manifest['schemaVersion'] !== 2) throw new RegistryError('MANIFEST_INVALID', 'its schemaVersion is not 2');
  const own = asString(manifest['mediaType']) ?? '';
  if (own === '' || own === mediaType) return manifest;
  throw new RegistryError('MANIFEST_INVALID', `it says that it is ${own}, its Content-Type ${mediaType}`);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // What is wrong with it shall not be guessed from a parser's words.
    return undefined;
  }
}

/** An index lists manifests, a manifest a config and layers; all of them have to be there before. */
function refuseUnknownParts(manifest: unknown, name: string, content: RegistryContent): void {
  const parts = asArray(at(manifest, 'manifests'));
  const blobs = [at(manifest, 'config'), ...asArray(at(manifest, 'layers'))].filter((part) => part !== undefined);
  if (parts.length + blobs.length === 0 && at(manifest, 'manifests') === undefined) {
    throw new RegistryError('MANIFEST_INVALID', 'it names neither a config and layers nor manifests');
  }
  const missing = [
    ...parts.map(digestOfPart).filter((digest) => !content.hasManifest(name, digest)),
    ...blobs.map(digestOfPart).filter((digest) => !content.hasBlob(name, digest)),
  ];
  if (missing.length > 0) throw new RegistryError('MANIFEST_BLOB_UNKNOWN', missing);
}

function digestOfPart(part: unknown): string {
  return contentDigest(asString(at(part, 'digest')) ?? '');
}
