import { type FileHandle, open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { asKubepkgError, KubepkgError } from '../../api/errors.ts';
import type { ChartShelf } from '../../ports/artifacts.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { boundConnections } from './bounded-connections.ts';
import { type RepositoryFile, repositoryFile } from './chart-repository.ts';
import { parseChartRequest } from './chart-request.ts';

export interface ChartServerDeps {
  readonly charts: ChartShelf;
  readonly clock: Clock;
  readonly log: Log;
  /** Connections at once; default 256. */
  readonly connections?: number;
}

const CONNECTIONS = 256;
/** What a request may take to come in: it is one line and a few headers. */
const REQUEST_MS = 10_000;
const IDLE_MS = 5000;
const CHECK_MS = 1000;
const HEADER_BYTES = 8 * 1024;
/** A chart that has to be fetched first may take longer than its client waits; the fetch goes on for the next try. */
const FIND_MS = 45_000;
const RETRY_AFTER_SECONDS = 5;
/** Whoever takes an archive more slowly than that is cut off. */
const GRACE_MS = 10_000;
const BYTES_PER_MS = 256;

/**
 * Serves every chart as a Helm repository of its own, whose address holds the digest of the archive: nothing there ever
 * changes, and nobody learns of a chart whose digest they do not know. The server does not listen yet.
 */
export function createChartServer(deps: ChartServerDeps): Server {
  const limits = {
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: CHECK_MS,
    maxHeaderSize: HEADER_BYTES,
  };
  const server = createServer(limits, (request, response) => {
    void answer(request, response, deps);
  });
  boundConnections(server, deps.connections ?? CONNECTIONS);
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse, deps: ChartServerDeps): Promise<void> {
  const { method = '', url = '' } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    refuse(response, 405, { allow: 'GET, HEAD' });
    return;
  }
  const wanted = parseChartRequest(url);
  if (wanted === undefined) {
    refuse(response, 404);
    return;
  }
  try {
    const chart = await inTime(deps.clock, deps.charts.find(wanted.digest));
    const file = chart === undefined ? undefined : repositoryFile(chart, wanted.file);
    if (file === undefined) refuse(response, 404);
    else await give(file, { request, response, deps });
  } catch (thrown) {
    fail(response, { deps, digest: wanted.digest, error: asKubepkgError(thrown) });
  }
}

function inTime<T>(clock: Clock, finding: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(FIND_MS, () => {
      reject(new KubepkgError('ArtifactNotFound', 'the chart is still being fetched'));
    });
    finding
      .finally(() => {
        timer.cancel();
      })
      .then(resolve, reject);
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly deps: ChartServerDeps;
}

/** Always whole: a range that is asked for is ignored, as HTTP allows. */
async function give(file: RepositoryFile, { request, response, deps }: Exchange): Promise<void> {
  const headers = { etag: file.etag, 'cache-control': 'public, max-age=31536000, immutable' };
  if (isKnown(request, file.etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const { contentType, sizeBytes, content } = file;
  const whole = { ...headers, 'content-type': contentType, 'content-length': sizeBytes, 'accept-ranges': 'none' };
  if (request.method === 'HEAD') response.writeHead(200, whole).end();
  else if (typeof content === 'string') response.writeHead(200, whole).end(content);
  else {
    const handle = await open(content.path);
    response.writeHead(200, whole);
    await stream(handle, response, { sizeBytes, deps });
  }
}

function isKnown(request: IncomingMessage, etag: string): boolean {
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

async function stream(
  handle: FileHandle,
  response: ServerResponse,
  { sizeBytes, deps }: { readonly sizeBytes: number; readonly deps: ChartServerDeps },
): Promise<void> {
  const timer = deps.clock.after(GRACE_MS + sizeBytes / BYTES_PER_MS, () => {
    response.destroy();
  });
  try {
    await pipeline(handle.createReadStream(), response);
  } catch (error) {
    deps.log.debug('a chart was not taken to its end', { error: asKubepkgError(error).message });
  } finally {
    timer.cancel();
  }
}

interface Failure {
  readonly deps: ChartServerDeps;
  readonly digest: string;
  readonly error: KubepkgError;
}

/** What is wrong is for the log; a client can only try again. */
function fail(response: ServerResponse, { deps, digest, error }: Failure): void {
  if (error.class === 'bug') deps.log.error('a chart could not be served, by a fault of kubepkg', { digest, error });
  else {
    const { code, message, hint } = error;
    deps.log.warn('a chart could not be served', { digest, code, error: message, hint });
  }
  refuse(response, 503, { 'retry-after': String(RETRY_AFTER_SECONDS) });
}

const EXPLANATIONS = {
  404: 'not found',
  405: 'only GET and HEAD',
  503: 'the chart cannot be had at the moment',
} as const;

function refuse(
  response: ServerResponse,
  status: keyof typeof EXPLANATIONS,
  headers: Readonly<Record<string, string>> = {},
): void {
  const all = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers };
  response.writeHead(status, all).end(`${EXPLANATIONS[status]}\n`);
}
