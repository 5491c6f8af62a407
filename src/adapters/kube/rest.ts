import type { ServedKind } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import { Discovery, notServed } from './discovery.ts';
import { type Doing, isUnknownPath, refusalError } from './errors.ts';
import { type HttpResponse, type HttpStream, readAll } from './exchange.ts';
import { parseJson } from './parse-json.ts';
import type { HttpRequest, Transport } from './transport.ts';

export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Requests about objects of a known kind; answers are JSON or an error of ours. */
export class Rest {
  readonly #transport: Transport;
  readonly #discovery: Discovery;

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#discovery = new Discovery((path) => transport.request({ method: 'GET', path }), clock);
  }

  served(apiVersion: string, kind?: string): Promise<ServedKind | undefined> {
    return kind === undefined ? this.#discovery.some(apiVersion) : this.#discovery.served(apiVersion, kind);
  }

  /** Where the kind is served; KindNotServed when it is not. */
  async place(kind: KindRef): Promise<ServedKind> {
    const served = await this.served(kind.apiVersion, kind.kind);
    if (served === undefined) throw notServed(kind.apiVersion, kind.kind);
    return served;
  }

  async json(kind: KindRef, doing: Doing, request: HttpRequest): Promise<unknown> {
    return this.#accept(kind, doing, await this.#transport.request(request));
  }

  /** As `json`; undefined when the object does not exist. */
  async jsonOrAbsent(kind: KindRef, doing: Doing, request: HttpRequest): Promise<unknown> {
    const response = await this.#transport.request(request);
    if (response.status === 404 && !isUnknownPath(response)) return undefined;
    return this.#accept(kind, doing, response);
  }

  async stream(kind: KindRef, doing: Doing, request: HttpRequest): Promise<HttpStream> {
    const stream = await this.#transport.open(request);
    if (stream.status === 200) return stream;
    return this.#refuse(kind, doing, await readAll(stream.message, 'while it refused a watch'));
  }

  async text(path: string, doing: Doing): Promise<string> {
    const response = await this.#transport.request({ method: 'GET', path, accept: '*/*' });
    if (response.status !== 200) throw refusalError(doing, response);
    return response.body;
  }

  #accept(kind: KindRef, doing: Doing, response: HttpResponse): unknown {
    if (response.status < 200 || response.status > 299) return this.#refuse(kind, doing, response);
    return parseJson(response.body);
  }

  #refuse(kind: KindRef, doing: Doing, response: HttpResponse): never {
    if (!isUnknownPath(response)) throw refusalError(doing, response);
    this.#discovery.forget(kind.apiVersion);
    throw notServed(kind.apiVersion, kind.kind);
  }
}
