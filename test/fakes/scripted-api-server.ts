import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Counts the connections, so that a test sees which were used again. */
  readonly connection: number;
  readonly socket: Socket;
  /** Common name of the client certificate. */
  readonly peer: string | undefined;
}

export type Reply = (response: ServerResponse, request: SeenRequest) => void;

export interface ScriptedApiServerOptions {
  readonly tls?: { readonly key: string; readonly cert: string; readonly requestCert?: boolean };
}

/**
 * An API server on loopback that serves ConfigMaps and answers as it is told: each list, each watch and each other
 * request takes the next reply of its queue. Without one, a list is empty and a watch stays open.
 */
export class ScriptedApiServer {
  readonly url: string;
  readonly seen: SeenRequest[] = [];
  readonly lists: Reply[] = [];
  readonly watches: Reply[] = [];
  readonly others: Reply[] = [];
  readonly discoveries: Reply[] = [];
  readonly #server: Server;
  readonly #connections = new Map<Socket, number>();
  readonly #opened: OpenWatch[] = [];
  readonly #waiting: ((watch: OpenWatch) => void)[] = [];

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.url = `${scheme}://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.#answer(this.#note(request, Buffer.concat(chunks).toString('utf8')), response);
      });
    });
  }

  static async start(options: ScriptedApiServerOptions = {}): Promise<ScriptedApiServer> {
    const { tls } = options;
    const server = tls === undefined ? createServer() : createTlsServer({ ...tls, rejectUnauthorized: false });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ScriptedApiServer(server, tls === undefined ? 'http' : 'https');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The next watch that was answered with an open stream. */
  nextWatch(): Promise<OpenWatch> {
    const opened = this.#opened.shift();
    if (opened !== undefined) return Promise.resolve(opened);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  requests(method: string): readonly SeenRequest[] {
    return this.seen.filter((request) => request.method === method && !isDiscovery(request));
  }

  #note(request: IncomingMessage, body: string): SeenRequest {
    const url = new URL(request.url ?? '', this.url);
    const connection = this.#connections.get(request.socket) ?? this.#connections.size + 1;
    this.#connections.set(request.socket, connection);
    const { method = '', headers, socket } = request;
    const peer = peerOf(socket);
    const seen = { method, path: url.pathname, query: url.searchParams, headers, body, connection, socket, peer };
    this.seen.push(seen);
    return seen;
  }

  #answer(request: SeenRequest, response: ServerResponse): void {
    this.#replyTo(request)(response, request);
  }

  #replyTo(request: SeenRequest): Reply {
    if (isDiscovery(request)) return this.discoveries.shift() ?? json(CORE_KINDS);
    if (request.query.get('watch') === 'true') return this.watches.shift() ?? this.#openWatch();
    const isList = request.method === 'GET' && /configmaps$/.test(request.path);
    if (isList) return this.lists.shift() ?? json(listOf('1', []));
    return this.others.shift() ?? status(404, { reason: 'NotFound', details: { name: 'absent' } });
  }

  #openWatch(): Reply {
    return (response, request) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      const watch = new OpenWatch(response, request);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#opened.push(watch);
      else waiting(watch);
    };
  }
}

/** One watch that the client holds open. */
export class OpenWatch {
  readonly request: SeenRequest;
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, request: SeenRequest) {
    this.#response = response;
    this.request = request;
    this.closed = new Promise((resolve) => response.once('close', resolve));
  }

  get from(): string | null {
    return this.request.query.get('resourceVersion');
  }

  send(type: string, object: unknown): void {
    this.raw(`${JSON.stringify({ type, object })}\n`);
  }

  raw(text: string | Buffer): void {
    this.#response.write(text);
  }

  end(): void {
    this.#response.end();
  }

  reset(): void {
    this.request.socket.resetAndDestroy();
  }
}

function peerOf(socket: Socket): string | undefined {
  const name = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
  return typeof name?.CN === 'string' ? name.CN : undefined;
}

function isDiscovery(request: SeenRequest): boolean {
  return /^\/(api\/v1|apis\/[^/]+\/[^/]+)$/.test(request.path);
}

export const CORE_KINDS = {
  kind: 'APIResourceList',
  groupVersion: 'v1',
  resources: [
    { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { name: 'namespaces/status', kind: 'Namespace', namespaced: false },
    { name: 'namespaces', kind: 'Namespace', namespaced: false },
    { name: 'pods', kind: 'Pod', namespaced: true },
    { name: 'secrets', kind: 'Secret', namespaced: true },
  ],
};

export function json(body: unknown, code = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function text(body: string, code: number): Reply {
  return (response) => {
    response.writeHead(code, { 'content-type': 'text/plain' });
    response.end(body);
  };
}

/** A Kubernetes Status. */
export function statusBody(code: number, parts: Readonly<Record<string, unknown>> = {}): unknown {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: `status ${String(code)}`, code, ...parts };
}

export function status(
  code: number,
  parts: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return json(statusBody(code, parts), code, headers);
}

/** The request was taken in, and the connection breaks before an answer. */
export const reset: Reply = (_response, request) => {
  request.socket.resetAndDestroy();
};

/** Takes the request and says nothing, for ever. */
export const silence: Reply = () => undefined;

/** The head and a part of the body, then nothing more, or a break. */
export function partOf(body: unknown, then: 'silence' | 'reset'): Reply {
  return (response, request) => {
    const whole = Buffer.from(JSON.stringify(body));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
    response.write(whole.subarray(0, whole.length / 2), () => {
      if (then === 'reset') request.socket.destroy();
    });
  };
}

export function configMap(
  name: string,
  resourceVersion: string,
  uid = `uid-${name}`,
): Readonly<Record<string, unknown>> {
  const metadata = { name, namespace: 'default', uid, resourceVersion };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { v: resourceVersion } };
}

export function listOf(resourceVersion: string, items: readonly unknown[], more?: string): unknown {
  const metadata = { resourceVersion, ...(more === undefined ? {} : { continue: more }) };
  return { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items };
}
