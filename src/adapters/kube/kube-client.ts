import { isCode, KubepkgError } from '../../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef } from '../../api/kube.ts';
import { asString, at } from '../../lib/json.ts';
import type {
  Cluster,
  LogRequest,
  ObjectList,
  Selection,
  ServedKind,
  Subscription,
  WatchEvent,
  WriteRequest,
} from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import type { HttpStream } from './exchange.ts';
import { objectOf, type Page, pageOf, writtenObject } from './objects.ts';
import { parseJson } from './parse-json.ts';
import { objectPath, withQuery } from './paths.ts';
import {
  doingList,
  doingWrite,
  listRequest,
  readRequest,
  targetOf,
  type WatchFrom,
  watchRequest,
  writeRequest,
} from './requests.ts';
import { Rest } from './rest.ts';
import type { Transport } from './transport.ts';
import { Watch } from './watch.ts';

export interface KubeClientOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Groups whose objects are written with `fieldValidation=Strict`. */
  readonly strictGroups?: readonly string[];
  /** Gets what an event handler of a watch throws; without it the error ends the process, as any uncaught one does. */
  readonly onError?: (error: unknown) => void;
}

export interface ServerVersion {
  readonly gitVersion: string;
  readonly major: string;
  readonly minor: string;
}

/** One Kubernetes API server. Objects are the server's JSON, with nothing lost. */
export class KubeClient implements Cluster {
  readonly #transport: Transport;
  readonly #rest: Rest;
  readonly #clock: Clock;
  readonly #strictGroups: ReadonlySet<string>;
  readonly #onError: (error: unknown) => void;
  readonly #watches = new Set<Watch>();

  constructor(options: KubeClientOptions) {
    this.#transport = options.transport;
    this.#rest = new Rest(options.transport, options.clock);
    this.#clock = options.clock;
    this.#strictGroups = new Set(options.strictGroups);
    this.#onError = options.onError ?? throwUncaught;
  }

  async read(ref: ObjectRef, options: { readonly metadataOnly?: boolean } = {}): Promise<KubeObject | undefined> {
    const request = readRequest(ref, await this.#rest.place(ref), options.metadataOnly === true);
    const answer = await this.#rest.jsonOrAbsent(ref, { what: `read ${nameOf(ref)}` }, request);
    return answer === undefined ? undefined : objectOf(ref, answer);
  }

  async list(selection: Selection): Promise<ObjectList> {
    try {
      return await this.#listAll(selection);
    } catch (error) {
      // All pages are of one moment, which the server may forget before the last one is read.
      if (!isCode(error, 'ApiExpired')) throw error;
      return this.#listAll(selection);
    }
  }

  async write(request: WriteRequest): Promise<KubeObject> {
    const target = targetOf(request);
    const place = await this.#rest.place(target);
    const http = writeRequest(request, place, { fieldValidation: this.#fieldValidation(target) });
    return writtenObject(target, await this.#rest.json(target, doingWrite(request), http));
  }

  watch(selection: Selection, onEvent: (event: WatchEvent) => void): Subscription {
    const watch = new Watch({
      selection,
      clock: this.#clock,
      source: {
        page: (token) => this.#page(selection, token),
        open: (from) => this.#open(selection, from),
      },
      onEvent,
      onError: this.#onError,
      onStop: () => this.#watches.delete(watch),
    });
    this.#watches.add(watch);
    watch.start();
    return watch;
  }

  served(apiVersion: string, kind?: string): Promise<ServedKind | undefined> {
    return this.#rest.served(apiVersion, kind);
  }

  async logs({ namespace, pod, container, previous, tailLines, limitBytes }: LogRequest): Promise<string | undefined> {
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name: pod };
    const path = objectPath(ref, { plural: 'pods', namespaced: true }, 'log');
    const query = {
      container,
      tailLines: String(tailLines),
      limitBytes: String(limitBytes),
      previous: previous === true ? 'true' : undefined,
    };
    try {
      return await this.#rest.text(withQuery(path, query), { what: `read the log of ${nameOf(ref)}` });
    } catch (error) {
      // The pod is gone, or (a bad request) its container has not written anything yet.
      if (isCode(error, 'ApiNotFound', 'ApiInvalid')) return undefined;
      throw error;
    }
  }

  async serverVersion(): Promise<ServerVersion> {
    const answer = parseJson(await this.#rest.text('/version', { what: 'read the version of the API server' }));
    const gitVersion = asString(at(answer, 'gitVersion'));
    if (gitVersion === undefined) throw new KubepkgError('ApiServerError', 'the API server states no version');
    return { gitVersion, major: asString(at(answer, 'major')) ?? '', minor: asString(at(answer, 'minor')) ?? '' };
  }

  /** Stops every watch and closes every connection. */
  close(): void {
    for (const watch of [...this.#watches]) watch.stop();
    this.#transport.close();
  }

  async #listAll(selection: Selection): Promise<ObjectList> {
    const items: KubeObject[] = [];
    for (let token: string | undefined; ; ) {
      const page = await this.#page(selection, token);
      items.push(...page.items);
      token = page.next;
      if (token === undefined) return { items, resourceVersion: page.resourceVersion };
    }
  }

  async #page(selection: Selection, token: string | undefined): Promise<Page> {
    const request = listRequest(selection, await this.#rest.place(selection), token);
    return pageOf(selection, await this.#rest.json(selection, doingList(selection, 'list'), request));
  }

  async #open(selection: Selection, from: WatchFrom): Promise<HttpStream> {
    const request = watchRequest(selection, await this.#rest.place(selection), from);
    return this.#rest.stream(selection, doingList(selection, 'watch'), request);
  }

  #fieldValidation(target: ObjectRef): string | undefined {
    const slash = target.apiVersion.indexOf('/');
    return this.#strictGroups.has(target.apiVersion.slice(0, Math.max(0, slash))) ? 'Strict' : undefined;
  }
}

function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
