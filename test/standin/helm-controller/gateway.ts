import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ClusterAccess } from '../../../src/adapters/kube/access.ts';

/** A request to the API server that has not been sent on yet. */
export interface PassingRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

/** An answer that the API server has not given. */
export interface MadeUpAnswer {
  readonly status: number;
  readonly message: string;
}

export interface Passage {
  /** What is asked instead, or an answer; one that never resolves holds the request up for ever. */
  before(request: PassingRequest): Promise<PassingRequest | MadeUpAnswer>;
  after(request: PassingRequest, status: number): void;
}

/** The field manager of all that the controller writes, by itself or through helm ("Field owners" [16, 20]). */
export const FIELD_MANAGER = 'helm-controller';

const REFUSED = 502;

/**
 * Everything that the controller and its helm say to the API server goes through here: so helm writes as
 * `helm-controller`, its records can lie in another namespace than its objects, and it can be held up between two writes.
 */
export class Gateway {
  readonly #access: ClusterAccess;
  readonly #agent: Agent;
  readonly #server: Server;
  readonly #passages = new Map<string, Passage>();
  readonly #sockets = new Set<Socket>();
  #opened = 0;

  constructor(access: ClusterAccess) {
    this.#access = access;
    const { tls, user } = access;
    if (user.exec !== undefined || user.tokenFile !== undefined) throw new Error('a token or a certificate is needed');
    this.#agent = new Agent({
      keepAlive: true,
      rejectUnauthorized: !tls.insecure,
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(user.certificate ?? {}),
    });
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => {
        refuse(response);
      });
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.on('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  /** The address of an API server at which all goes through this passage, until it is closed. */
  open(passage: Passage): { readonly server: string; close(): void } {
    this.#opened += 1;
    const id = String(this.#opened);
    this.#passages.set(id, passage);
    const { port } = this.#server.address() as AddressInfo;
    return {
      server: `http://127.0.0.1:${String(port)}/${id}`,
      close: () => {
        this.#passages.delete(id);
      },
    };
  }

  close(): void {
    this.#passages.clear();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://gateway');
    const [, id = ''] = url.pathname.split('/', 2);
    const passage = this.#passages.get(id);
    if (passage === undefined) {
      refuse(response);
      return;
    }
    const asked = {
      method: incoming.method ?? 'GET',
      path: url.pathname.slice(id.length + 1),
      query: url.searchParams,
      body: await readAll(incoming),
    };
    const next = await passage.before(asked);
    // Whoever is killed while a request of it is held up says nothing more.
    if (this.#passages.get(id) !== passage) return;
    if ('status' in next) {
      answer(response, next);
      return;
    }
    this.#forward(next, incoming.headers, { response, done: (status) => passage.after(next, status) });
  }

  #forward(
    asked: PassingRequest,
    headers: IncomingHttpHeaders,
    { response, done }: { readonly response: ServerResponse; readonly done: (status: number) => void },
  ): void {
    if (asked.query.has('fieldManager')) asked.query.set('fieldManager', FIELD_MANAGER);
    const query = asked.query.toString();
    const server = new URL(this.#access.server);
    const secure = server.protocol === 'https:';
    const call = (secure ? httpsRequest : httpRequest)({
      host: server.hostname,
      port: server.port,
      method: asked.method,
      path: `${server.pathname.replace(/\/$/, '')}${asked.path}${query === '' ? '' : `?${query}`}`,
      headers: this.#headers(headers, asked.body),
      ...(secure ? { agent: this.#agent } : {}),
    });
    call.on('error', () => {
      refuse(response);
    });
    call.on('response', (reply) => {
      done(reply.statusCode ?? 0);
      response.writeHead(reply.statusCode ?? REFUSED, reply.headers);
      reply.pipe(response);
      reply.on('error', () => response.destroy());
    });
    response.on('close', () => call.destroy());
    call.end(asked.body);
  }

  #headers(headers: IncomingHttpHeaders, body: Buffer): IncomingHttpHeaders {
    const { host: _host, 'transfer-encoding': _encoding, ...kept } = headers;
    const { token } = this.#access.user;
    return {
      ...kept,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      'content-length': String(body.length),
    };
  }
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else answer(response, { status: REFUSED, message: 'there is no way through' });
}

/** As the API server words its refusals, so that helm tells what it was told. */
function answer(response: ServerResponse, { status, message }: MadeUpAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message }));
}
