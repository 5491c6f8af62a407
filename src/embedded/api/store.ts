import type { StoredMeta, StoredObject } from '../model/object.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Key of the kind in storage. */
  readonly kind: string;
  readonly revision: number;
  readonly before: StoredObject | undefined;
  /** Of DELETED: as it was, with the resource version of its end. */
  readonly object: StoredObject;
}

/** A change by itself: what was there before, whoever repeats it knows. */
export type StoredChange = Omit<Change, 'before'>;

/** Everything that is stored, by the key of its kind; objects as they are, their versions included. */
export interface StoredContent {
  readonly revision: number;
  readonly objects: readonly (readonly [kind: string, objects: readonly StoredObject[]])[];
}

type Listener = (change: Change) => void;

interface Shelf {
  readonly objects: Map<string, StoredObject>;
  /** Sorted as etcd sorts them. */
  readonly keys: string[];
  readonly listeners: Set<Listener>;
}

interface Notice {
  readonly shelf: Shelf;
  readonly listener: Listener;
  readonly change: Change;
}

export interface StoreOptions {
  /** How many changes are remembered, for watches that resume and lists that go on. */
  readonly history: number;
  /** What is there from the beginning; changes before it are not remembered. */
  readonly content?: StoredContent | undefined;
}

/** All objects under one growing resource version, and the latest changes. */
export class Store {
  readonly #shelves = new Map<string, Shelf>();
  readonly #history: Change[] = [];
  readonly #limit: number;
  readonly #notices: Notice[] = [];
  readonly #observers = new Set<(change: StoredChange) => void>();
  #telling = false;
  #revision = 1;
  /** Of the newest change that is no longer remembered. */
  #forgotten = 0;

  constructor({ history, content }: StoreOptions) {
    this.#limit = history;
    if (content === undefined) return;
    this.#revision = content.revision;
    this.#forgotten = content.revision;
    for (const [kind, objects] of content.objects) {
      const shelf = this.#shelf(kind);
      for (const object of objects) shelf.objects.set(keyOf(object.metadata), object);
      shelf.keys.push(...[...shelf.objects.keys()].sort());
    }
  }

  content(): StoredContent {
    const objects = [...this.#shelves].map(([kind, shelf]) => [kind, [...shelf.objects.values()]] as const);
    return { revision: this.#revision, objects };
  }

  get revision(): number {
    return this.#revision;
  }

  get(kind: string, key: string): StoredObject | undefined {
    return this.#shelves.get(kind)?.objects.get(key);
  }

  count(kind: string): number {
    return this.#shelves.get(kind)?.objects.size ?? 0;
  }

  /** In the order of their keys; `namespace` empty or absent: all. */
  all(kind: string, namespace = ''): readonly StoredObject[] {
    const shelf = this.#shelves.get(kind);
    return shelf === undefined ? [] : objectsOf(shelf, namespace);
  }

  /** As `all`, at an earlier revision; undefined when that is too long ago. */
  allAt(kind: string, namespace: string, revision: number): readonly StoredObject[] | undefined {
    const changes = this.since(kind, revision);
    if (changes === undefined) return undefined;
    if (changes.length === 0) return this.all(kind, namespace);
    const objects = new Map(this.all(kind).map((object) => [keyOf(object.metadata), object]));
    for (const { before, object } of changes.toReversed()) {
      if (before === undefined) objects.delete(keyOf(object.metadata));
      else objects.set(keyOf(object.metadata), before);
    }
    const sorted = [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return namespace === '' ? sorted : sorted.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** What changed after a revision; undefined when not all of that is remembered. */
  since(kind: string, revision: number): readonly Change[] | undefined {
    if (revision < this.#forgotten) return undefined;
    const start = this.#firstAfter(revision);
    return this.#history.slice(start).filter((change) => change.kind === kind);
  }

  get oldest(): number {
    return this.#forgotten;
  }

  /** Stores it with a new resource version. */
  put(kind: string, object: StoredObject): StoredObject {
    const isNew = this.get(kind, keyOf(object.metadata)) === undefined;
    const next = this.#stamped(object);
    this.#change({ type: isNew ? 'ADDED' : 'MODIFIED', kind, revision: this.#revision, object: next });
    return next;
  }

  remove(kind: string, object: StoredObject): StoredObject {
    const isThere = this.get(kind, keyOf(object.metadata)) !== undefined;
    const last = this.#stamped(object);
    if (isThere) this.#change({ type: 'DELETED', kind, revision: this.#revision, object: last });
    return last;
  }

  /** A change of another store, which held the same before: with the resource version that it had there. */
  repeat(change: StoredChange): void {
    this.#revision = change.revision;
    this.#change(change);
  }

  /** Told of every change of any kind, when it is made, until the returned function is called. */
  observe(observer: (change: StoredChange) => void): () => void {
    this.#observers.add(observer);
    return () => {
      this.#observers.delete(observer);
    };
  }

  /** Told of every change of a kind, in order, until the returned function is called. */
  listen(kind: string, listener: Listener): () => void {
    const { listeners } = this.#shelf(kind);
    // A function of its own, so that one that listens twice is told twice.
    const own: Listener = (change) => {
      listener(change);
    };
    listeners.add(own);
    return () => {
      listeners.delete(own);
    };
  }

  #change(change: StoredChange): void {
    const { type, kind, revision, object } = change;
    const key = keyOf(object.metadata);
    const shelf = this.#shelf(kind);
    const before = shelf.objects.get(key);
    const place = firstNotBelow(shelf.keys, key);
    if (type === 'DELETED') {
      shelf.keys.splice(place, 1);
      shelf.objects.delete(key);
    } else {
      if (before === undefined) shelf.keys.splice(place, 0, key);
      shelf.objects.set(key, object);
    }
    for (const observer of this.#observers) observer(change);
    this.#tell(shelf, { type, kind, revision, before, object });
  }

  #shelf(kind: string): Shelf {
    const known = this.#shelves.get(kind);
    if (known !== undefined) return known;
    const shelf: Shelf = { objects: new Map(), keys: [], listeners: new Set() };
    this.#shelves.set(kind, shelf);
    return shelf;
  }

  #stamped(object: StoredObject): StoredObject {
    this.#revision += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
  }

  /** A listener may write: what that changes is told after what is being told, so that all see one order. */
  #tell(shelf: Shelf, change: Change): void {
    this.#remember(change);
    for (const listener of shelf.listeners) this.#notices.push({ shelf, listener, change });
    if (this.#telling) return;
    this.#telling = true;
    try {
      for (let notice = this.#notices.shift(); notice !== undefined; notice = this.#notices.shift()) {
        if (notice.shelf.listeners.has(notice.listener)) notice.listener(notice.change);
      }
    } finally {
      this.#telling = false;
    }
  }

  #remember(change: Change): void {
    this.#history.push(change);
    // A tenth at once, as each removal moves all the rest.
    if (this.#history.length <= this.#limit * 1.1) return;
    const dropped = this.#history.splice(0, this.#history.length - this.#limit);
    this.#forgotten = dropped.at(-1)?.revision ?? this.#forgotten;
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#history[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

export function keyOf(meta: Pick<StoredMeta, 'name' | 'namespace'>): string {
  return `${meta.namespace ?? ''}/${meta.name}`;
}

function objectsOf(shelf: Shelf, namespace: string): readonly StoredObject[] {
  if (namespace === '') return [...keyed(shelf, shelf.keys)];
  const prefix = `${namespace}/`;
  const start = firstNotBelow(shelf.keys, prefix);
  // `0` follows `/` in the order of characters.
  const end = firstNotBelow(shelf.keys, `${namespace}0`);
  return [...keyed(shelf, shelf.keys.slice(start, end))];
}

function* keyed(shelf: Shelf, keys: readonly string[]): Iterable<StoredObject> {
  for (const key of keys) {
    const object = shelf.objects.get(key);
    if (object !== undefined) yield object;
  }
}

function firstNotBelow(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
