import { asKubepkgError, isCode, KubepkgError } from '../../api/errors.ts';
import { trimObject } from '../../api/trim-object.ts';
import { type BackoffPolicy, backoffDelay } from '../../lib/backoff.ts';
import { asString, at } from '../../lib/json.ts';
import type { Selection, Subscription, WatchEvent } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import { statusError } from './errors.ts';
import type { HttpStream } from './exchange.ts';
import { followLines } from './follow-lines.ts';
import { KnownObjects, keyOf } from './known-objects.ts';
import { objectOf, type Page } from './objects.ts';
import { parseJson } from './parse-json.ts';
import { doingList, type WatchFrom } from './requests.ts';

export interface WatchSource {
  page(token: string | undefined): Promise<Page>;
  open(from: WatchFrom): Promise<HttpStream>;
}

export interface WatchOptions {
  readonly selection: Selection;
  readonly clock: Clock;
  readonly source: WatchSource;
  onEvent(event: WatchEvent): void;
  /** Gets what `onEvent` throws; the watch goes on. */
  onError(error: unknown): void;
  onStop(): void;
}

/** Bookmarks come about every minute. */
const IDLE_MS = 120_000;
const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** A stream that lasted so long works, though nothing came. */
const SETTLED_MS = 1500;
/** Before a stream that worked is resumed. */
const RESUME_MS = 50;
const BACKOFF: BackoffPolicy = { baseMs: 500, maxMs: 30_000 };
/** A kind that comes with a new CRD is noticed soon; the question is one small request. */
const NOT_SERVED_BACKOFF: BackoffPolicy = { baseMs: 500, maxMs: 2000 };
/** Failures after which the resource version itself is doubted, as after a restored etcd. */
const RELIST_AFTER = 3;

/** List, then watch, resumed from the last resource version after every fault, until stopped. */
export class Watch implements Subscription {
  readonly #options: WatchOptions;
  readonly #known: KnownObjects;
  readonly #stop = new AbortController();
  #resourceVersion: string | undefined;
  #failures = 0;
  /** The stream at hand has shown that it works. */
  #worked = false;
  #disturbed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#known = new KnownObjects({ apiVersion: options.selection.apiVersion, kind: options.selection.kind });
  }

  start(): void {
    this.#run().catch((error: unknown) => {
      this.#options.onError(error);
    });
  }

  stop(): void {
    if (this.#isStopped()) return;
    this.#stop.abort();
    this.#options.onStop();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped()) {
      const error = await this.#attempt();
      if (!this.#isStopped()) await this.#pause(this.#nextPause(error));
    }
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Lists when it must, then follows one stream to its end; the error says how that end came, if not politely. */
  async #attempt(): Promise<KubepkgError | undefined> {
    this.#worked = false;
    try {
      const from = this.#resourceVersion ?? (await this.#relist());
      if (this.#isStopped()) return undefined;
      await this.#follow(from);
      return undefined;
    } catch (error) {
      return asKubepkgError(error);
    }
  }

  async #relist(): Promise<string> {
    const keys = new Set<string>();
    for (let token: string | undefined; ; ) {
      const page = await this.#options.source.page(token);
      for (const item of page.items) {
        keys.add(keyOf(item));
        this.#emitAll(this.#known.present(trimObject(item)));
      }
      token = page.next;
      if (token !== undefined) continue;
      this.#emitAll(this.#known.keepOnly(keys));
      this.#resourceVersion = page.resourceVersion;
      this.#synced();
      return page.resourceVersion;
    }
  }

  async #follow(resourceVersion: string): Promise<void> {
    const { clock, source } = this.#options;
    const timeoutSeconds = 240 + Math.floor(clock.random() * 61);
    const stream = await source.open({ resourceVersion, timeoutSeconds });
    const settled = clock.after(SETTLED_MS, () => {
      this.#settled();
    });
    try {
      await followLines(stream, {
        clock,
        signal: this.#stop.signal,
        idleMs: IDLE_MS,
        maxLineBytes: MAX_LINE_BYTES,
        onLine: (line) => {
          this.#takeLine(line);
        },
      });
    } finally {
      settled.cancel();
    }
  }

  #takeLine(line: string): void {
    const event = parseJson(line);
    const type = asString(at(event, 'type'));
    const object = at(event, 'object');
    if (type === 'ERROR') throw statusError(doingList(this.#options.selection, 'watch'), object);
    if (type !== 'BOOKMARK') this.#deliver(type, object);
    const resourceVersion = asString(at(object, 'metadata', 'resourceVersion'));
    if (resourceVersion !== undefined) this.#resourceVersion = resourceVersion;
    this.#worked = true;
  }

  #deliver(type: string | undefined, json: unknown): void {
    const object = trimObject(objectOf(this.#options.selection, json));
    this.#emitAll(type === 'DELETED' ? this.#known.absent(object) : this.#known.present(object));
  }

  /** What had piled up while the watch was down has been delivered by now. */
  #settled(): void {
    this.#worked = true;
    if (this.#disturbed) this.#synced();
  }

  #synced(): void {
    this.#disturbed = false;
    this.#emit({ type: 'synced' });
  }

  #nextPause(error: KubepkgError | undefined): number {
    if (isCode(error, 'ApiExpired')) this.#resourceVersion = undefined;
    if (this.#worked) this.#failures = 0;
    if (this.#worked && isOrdinaryEnd(error)) return RESUME_MS;
    this.#failures += 1;
    if (this.#failures >= RELIST_AFTER) this.#resourceVersion = undefined;
    this.#disturbed = true;
    this.#emit({ type: 'disturbed', error: error ?? endedAtOnce(this.#options.selection) });
    const policy = isCode(error, 'KindNotServed') ? NOT_SERVED_BACKOFF : BACKOFF;
    return Math.max(error?.retryAfterMs ?? 0, backoffDelay(policy, this.#failures, this.#options.clock.random()));
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#options.clock.after(ms, done);
      signal.addEventListener('abort', done);
    });
  }

  #emitAll(events: readonly WatchEvent[]): void {
    for (const event of events) this.#emit(event);
  }

  #emit(event: WatchEvent): void {
    if (this.#isStopped()) return;
    try {
      this.#options.onEvent(event);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

/** Ends that every watch meets now and then: the server's own limit, a cut connection, a compacted history. */
function isOrdinaryEnd(error: KubepkgError | undefined): boolean {
  return error === undefined || isCode(error, 'ApiUnreachable', 'ApiTimeout', 'ApiExpired');
}

function endedAtOnce(selection: Selection): KubepkgError {
  const { what } = doingList(selection, 'watch');
  return new KubepkgError('ApiServerError', `cannot ${what}: the API server ended it at once`);
}
