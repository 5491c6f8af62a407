import { type ClientRequest, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isCode } from '../../api/errors.ts';
import type { Clock } from '../../ports/system.ts';
import type { ClusterAccess, Impersonation } from './access.ts';
import { AgentPool } from './agents.ts';
import type { CredentialSource, Credentials } from './credentials.ts';
import { type ExchangeOptions, exchange, exchangeHead, type HttpResponse, type HttpStream } from './exchange.ts';
import { isStaleSocket, networkError } from './network-errors.ts';
import { type Route, routeTo } from './route.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query. */
  readonly path: string;
  readonly accept?: string | undefined;
  readonly contentType?: string;
  readonly body?: string;
}

export interface TransportOptions {
  readonly access: ClusterAccess;
  readonly credentials: CredentialSource;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly maxSockets: number;
  readonly timeoutMs: number;
  /** Already found to apply to this server. */
  readonly proxy?: URL | undefined;
}

/** Requests to one server: connections are kept, credentials renewed once on a 401, nothing but a GET is ever sent twice. */
export class Transport {
  readonly #credentials: CredentialSource;
  readonly #route: Route;
  readonly #agents: AgentPool;
  readonly #exchange: ExchangeOptions;
  readonly #headers: OutgoingHttpHeaders;

  constructor(options: TransportOptions) {
    const { access, maxSockets } = options;
    const server = new URL(access.server);
    this.#credentials = options.credentials;
    this.#route = routeTo(server, options.proxy);
    const { secure, tunnel } = this.#route;
    this.#agents = new AgentPool({ secure, tls: access.tls, maxSockets, ...(tunnel === undefined ? {} : { tunnel }) });
    this.#exchange = { clock: options.clock, timeoutMs: options.timeoutMs, where: `at ${server.origin}` };
    this.#headers = {
      'user-agent': options.userAgent,
      ...this.#route.headers,
      ...impersonationHeaders(access.impersonate),
    };
  }

  /** The whole answer, of whatever status. */
  request(request: HttpRequest): Promise<HttpResponse> {
    return this.#authorized((credentials) => this.#requestOnce(request, credentials));
  }

  /** The answer's head; the body is left to the caller. */
  open(request: HttpRequest): Promise<HttpStream> {
    return this.#authorized(async (credentials) => {
      const call = this.#call(request, credentials, 'single');
      try {
        return await exchangeHead(call, request.body, this.#exchange);
      } catch (error) {
        throw networkError(this.#exchange.where, error);
      }
    });
  }

  /** Closes every connection. */
  close(): void {
    this.#agents.close();
  }

  async #authorized<T extends { readonly status: number }>(send: (credentials: Credentials) => Promise<T>): Promise<T> {
    const used = await this.#credentials.current();
    const answer = await send(used);
    if (answer.status !== 401 || !this.#credentials.renew(used)) return answer;
    return send(await this.#credentials.current());
  }

  async #requestOnce(request: HttpRequest, credentials: Credentials): Promise<HttpResponse> {
    for (;;) {
      const call = this.#call(request, credentials, 'pooled');
      try {
        return await exchange(call, request.body, this.#exchange);
      } catch (error) {
        if (isCode(error, 'ApiTimeout')) this.#agents.dropIdle();
        // Each round uses up a connection of the pool, so this ends. A write may have been carried out: it is not repeated.
        if (request.method !== 'GET' || !isStaleSocket(call, error)) throw networkError(this.#exchange.where, error);
      }
    }
  }

  #call(request: HttpRequest, credentials: Credentials, use: 'pooled' | 'single'): ClientRequest {
    const send = this.#route.secure ? httpsRequest : httpRequest;
    return send({
      host: this.#route.host,
      port: this.#route.port,
      path: `${this.#route.base}${request.path}`,
      method: request.method,
      agent: this.#agents.agent(use, credentials.certificate),
      headers: { ...this.#headers, ...requestHeaders(request, credentials) },
    });
  }
}

function requestHeaders(request: HttpRequest, credentials: Credentials): OutgoingHttpHeaders {
  const { authorization } = credentials;
  const { body } = request;
  return {
    accept: request.accept ?? 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined
      ? {}
      : { 'content-type': request.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
}

function impersonationHeaders(who: Impersonation | undefined): OutgoingHttpHeaders {
  if (who === undefined) return {};
  const extra = Object.entries(who.extra).map(([key, values]) => [`Impersonate-Extra-${headerKey(key)}`, [...values]]);
  return {
    'Impersonate-User': who.user,
    ...(who.uid === undefined ? {} : { 'Impersonate-Uid': who.uid }),
    ...(who.groups.length === 0 ? {} : { 'Impersonate-Group': [...who.groups] }),
    ...(Object.fromEntries(extra) as OutgoingHttpHeaders),
  };
}

/** Percent-encoded as client-go does it, since header names allow few characters. */
function headerKey(key: string): string {
  return encodeURIComponent(key).replace(/[()]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
