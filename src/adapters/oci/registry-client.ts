import { createReadStream } from 'node:fs';
import { KubepkgError } from '../../api/errors.ts';
import { sha256 } from '../../lib/digest.ts';
import { asArray, asNumber, asString, at } from '../../lib/json.ts';
import type { Access, Authorizer } from './authorizer.ts';
import { type Downloaded, downloadBody, readSmallBody } from './body.ts';
import { MANIFEST_LIMIT } from './limits.ts';
import { formatOciReference, isDigest, type OciReference } from './reference.ts';
import { refuseStatus } from './status.ts';
import { discard, type HttpRequest, type HttpResponse } from './transport.ts';

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const ACCEPTED = [
  MANIFEST_TYPE,
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.index.v1+json',
].join(', ');

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface Manifest {
  readonly digest: string;
  readonly bytes: Buffer;
  readonly layers: readonly Descriptor[];
}

export interface RegistryClientOptions {
  readonly authorizer: Authorizer;
  readonly plainHttp: boolean;
}

export interface BlobTarget {
  readonly path: string;
  readonly limit: number;
}

const DOCKER_HUB_API = 'registry-1.docker.io';

/** The parts of the OCI distribution API that charts and trees need. */
export class RegistryClient {
  readonly #authorizer: Authorizer;
  readonly #scheme: string;

  constructor(options: RegistryClientOptions) {
    this.#authorizer = options.authorizer;
    this.#scheme = options.plainHttp ? 'http' : 'https';
  }

  /** By digest if the reference has one, else by tag. */
  async fetchManifest(reference: OciReference, signal?: AbortSignal): Promise<Manifest> {
    const name = reference.digest ?? reference.tag ?? 'latest';
    const request = this.#request(reference, `manifests/${name}`, { headers: { accept: ACCEPTED }, signal });
    const response = await this.#send(request, reference, 'pull');
    const body = await readSmallBody(response, request, MANIFEST_LIMIT);
    if (response.status !== 200) throw refuseStatus(response, request, body);
    const manifest = parseManifest(body, request.subject);
    if (reference.digest === undefined || reference.digest === manifest.digest) return manifest;
    throw new KubepkgError('DigestMismatch', `${request.subject}: the registry sent ${manifest.digest}`, {
      hint: 'the registry or something in between changed it: do not use it',
    });
  }

  /** What a tag names, for somebody who is about to push there; undefined: nothing. */
  async findManifest(reference: OciReference): Promise<Manifest | undefined> {
    const name = reference.tag ?? 'latest';
    const request = this.#request(reference, `manifests/${name}`, { headers: { accept: ACCEPTED } });
    // The right to pull alone may be refused for a repository that does not exist yet.
    const response = await this.#send(request, reference, 'pull,push');
    const body = await readSmallBody(response, request, MANIFEST_LIMIT);
    if (response.status === 404) return undefined;
    if (response.status !== 200) throw refuseStatus(response, request, body);
    return parseManifest(body, request.subject);
  }

  async downloadBlob(
    reference: OciReference,
    digest: string,
    target: BlobTarget & { readonly signal?: AbortSignal | undefined },
  ): Promise<Downloaded> {
    const request = this.#request(reference, `blobs/${digest}`, { signal: target.signal });
    const response = await this.#send(request, reference, 'pull');
    if (response.status !== 200) {
      throw refuseStatus(response, request, await readSmallBody(response, request, MANIFEST_LIMIT));
    }
    const downloaded = await downloadBody(response, request, target);
    if (downloaded.digest === digest) return downloaded;
    throw new KubepkgError('DigestMismatch', `${request.subject}: the content is ${downloaded.digest}, not ${digest}`, {
      hint: 'the registry or something in between changed it: do not use it',
    });
  }

  async pushBlob(reference: OciReference, blob: Descriptor & { readonly path: string }): Promise<void> {
    const probe = this.#request(reference, `blobs/${blob.digest}`, { method: 'HEAD' });
    const found = await this.#send(probe, reference, 'pull,push');
    discard(found);
    if (found.status === 200) return;
    const begin = this.#request(reference, 'blobs/uploads/', { method: 'POST', headers: { 'content-length': '0' } });
    const begun = await this.#expect(begin, reference, 202);
    const url = new URL(begun.headers.location ?? '', begun.url.href);
    url.searchParams.set('digest', blob.digest);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(blob.size) };
    const finish: HttpRequest = { ...begin, method: 'PUT', url, headers, body: () => createReadStream(blob.path) };
    await this.#expect(finish, reference, 201);
  }

  async pushManifest(reference: OciReference, manifest: Buffer): Promise<void> {
    const headers = { 'content-type': MANIFEST_TYPE, 'content-length': String(manifest.length) };
    const name = reference.tag ?? `sha256:${sha256(manifest)}`;
    const request = this.#request(reference, `manifests/${name}`, { method: 'PUT', headers });
    await this.#expect({ ...request, body: () => manifest }, reference, 201);
  }

  async #expect(request: HttpRequest, reference: OciReference, status: number): Promise<HttpResponse> {
    const response = await this.#send(request, reference, 'pull,push');
    const body = await readSmallBody(response, request, MANIFEST_LIMIT);
    if (response.status !== status) throw refuseStatus(response, request, body);
    return response;
  }

  #send(request: HttpRequest, reference: OciReference, actions: Access['actions']): Promise<HttpResponse> {
    return this.#authorizer.send(request, { host: reference.host, repository: reference.repository, actions });
  }

  #request(
    reference: OciReference,
    path: string,
    more: Partial<Pick<HttpRequest, 'method' | 'headers' | 'signal'>>,
  ): HttpRequest {
    const host = reference.host === 'docker.io' ? DOCKER_HUB_API : reference.host;
    const url = new URL(`${this.#scheme}://${host}/v2/${reference.repository}/${path}`);
    return { method: 'GET', ...more, url, subject: formatOciReference(reference) };
  }
}

export function parseManifest(bytes: Buffer, subject: string): Manifest {
  const layers = asArray(at(parseJson(bytes, subject), 'layers')).map((layer) => ({
    mediaType: asString(at(layer, 'mediaType')) ?? '',
    digest: asString(at(layer, 'digest')) ?? '',
    size: asNumber(at(layer, 'size')) ?? 0,
  }));
  if (layers.length === 0 || layers.some((layer) => !isDigest(layer.digest))) {
    throw new KubepkgError('ArchiveInvalid', `${subject}: the manifest lists no usable layers`, {
      hint: 'name a chart or a tree, not an image index or an empty artifact',
    });
  }
  return { digest: `sha256:${sha256(bytes)}`, bytes, layers };
}

function parseJson(bytes: Buffer, subject: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new KubepkgError('ArchiveInvalid', `${subject}: the manifest is not JSON`, {
      hint: 'check that the host is an OCI registry',
      cause,
    });
  }
}
