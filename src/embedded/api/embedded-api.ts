import type { Clock } from '../../ports/system.ts';
import type {
  Admission,
  DeleteOptions,
  EmbeddedApi,
  ListOptions,
  LogAnswer,
  LogOptions,
  LogSource,
  ObjectPage,
  Patch,
  ResourceName,
  StoreEvent,
  Target,
  ObjectWatch,
  WatchOptions,
  WriteOptions,
  Written,
} from '../model/api.ts';
import type { JsonMap, StoredObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { Addresses } from './addresses.ts';
import type { Random } from './chance.ts';
import type { Core } from './core.ts';
import { deleteObject } from './delete.ts';
import { createInitialObjects } from './initial-objects.ts';
import { Kinds } from './kinds.ts';
import { listObjects } from './list.ts';
import { readLog } from './log.ts';
import { goOn, repeated, takeOver } from './rules/rules.ts';
import { getAt, patchAt, postAt, putAt } from './dispatch.ts';
import { Store, type StoredChange, type StoredContent } from './store.ts';
import { watchObjects } from './watch-objects.ts';

export interface EmbeddedApiOptions {
  readonly clock: Clock;
  /** Numbers from 0 up to 1, for uids and names. */
  readonly random: Random;
  /** How many changes are remembered; those before are "too old resource version". */
  readonly history?: number;
  /** What `builtInResources()` gives: worth sharing where many are made. */
  readonly resources?: readonly Resource[] | undefined;
  /** What another one held. */
  readonly content?: StoredContent | undefined;
  readonly logs?: LogSource;
  /** Called with everything that is about to be written: refuses by throwing a StatusError, as a webhook would. */
  readonly admit?: (request: Admission) => void;
}

/** One whose content can be taken over to another one, and what is done to it as well. */
export interface StoringApi extends EmbeddedApi {
  content(): StoredContent;
  /** The resource version of the newest change. */
  revision(): number;
  /** Told of every change when it is made, until the returned function is called. */
  observe(observer: (change: StoredChange) => void): () => void;
  /** Makes a change that another one has made to the same content: nothing of its own follows from it. */
  repeat(change: StoredChange): void;
  /** What the other one was about, this one finishes. */
  goOn(): void;
}

const HISTORY = 10_000;

/**
 * An API server in memory. It calls no webhooks: versions of custom kinds differ in their name alone, whatever their
 * conversion says, and `admit` stands for what would be refused. Everybody may do everything. Pods get no tokens, and
 * neither LimitRanges nor the age of Events mean anything to it.
 */
export function createEmbeddedApi(options: EmbeddedApiOptions): StoringApi {
  const api = new MemoryApi(options);
  if (options.content === undefined) createInitialObjects(api);
  return api;
}

function nothing(): void {
  // Without a hook everything is admitted.
}

class MemoryApi implements StoringApi {
  readonly #core: Core;
  readonly #logs: LogSource | undefined;

  constructor({ clock, random, history = HISTORY, resources, content, logs, admit = nothing }: EmbeddedApiOptions) {
    const store = new Store({ history, content });
    const kinds = new Kinds(resources);
    const addresses = new Addresses();
    this.#core = { store, kinds, clock, random, addresses, unseen: new Map(), api: this, admit };
    this.#logs = logs;
    if (content !== undefined) takeOver(this.#core);
  }

  content(): StoredContent {
    return this.#core.store.content();
  }

  revision(): number {
    return this.#core.store.revision;
  }

  observe(observer: (change: StoredChange) => void): () => void {
    return this.#core.store.observe(observer);
  }

  repeat(change: StoredChange): void {
    this.#core.store.repeat(change);
    repeated(this.#core, change);
  }

  goOn(): void {
    goOn(this.#core);
  }

  resources(): readonly Resource[] {
    return this.#core.kinds.all();
  }

  resource(name: ResourceName): Resource | undefined {
    return this.#core.kinds.find(name);
  }

  get(target: Target): StoredObject {
    return getAt(this.#core, target);
  }

  list(target: Target, options: ListOptions = {}): ObjectPage {
    return listObjects(this.#core, target, options);
  }

  create(target: Target, body: JsonMap, options: WriteOptions = {}): Written {
    return postAt(this.#core, { target, body, options });
  }

  update(target: Target, body: JsonMap, options: WriteOptions = {}): Written {
    return putAt(this.#core, { target, body, options });
  }

  patch(target: Target, patch: Patch, options: WriteOptions = {}): Written {
    return patchAt(this.#core, { target, patch, options });
  }

  delete(target: Target, options: DeleteOptions = {}): StoredObject {
    return deleteObject(this.#core, target, options);
  }

  deleteCollection(target: Target, options: DeleteOptions & ListOptions = {}): ObjectPage {
    const { limit: _limit, continue: _continue, ...selected } = options;
    const page = this.list(target, selected);
    for (const { metadata } of page.items) {
      const { name, namespace } = metadata;
      this.delete({ ...target, name, ...(namespace === undefined ? {} : { namespace }) }, options);
    }
    // As they were before.
    return { items: page.items, resourceVersion: page.resourceVersion };
  }

  watch(target: Target, options: WatchOptions, onEvent: (event: StoreEvent) => void): ObjectWatch {
    return watchObjects(this.#core, { target, options }, onEvent);
  }

  log(target: Target, options: LogOptions = {}): LogAnswer {
    return readLog(this.#core, this.#logs, { target, options });
  }
}
