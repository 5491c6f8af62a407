import type { KubeObject } from '../../api/kube.ts';
import type { WatchEvent } from '../../ports/cluster.ts';

interface Known {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** What a watch has delivered, kept by name alone, so that a relist says what changed and what went. */
export class KnownObjects {
  readonly #kind: { readonly apiVersion: string; readonly kind: string };
  readonly #known = new Map<string, Known>();

  constructor(kind: { readonly apiVersion: string; readonly kind: string }) {
    this.#kind = kind;
  }

  /** The events for an object that exists: none when it is known as it is. */
  present(object: KubeObject): readonly WatchEvent[] {
    const key = keyOf(object);
    const { uid, resourceVersion } = object.metadata;
    const known = this.#known.get(key);
    if (known?.uid === uid && known?.resourceVersion === resourceVersion && known !== undefined) return [];
    this.#known.set(key, { uid, resourceVersion });
    const set: WatchEvent = { type: 'set', object };
    return known === undefined || known.uid === uid ? [set] : [this.#goneByName(key, known), set];
  }

  absent(object: KubeObject): readonly WatchEvent[] {
    return this.#known.delete(keyOf(object)) ? [{ type: 'gone', object }] : [];
  }

  /** After a complete list: what is not among these names has gone unseen. */
  keepOnly(keys: ReadonlySet<string>): readonly WatchEvent[] {
    const events: WatchEvent[] = [];
    for (const [key, known] of this.#known) {
      if (keys.has(key)) continue;
      this.#known.delete(key);
      events.push(this.#goneByName(key, known));
    }
    return events;
  }

  #goneByName(key: string, known: Known): WatchEvent {
    const slash = key.indexOf('/');
    const namespace = key.slice(0, slash);
    const { uid, resourceVersion } = known;
    const metadata = {
      name: key.slice(slash + 1),
      ...(namespace === '' ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    return { type: 'gone', object: { ...this.#kind, metadata } };
  }
}

export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}
