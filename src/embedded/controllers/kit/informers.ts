import type { EmbeddedApi, ResourceName, StoreEvent, Watching } from '../../model/api.ts';
import type { StoredObject } from '../../model/object.ts';
import { kindKey } from './kinds.ts';
import { controllerOf, keyOf } from './read.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
  readonly before: StoredObject | undefined;
}

export type Listener = (change: Change) => void;

type ObjectsByKey = Map<string, StoredObject>;

/** All objects of a kind as they are now: a watch tells of every change before the call that made it returns. */
export class Cache {
  readonly #objects: ObjectsByKey = new Map();
  readonly #byNamespace = new Map<string, ObjectsByKey>();
  readonly #byController = new Map<string, ObjectsByKey>();
  readonly #listeners: Listener[] = [];

  all(): readonly StoredObject[] {
    return [...this.#objects.values()];
  }

  get(namespace: string, name: string): StoredObject | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  inNamespace(namespace: string): readonly StoredObject[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])];
  }

  /** Those that this object controls. */
  ownedBy(uid: string): readonly StoredObject[] {
    return [...(this.#byController.get(uid)?.values() ?? [])];
  }

  /** Those that nobody controls. */
  orphansIn(namespace: string): readonly StoredObject[] {
    return this.ownedBy(orphansKey(namespace));
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  see(event: StoreEvent): void {
    if (event.type === 'BOOKMARK') return;
    if (event.type === 'ERROR') throw new Error('a watch inside of the embedded cluster ended');
    const before = this.#objects.get(keyOf(event.object));
    if (before !== undefined) this.#forget(before, event.type === 'DELETED' ? undefined : event.object);
    if (event.type !== 'DELETED') this.#remember(event.object);
    for (const listener of this.#listeners) listener({ type: event.type, object: event.object, before });
  }

  #remember(object: StoredObject): void {
    const key = keyOf(object);
    this.#objects.set(key, object);
    within(this.#byNamespace, object.metadata.namespace ?? '').set(key, object);
    within(this.#byController, controllerKey(object)).set(key, object);
  }

  /** Places that the newer one takes again are kept, so that the order of a list does not change with each update. */
  #forget(before: StoredObject, next: StoredObject | undefined): void {
    const key = keyOf(before);
    const owner = controllerKey(before);
    const isSame = before.metadata.uid === next?.metadata.uid;
    if (next === undefined || !isSame || controllerKey(next) !== owner) without(this.#byController, owner, key);
    if (isSame) return;
    this.#objects.delete(key);
    without(this.#byNamespace, before.metadata.namespace ?? '', key);
  }
}

function controllerKey(object: StoredObject): string {
  return controllerOf(object)?.uid ?? orphansKey(object.metadata.namespace ?? '');
}

function orphansKey(namespace: string): string {
  return `/${namespace}`;
}

function within(index: Map<string, ObjectsByKey>, name: string): ObjectsByKey {
  const found = index.get(name) ?? new Map<string, StoredObject>();
  index.set(name, found);
  return found;
}

function without(index: Map<string, ObjectsByKey>, name: string, key: string): void {
  const found = index.get(name);
  found?.delete(key);
  if (found?.size === 0) index.delete(name);
}

/** One watch for each kind, however many controllers look at it. */
export class Informers {
  readonly #api: EmbeddedApi;
  readonly #caches = new Map<string, Cache>();
  readonly #watches = new Map<string, Watching>();
  readonly #kinds = new Map<string, ResourceName>();
  #started = false;

  constructor(api: EmbeddedApi) {
    this.#api = api;
  }

  of(kind: ResourceName): Cache {
    const key = kindKey(kind);
    const known = this.#caches.get(key);
    if (known !== undefined) return known;
    const cache = new Cache();
    this.#caches.set(key, cache);
    this.#kinds.set(key, kind);
    if (this.#started) this.watch(kind);
    return cache;
  }

  /** When all listeners are there: what exists comes as added. */
  start(): void {
    this.#started = true;
    for (const kind of [...this.#kinds.values()]) this.watch(kind);
  }

  /** A kind that came to be served. */
  watch(kind: ResourceName): void {
    const cache = this.of(kind);
    const key = kindKey(kind);
    if (this.#watches.has(key) || this.#api.resource(kind) === undefined) return;
    const { group, version, plural } = kind;
    this.#watches.set(
      key,
      this.#api.watch({ group, version, plural }, {}, (event) => cache.see(event)),
    );
  }

  /** No longer served: whoever comes next under this name is watched afresh. */
  drop(kind: ResourceName): void {
    const key = kindKey(kind);
    this.#watches.get(key)?.stop();
    this.#watches.delete(key);
  }

  stop(): void {
    for (const watch of this.#watches.values()) watch.stop();
    this.#watches.clear();
  }
}
