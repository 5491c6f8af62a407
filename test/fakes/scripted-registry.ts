import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Answers a request itself and returns true, or leaves it to the registry. */
export type Fault = (seen: SeenRequest, response: ServerResponse) => boolean;

export interface ScriptedRegistryOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Who may come in; everyone when left out. */
  readonly auth?: { readonly scheme: 'basic' | 'bearer'; readonly username: string; password: string };
}

/** An OCI registry and web server on loopback that keeps everything in memory and misbehaves on request (S-REG). */
export class ScriptedRegistry {
  readonly host: string;
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;
  readonly #options: ScriptedRegistryOptions;
  readonly #content = new Map<string, Buffer>();
  readonly #tokens = new Set<string>();
  readonly #faults: Fault[] = [];

  private constructor(server: Server, options: ScriptedRegistryOptions) {
    this.#server = server;
    this.#options = options;
    this.host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#serve(request, response);
    });
  }

  static async start(options: ScriptedRegistryOptions = {}): Promise<ScriptedRegistry> {
    const server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ScriptedRegistry(server, options);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Puts something at a path of the web server. */
  put(path: string, content: Buffer | string): void {
    this.#content.set(path, Buffer.from(content));
  }

  /** Publishes an artifact of one layer; returns the digests of its manifest and layer. */
  publish(repository: string, tag: string, layer: { mediaType: string; content: Buffer }): PublishedArtifact {
    const config = this.#putBlob(repository, Buffer.from('{}'));
    const digest = this.#putBlob(repository, layer.content);
    const layers = [{ mediaType: layer.mediaType, digest, size: layer.content.length }];
    const manifest = { schemaVersion: 2, config: { mediaType: 'application/json', digest: config, size: 2 }, layers };
    return { manifest: this.putManifest(repository, tag, manifest), layer: digest };
  }

  putManifest(repository: string, tag: string, manifest: unknown): string {
    const bytes = Buffer.from(JSON.stringify(manifest));
    this.put(`/v2/${repository}/manifests/${tag}`, bytes);
    this.put(`/v2/${repository}/manifests/${digestOf(bytes)}`, bytes);
    return digestOf(bytes);
  }

  remove(path: string): void {
    this.#content.delete(path);
  }

  /** Every request is shown to the newest fault first. */
  misbehave(fault: Fault): void {
    this.#faults.unshift(fault);
  }

  behave(): void {
    this.#faults.length = 0;
  }

  /** Tokens given out so far are refused from now on. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  #putBlob(repository: string, content: Buffer): string {
    this.put(`/v2/${repository}/blobs/${digestOf(content)}`, content);
    return digestOf(content);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = request;
    const seen = { method, path, authorization: request.headers.authorization };
    this.seen.push(seen);
    if (this.#faults.some((fault) => fault(seen, response))) return;
    if (path.startsWith('/token')) this.#giveToken(seen, response);
    else if (!this.#isWelcome(seen)) this.#challenge(response);
    else if (method === 'POST' || method === 'PUT') await this.#receive(seen, request, response);
    else this.#answer(seen, response);
  }

  #answer(seen: SeenRequest, response: ServerResponse): void {
    const content = this.#content.get(seen.path);
    response.statusCode = content === undefined ? 404 : 200;
    const body = content ?? '{"errors":[{"code":"NAME_UNKNOWN","message":"unknown"}]}';
    response.end(seen.method === 'HEAD' ? undefined : body);
  }

  async #receive(seen: SeenRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const content = Buffer.concat(chunks);
    const { pathname, searchParams } = new URL(seen.path, 'http://registry');
    if (seen.method === 'POST') {
      response.writeHead(202, { location: `${pathname}${randomUUID()}?state=1` }).end();
      return;
    }
    if (pathname.includes('/manifests/')) {
      this.put(pathname, content);
      this.put(pathname.replace(/[^/]*$/, digestOf(content)), content);
    } else {
      const digest = searchParams.get('digest') ?? '';
      if (digest !== digestOf(content)) {
        response.writeHead(400).end();
        return;
      }
      this.put(pathname.replace(/uploads\/[^/]*$/, digest), content);
    }
    response.writeHead(201).end();
  }

  #isWelcome(seen: SeenRequest): boolean {
    const { auth } = this.#options;
    if (auth === undefined) return true;
    if (auth.scheme === 'basic') return seen.authorization === basic(auth);
    return this.#tokens.has(seen.authorization?.replace('Bearer ', '') ?? '');
  }

  #challenge(response: ServerResponse): void {
    const scheme = this.#options.tls === undefined ? 'http' : 'https';
    const bearer = `Bearer realm="${scheme}://${this.host}/token",service="scripted"`;
    const header = this.#options.auth?.scheme === 'basic' ? 'Basic realm="scripted"' : bearer;
    response.writeHead(401, { 'www-authenticate': header }).end();
  }

  #giveToken(seen: SeenRequest, response: ServerResponse): void {
    const { auth } = this.#options;
    if (auth === undefined || seen.authorization !== basic(auth)) {
      response.writeHead(401).end();
      return;
    }
    const token = randomUUID();
    this.#tokens.add(token);
    response.end(JSON.stringify({ token }));
  }
}

export interface PublishedArtifact {
  readonly manifest: string;
  readonly layer: string;
}

function basic(auth: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
