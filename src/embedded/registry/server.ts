import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sha256 } from '../../lib/digest.ts';
import type { KeyAndCertificate } from '../../lib/tls/certificate.ts';
import { RegistryContent } from './content.ts';
import { listenForEither } from './either-server.ts';
import type { Answer, Exchange } from './exchange.ts';
import { RegistryError } from './registry-error.ts';
import { isRepositoryName, parseRoute, type Route } from './route.ts';
import { serveBlob } from './serve-blobs.ts';
import { serveManifest } from './serve-manifests.ts';
import { serveTags } from './serve-tags.ts';
import { beginUpload, continueUpload } from './serve-uploads.ts';
import { createMemoryShelf } from './shelf.ts';
import { Uploads } from './uploads.ts';

export interface RegistryServerOptions {
  readonly tls: KeyAndCertificate;
  /** Of the loopback; a free one when left out. */
  readonly port?: number;
  /** Who may come in; everyone when left out. */
  readonly basicAuth?: { readonly username: string; readonly password: string };
  /** What it begins with, and what is left when it ends; empty and forgotten when left out. */
  readonly content?: RegistryContent;
}

export interface RegistryServer {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/** An OCI registry: the parts of the distribution specification 1.1 that clients for charts and trees use. */
export async function startRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  const { tls, port = 0, basicAuth } = options;
  const holding = { content: options.content ?? new RegistryContent(createMemoryShelf()), uploads: new Uploads() };
  const isWelcome = guard(basicAuth);
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void respond(request, response, (exchange) => {
      if (!isWelcome(request.headers.authorization)) throw new RegistryError('UNAUTHORIZED');
      return serve({ ...exchange, ...holding });
    });
  };
  const listening = await listenForEither(listener, { tls, host: HOST, port });
  return { ...listening, host: `${HOST}:${String(listening.port)}` };
}

type Asked = Pick<Exchange, 'request' | 'method' | 'query'> & { readonly route: Route | undefined };

function serve({ route, ...exchange }: Asked & Exchange): Answer | Promise<Answer> {
  if (route === undefined) throw new RegistryError('NAME_UNKNOWN', 'nothing is served at this path');
  if (route.kind === 'base') return serveBase(exchange);
  if (!isRepositoryName(route.name)) throw new RegistryError('NAME_INVALID', { name: route.name });
  switch (route.kind) {
    case 'tags':
      return serveTags(route.name, exchange);
    case 'manifest':
      return serveManifest(route.name, route.reference, exchange);
    case 'blob':
      return serveBlob(route.name, route.digest, exchange);
    case 'uploads':
      return beginUpload(route.name, exchange);
    case 'upload':
      return continueUpload(route.name, route.id, exchange);
  }
}

function serveBase({ method }: Exchange): Answer {
  if (method !== 'GET' && method !== 'HEAD') throw new RegistryError('UNSUPPORTED');
  return { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (asked: Asked) => Answer | Promise<Answer>,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  try {
    const [path = '', search] = url.split('?', 2);
    const route = parseRoute(path.replaceAll(/%3a/gi, ':'));
    write(response, method, await answer({ request, method, query: new URLSearchParams(search), route }));
  } catch (error) {
    request.resume();
    write(response, method, refusal(error));
  }
}

function refusal(error: unknown): Answer {
  const headers = { 'content-type': 'application/json' };
  if (!(error instanceof RegistryError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: 500, headers, body: JSON.stringify({ errors: [{ code: 'UNKNOWN', message }] }) };
  }
  const challenge = error.code === 'UNAUTHORIZED' ? { 'www-authenticate': 'Basic realm="registry"' } : {};
  return { status: error.status, headers: { ...headers, ...challenge }, body: JSON.stringify(error.toJson()) };
}

function write(response: ServerResponse, method: string, { status, headers = {}, body = '' }: Answer): void {
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(status, { 'docker-distribution-api-version': 'registry/2.0', ...length, ...headers });
  response.end(method === 'HEAD' ? undefined : body);
}

function guard(expected: RegistryServerOptions['basicAuth']): (authorization: string | undefined) => boolean {
  if (expected === undefined) return () => true;
  const { username, password } = expected;
  const wanted = fingerprint(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  return (authorization = '') => timingSafeEqual(fingerprint(authorization), wanted);
}

/** Of one length, whatever was sent. */
function fingerprint(text: string): Buffer {
  return Buffer.from(sha256(text));
}
