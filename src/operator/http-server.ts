import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { asKubepkgError, KubepkgError } from '../api/errors.ts';
import { asString, at } from '../lib/json.ts';
import type { Log } from '../ports/system.ts';

export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export type Routes = Readonly<Record<string, () => Page | Promise<Page>>>;

export interface ListenOptions {
  /** `:PORT`, `HOST:PORT` or `[IPV6]:PORT`. */
  readonly address: string;
  /** Flag that the address came from, for messages. */
  readonly flag: string;
}

export interface ServeOptions extends ListenOptions {
  readonly routes: Routes;
  readonly log: Log;
}

export interface Listening {
  /** Where it listens: the port is the one that was found when 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

/** A scraper or a probe that takes longer has gone. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Serves a few pages by GET and HEAD; resolves once it listens. */
export function servePages(options: ServeOptions): Promise<Listening> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void answer(request, response, options);
  });
  return listenAt(server, options);
}

/** Resolves once the server listens. */
export async function listenAt(server: Server, options: ListenOptions): Promise<Listening> {
  await listen(server, options);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => close(server),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ServeOptions): Promise<void> {
  const page = await pageFor(request, options);
  const body = request.method === 'HEAD' ? '' : page.body;
  response.writeHead(page.status, { 'content-type': page.contentType, 'cache-control': 'no-store' }).end(body);
}

async function pageFor(request: IncomingMessage, { routes, log }: ServeOptions): Promise<Page> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'only GET and HEAD');
  const path = (request.url ?? '/').replace(/[?#].*$/s, '');
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (route === undefined) return plain(404, 'not found');
  try {
    return await route();
  } catch (error) {
    log.error('a page could not be made', { path, error: asKubepkgError(error) });
    return plain(500, 'internal error');
  }
}

function plain(status: number, text: string): Page {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
}

function listen(server: Server, { address, flag }: ListenOptions): Promise<void> {
  const { host, port } = parseAddress(address, flag);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(listenError(error, address, flag));
    });
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
}

function parseAddress(address: string, flag: string): { readonly host: string | undefined; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(address);
  const host = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3]);
  if (match !== null && port <= 65_535) return { host: host === '' ? undefined : host, port };
  throw new KubepkgError('InvalidInput', `${flag} ${JSON.stringify(address)} is not an address`, {
    hint: 'write :PORT, HOST:PORT, or 0 for nowhere',
  });
}

function listenError(error: Error, address: string, flag: string): KubepkgError {
  const code = asString(at(error, 'code')) ?? error.message;
  const why = code === 'EADDRINUSE' ? 'the port is in use' : code;
  return new KubepkgError('InvalidInput', `cannot listen on ${address}: ${why}`, {
    hint: `choose another address with ${flag}, or 0 for nowhere`,
    cause: error,
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The only error there is says that it does not listen any more.
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
