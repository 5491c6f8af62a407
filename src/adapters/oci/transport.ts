import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { request as tlsRequest, Agent as TlsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as tls from 'node:tls';
import { KubepkgError } from '../../api/errors.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once for each attempt. */
  readonly body?: () => Buffer | Readable;
  /** What the request is for, in words for messages: `chart oci://…`. */
  readonly subject: string;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  readonly body: IncomingMessage;
}

export interface TransportOptions {
  /** PEM certificates that are trusted in addition to the usual ones. */
  readonly ca?: string | undefined;
  /** Milliseconds without a byte after which a connection is given up. */
  readonly idleTimeoutMs: number;
}

export interface Transport {
  /** Follows redirects of GET and HEAD. Any status is an answer; only a missing answer is an error. */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): void;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];

export function createTransport(options: TransportOptions): Transport {
  const plain = new PlainAgent({ keepAlive: true });
  const ca = options.ca === undefined ? {} : { ca: [...usualRoots(), options.ca] };
  const secure = new TlsAgent({ keepAlive: true, ...ca });

  function once(request: HttpRequest, isRetry = false): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const isTls = request.url.protocol === 'https:';
      const start = isTls ? tlsRequest : plainRequest;
      const { method, url, signal } = request;
      const headers = { 'user-agent': 'kubepkg', ...request.headers };
      const agent = isTls ? secure : plain;
      const timeout = options.idleTimeoutMs;
      const outgoing = start(url, { method, headers, agent, timeout, ...(signal ? { signal } : {}) });
      let received: IncomingMessage | undefined;
      outgoing.once('timeout', () => {
        (received ?? outgoing).destroy(new Error(`nothing was received for ${String(timeout)} ms`));
      });
      outgoing.once('error', (error) => {
        // A kept connection that the server closed at this very moment says nothing about the server.
        if (outgoing.reusedSocket && !isRetry && codeOf(error) === 'ECONNRESET') resolve(once(request, true));
        else reject(asTransportError(error, request));
      });
      outgoing.once('response', (body) => {
        received = body;
        resolve({ status: body.statusCode ?? 0, headers: body.headers, url, body });
      });
      writeBody(outgoing, request).catch((error: unknown) => {
        outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  return {
    async send(request) {
      let current = request;
      for (let redirects = 0; ; redirects += 1) {
        current.signal?.throwIfAborted();
        const response = await once(current);
        const target = redirectOf(current, response);
        if (target === undefined) return response;
        discard(response);
        if (redirects === MAX_REDIRECTS) {
          throw unreachable(request, `it redirects more than ${String(MAX_REDIRECTS)} times`, {});
        }
        current = redirected(current, target);
      }
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

const DISCARDED_BYTES = 64 * 1024;

/** Reads an unwanted body to its end, so that the connection can be used again, unless that takes too long. */
export function discard(response: HttpResponse): void {
  let sizeBytes = 0;
  response.body.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > DISCARDED_BYTES) response.body.destroy();
  });
}

/** Naming certificates replaces the usual ones, so these have to be repeated. */
function usualRoots(): readonly string[] {
  // Absent before Node 22.15.
  const { getCACertificates, rootCertificates }: { getCACertificates?: (of: 'default') => string[] } & typeof tls = tls;
  return getCACertificates === undefined ? rootCertificates : getCACertificates('default');
}

async function writeBody(outgoing: ReturnType<typeof plainRequest>, request: HttpRequest): Promise<void> {
  const body = request.body?.();
  if (body === undefined || Buffer.isBuffer(body)) outgoing.end(body);
  else await pipeline(body, outgoing);
}

function redirectOf(request: HttpRequest, response: HttpResponse): URL | undefined {
  const location = response.headers.location;
  const followed = request.method === 'GET' || request.method === 'HEAD';
  if (!followed || location === undefined || !REDIRECTS.includes(response.status)) return undefined;
  const target = URL.canParse(location, response.url.href) ? new URL(location, response.url.href) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    throw unreachable(request, 'it redirects to something that is no web address', {});
  }
  if (request.url.protocol === 'https:' && target.protocol === 'http:') {
    throw unreachable(request, `it redirects from https to http (${target.host})`, {});
  }
  return target;
}

/** Credentials were meant for the first host only; the storage behind it refuses or leaks them. */
function redirected(request: HttpRequest, url: URL): HttpRequest {
  if (url.origin === request.url.origin) return { ...request, url };
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...request, url, headers: Object.fromEntries(headers) };
}

const TLS_TRUST: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** What the signal of the caller says, if that is the cause; else that the host could not be reached. */
export function asTransportError(error: unknown, request: HttpRequest): Error {
  const cause: unknown = request.signal?.aborted === true ? request.signal.reason : error;
  if (cause instanceof KubepkgError || (cause instanceof Error && cause !== error)) return cause;
  const code = codeOf(error);
  const reason = error instanceof Error && error.message !== '' ? error.message : code;
  return unreachable(request, reason, { cause: error, hint: remedyOf(code) });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function remedyOf(code: string): string {
  if (TLS_TRUST.includes(code)) return 'name the certificate authority of the registry with --registry-ca-file';
  if (code === 'EPROTO') return 'it may speak plain HTTP: allow that explicitly if so';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'check the host name and the DNS';
  return 'check that the host can be reached from here';
}

function unreachable(request: HttpRequest, reason: string, details: { cause?: unknown; hint?: string }): KubepkgError {
  return new KubepkgError('RegistryUnreachable', `${request.subject}: ${request.url.host} failed: ${reason}`, details);
}
