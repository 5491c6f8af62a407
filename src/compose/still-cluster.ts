import { asKubepkgError, KubepkgError } from '../api/errors.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../api/kube.ts';
import { stableJson } from '../lib/stable-json.ts';
import type {
  Cluster,
  LogRequest,
  ObjectList,
  Selection,
  ServedKind,
  Subscription,
  WatchEvent,
  WriteRequest,
} from '../ports/cluster.ts';

type Listener = (event: WatchEvent) => void;

interface Picture {
  readonly selection: Selection;
  readonly list: Promise<ObjectList>;
}

/** From so many packages on, whole lists cost less than one question for each. */
export const MANY = 6;

/**
 * A cluster as it is at one moment, for whoever only looks: everything is asked for once, a watch tells what is there
 * and nothing more, and nothing is ever written; writes that only try are passed on where that is allowed. Objects may
 * be put in as they would be.
 */
export class StillCluster implements Cluster {
  readonly #cluster: Cluster;
  readonly #lists = new Map<string, Picture>();
  readonly #reads = new Map<string, Promise<KubeObject | undefined>>();
  readonly #served = new Map<string, Promise<ServedKind | undefined>>();
  readonly #put = new Map<string, KubeObject>();
  readonly #listeners = new Map<Listener, Selection>();
  readonly #telling = new Set<Promise<void>>();
  readonly #allowsTrials: boolean;

  constructor(cluster: Cluster, { allowsTrials = false }: { readonly allowsTrials?: boolean } = {}) {
    this.#cluster = cluster;
    this.#allowsTrials = allowsTrials;
  }

  /** From now on, lists that are part of this one cost nothing. Fails as the list does. */
  async take(selection: Selection): Promise<void> {
    await this.#picture(selection).list;
  }

  /** An object as it would be, seen by everybody from now on. */
  put(object: KubeObject): void {
    this.#put.set(refKey(refOf(object)), object);
    for (const [listener, selection] of this.#listeners) {
      if (isOfKind(object, selection)) listener({ type: 'set', object });
    }
  }

  /** Resolves once every watch that was begun has told what is there. */
  async settled(): Promise<void> {
    while (this.#telling.size > 0) await Promise.all(this.#telling);
  }

  read(ref: ObjectRef, options?: { readonly metadataOnly?: boolean }): Promise<KubeObject | undefined> {
    const key = refKey(ref);
    const known = this.#put.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const asked = `${key} ${String(options?.metadataOnly === true)}`;
    return remembered(this.#reads, asked, () => this.#find(ref, options));
  }

  async list(selection: Selection): Promise<ObjectList> {
    const { items, resourceVersion } = await this.#listed(selection);
    const isWithin = within(selection);
    const put = [...this.#put.values()].filter((object) => isOfKind(object, selection) && isWithin(object));
    if (put.length === 0) return { items, resourceVersion };
    const keys = new Set(put.map((object) => refKey(refOf(object))));
    return { items: [...items.filter((object) => !keys.has(refKey(refOf(object)))), ...put], resourceVersion };
  }

  write(request: WriteRequest): Promise<KubeObject> {
    if (this.#allowsTrials && request.dryRun === true) return this.#cluster.write(request);
    return Promise.reject(new KubepkgError('Internal', 'somebody who only looks was about to write'));
  }

  watch(selection: Selection, onEvent: Listener): Subscription {
    this.#listeners.set(onEvent, selection);
    const telling: Promise<void> = this.#tell(selection, onEvent).finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
    return {
      stop: () => {
        this.#listeners.delete(onEvent);
      },
    };
  }

  served(apiVersion: string, kind?: string): Promise<ServedKind | undefined> {
    return remembered(this.#served, `${apiVersion} ${kind ?? ''}`, () => this.#cluster.served(apiVersion, kind));
  }

  logs(request: LogRequest): Promise<string | undefined> {
    return this.#cluster.logs(request);
  }

  async #tell(selection: Selection, onEvent: Listener): Promise<void> {
    try {
      const { items } = await this.list(selection);
      if (!this.#listeners.has(onEvent)) return;
      for (const object of items) onEvent({ type: 'set', object });
      onEvent({ type: 'synced' });
    } catch (thrown) {
      onEvent({ type: 'disturbed', error: asKubepkgError(thrown) });
    }
  }

  /** In a list that is there, if it would be. */
  async #find(ref: ObjectRef, options?: { readonly metadataOnly?: boolean }): Promise<KubeObject | undefined> {
    const whole = [...this.#lists.values()].find(({ selection }) => holds(selection, ref));
    if (whole === undefined) return this.#cluster.read(ref, options);
    const { items } = await whole.list;
    return items.find((object) => refKey(refOf(object)) === refKey(ref));
  }

  async #listed(selection: Selection): Promise<ObjectList> {
    const wider = [...this.#lists.values()].find((picture) => isPartOf(selection, picture.selection));
    if (wider === undefined) return this.#picture(selection).list;
    const { items, resourceVersion } = await wider.list;
    return { items: items.filter(within(selection)), resourceVersion };
  }

  #picture(selection: Selection): Picture {
    const key = stableJson(selection);
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const picture = { selection, list: this.#cluster.list(selection) };
    this.#lists.set(key, picture);
    // What could not be listed is asked for again, or for a part of it.
    picture.list.catch(() => this.#lists.delete(key));
    return picture;
  }
}

function remembered<T>(memory: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const asked = ask();
  memory.set(key, asked);
  asked.catch(() => memory.delete(key));
  return asked;
}

function isOfKind(object: KubeObject, { apiVersion, kind }: Selection): boolean {
  return object.apiVersion === apiVersion && object.kind === kind;
}

/** The whole kind was listed, with all that its objects have. */
function holds(selection: Selection, { apiVersion, kind }: ObjectRef): boolean {
  const { namespace, labelSelector, fieldSelector, metadataOnly } = selection;
  const isWhole = [namespace, labelSelector, fieldSelector].every((part) => part === undefined);
  return isWhole && metadataOnly !== true && selection.apiVersion === apiVersion && selection.kind === kind;
}

/** Only what is told by equal labels and a namespace can be picked from a list without the server. */
function isPartOf(part: Selection, whole: Selection): boolean {
  const isSameKind = part.apiVersion === whole.apiVersion && part.kind === whole.kind;
  const isSameForm =
    part.fieldSelector === whole.fieldSelector && (part.metadataOnly === true || whole.metadataOnly !== true);
  if (!isSameKind || !isSameForm || whole.namespace !== undefined) return false;
  const terms = termsOf(part);
  return terms.every(isEquality) && termsOf(whole).every((term) => terms.includes(term));
}

/** Whether an object of the kind is one of those that are selected. */
function within(selection: Selection): (object: KubeObject) => boolean {
  const terms = termsOf(selection).map((term) => term.split('='));
  return ({ metadata }) => {
    if (selection.namespace !== undefined && metadata.namespace !== selection.namespace) return false;
    return terms.every(([name = '', value]) => {
      const label = metadata.labels?.[name];
      return value === undefined ? label !== undefined : label === value;
    });
  };
}

function termsOf({ labelSelector = '' }: Selection): readonly string[] {
  return labelSelector.split(',').filter((term) => term !== '');
}

/** `a=b` or `a`. */
function isEquality(term: string): boolean {
  return /^[\w./-]+(=[\w./-]*)?$/.test(term);
}
