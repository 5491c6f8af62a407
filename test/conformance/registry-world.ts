import { createHash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { asArray, asString, at } from '../../src/lib/json.ts';

export interface RegistryAddress {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** The certificate to trust, as PEM. */
  readonly ca: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const INDEX = 'application/vnd.oci.image.index.v1+json';

/** A registry as a client sees it that takes nothing for granted. */
export class RegistryUser {
  readonly #address: RegistryAddress;
  readonly #agent: Agent;

  constructor(address: RegistryAddress) {
    this.#address = address;
    this.#agent = new Agent({ ca: address.ca, keepAlive: true });
  }

  close(): void {
    this.#agent.destroy();
  }

  ask(method: string, path: string, { headers = {}, body }: Asking = {}): Promise<Answered> {
    const url = new URL(path, `https://${this.#address.host}`);
    const isSized = (body !== undefined || method === 'POST' || method === 'PUT') && !('transfer-encoding' in headers);
    const length = isSized ? { 'content-length': Buffer.byteLength(body ?? '') } : {};
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, agent: this.#agent, headers: { ...length, ...headers } }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  get(path: string, headers: Asking['headers'] = {}): Promise<Answered> {
    return this.ask('GET', path, { headers });
  }

  /** Begins an upload; gives the address at which it goes on. */
  async begin(name: string): Promise<string> {
    const begun = await this.ask('POST', `/v2/${name}/blobs/uploads/`);
    return begun.headers.location ?? '';
  }

  /** Ends an upload with the rest of the content. */
  finish(location: string, digest: string, body?: string): Promise<Answered> {
    const headers = body === undefined ? {} : { 'content-type': 'application/octet-stream' };
    return this.ask('PUT', withDigest(location, digest), { headers, ...(body === undefined ? {} : { body }) });
  }

  async pushBlob(name: string, content: string): Promise<string> {
    await this.finish(await this.begin(name), digestOf(content), content);
    return digestOf(content);
  }

  putManifest(name: string, reference: string, manifest: unknown, mediaType = MANIFEST): Promise<Answered> {
    const body = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    return this.ask('PUT', `/v2/${name}/manifests/${reference}`, { headers: { 'content-type': mediaType }, body });
  }

  manifest(name: string, reference: string, method = 'GET'): Promise<Answered> {
    const headers = { accept: `${MANIFEST}, ${INDEX}` };
    return this.ask(method, `/v2/${name}/manifests/${reference}`, { headers });
  }

  /** An artifact of one layer; gives its manifest. */
  async pushArtifact(name: string, tag: string, content = tag): Promise<string> {
    const manifest = JSON.stringify(await this.artifactOf(name, content));
    await this.putManifest(name, tag, manifest);
    return manifest;
  }

  async artifactOf(name: string, content: string): Promise<unknown> {
    const config = { mediaType: 'application/json', digest: await this.pushBlob(name, '{}'), size: 2 };
    const digest = await this.pushBlob(name, content);
    const layers = [{ mediaType: 'text/plain', digest, size: content.length }];
    return { schemaVersion: 2, mediaType: MANIFEST, config, layers };
  }
}

/** A repository that nobody else uses. */
export function freshName(): string {
  return `conformance/${randomUUID().slice(0, 8)}/some_thing-else`;
}

export function digestOf(content: string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

export function withDigest(location: string, digest: string): string {
  return `${location}${location.includes('?') ? '&' : '?'}digest=${encodeURIComponent(digest)}`;
}

/** The first code of the specification's error document. */
export function codeOf({ body }: Answered): string | undefined {
  const document: unknown = JSON.parse(body.toString('utf8'));
  return asString(at(asArray(at(document, 'errors'))[0], 'code'));
}
