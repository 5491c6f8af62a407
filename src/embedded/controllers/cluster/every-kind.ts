import type { EmbeddedApi } from '../../model/api.ts';
import type { StoredOwner } from '../../model/object.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import { unless } from '../kit/hand.ts';
import type { Cache, Change, Informers } from '../kit/informers.ts';
import { type Kind, kindKey } from '../kit/kinds.ts';

export interface ServedKind extends Kind {
  readonly namespaced: boolean;
}

export type KindListener = (kind: ServedKind, change: Change) => void;

/** All kinds that are served, those of definitions that come later too, each in one of its versions. */
export class EveryKind {
  readonly #api: EmbeddedApi;
  readonly #informers: Informers;
  readonly #kinds = new Map<string, ServedKind>();
  readonly #heard = new Set<string>();
  readonly #listeners: KindListener[] = [];

  constructor(api: EmbeddedApi, informers: Informers) {
    this.#api = api;
    this.#informers = informers;
  }

  listen(listener: KindListener): void {
    this.#listeners.push(listener);
  }

  kinds(): readonly ServedKind[] {
    return [...this.#kinds.values()];
  }

  cacheOf(kind: Kind): Cache {
    return this.#informers.of(kind);
  }

  /** Whether an owner is there, in its own namespace or that of what it owns. */
  look(
    { apiVersion, kind, name, uid }: StoredOwner,
    namespace: string | undefined,
  ): 'there' | 'missing' | 'not served' {
    const resource = this.#api.resources().find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
    if (resource === undefined) return 'not served';
    const { group, version, plural, namespaced } = resource;
    const target = { group, version, plural, name, ...(namespaced ? { namespace } : {}) };
    const found = unless('NotFound', () => this.#api.get(target));
    return found?.metadata.uid === uid ? 'there' : 'missing';
  }

  /** Looks which kinds are served now; the new ones are watched from then on. */
  refresh(): void {
    const served = new Map<string, ServedKind>();
    for (const resource of this.#api.resources()) {
      const key = kindKey(resource);
      if (isWatched(resource) && !served.has(key)) served.set(key, this.#kinds.get(key) ?? kindOf(resource));
    }
    for (const [key, kind] of this.#kinds) {
      if (served.has(key) && this.#api.resource(kind) !== undefined) continue;
      this.#kinds.delete(key);
      this.#informers.drop(kind);
    }
    for (const [key, kind] of served) {
      this.#kinds.set(key, kind);
      this.#hear(key, kind);
      this.#informers.watch(kind);
    }
  }

  #hear(key: string, kind: ServedKind): void {
    if (this.#heard.has(key)) return;
    this.#heard.add(key);
    this.#informers.of(kind).listen((change) => {
      for (const listener of this.#listeners) listener(this.#kinds.get(key) ?? kind, change);
    });
  }
}

/** What only answers, or is written too often to own anything, is left out. */
function isWatched({ verbs, group, plural }: Resource): boolean {
  const isEvent = plural === 'events' && (group === '' || group === 'events.k8s.io');
  return !isEvent && ['list', 'watch', 'delete'].every((verb) => verbs.some((each) => each === verb));
}

function kindOf({ group, version, plural, kind, namespaced }: Resource): ServedKind {
  return { group, version, plural, kind, namespaced };
}
