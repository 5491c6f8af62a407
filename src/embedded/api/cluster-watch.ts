import { asKubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { trimObject } from '../../api/trim-object.ts';
import type { Selection, Subscription, WatchEvent } from '../../ports/cluster.ts';
import type { Clock, Timer } from '../../ports/system.ts';
import type { StoreEvent, Watching } from '../model/api.ts';

export interface ClusterWatchOptions {
  readonly clock: Clock;
  readonly selection: Selection;
  readonly onEvent: (event: WatchEvent) => void;
  readonly open: (onEvent: (event: StoreEvent) => void, onEnd: () => void) => Watching;
  readonly asError: (error: unknown) => unknown;
}

/** A kind that comes with a new definition is looked for so often. */
const RETRY_MS = 500;

/** A watch that lasts: opened again while the kind is not served, and when it was not for a while. */
export class ClusterWatch implements Subscription {
  readonly #options: ClusterWatchOptions;
  /** By name: what was delivered, so that a new beginning tells only what is new or gone. */
  readonly #known = new Map<string, KubeObject>();
  readonly #queue: WatchEvent[] = [];
  #delivering = false;
  #stopped = false;
  #watching: Watching | undefined;
  #timer: Timer | undefined;

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
    this.#open();
  }

  stop(): void {
    this.#stopped = true;
    this.#watching?.stop();
    this.#timer?.cancel();
  }

  #open(): void {
    const seen = new Set<string>();
    let listed = false;
    try {
      this.#watching = this.#options.open(
        (event) => {
          if (!listed && 'metadata' in event.object) seen.add(keyOf(event.object as KubeObject));
          this.#take(event);
        },
        () => {
          this.#watching?.stop();
          this.#retry();
        },
      );
    } catch (error) {
      this.#push({ type: 'disturbed', error: asKubepkgError(this.#options.asError(error)) });
      this.#retry();
      return;
    }
    listed = true;
    for (const [key, object] of this.#known) if (!seen.has(key)) this.#gone(object);
    this.#push({ type: 'synced' });
  }

  #retry(): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.after(RETRY_MS, () => {
      this.#open();
    });
  }

  #take(event: StoreEvent): void {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') return;
    const object = this.#shown(event.object);
    if (event.type === 'DELETED') {
      this.#gone(object);
      return;
    }
    const known = this.#known.get(keyOf(object));
    const { uid, resourceVersion } = object.metadata;
    if (known?.metadata.uid === uid && known?.metadata.resourceVersion === resourceVersion) return;
    if (known !== undefined && known.metadata.uid !== uid) this.#gone(known);
    this.#known.set(keyOf(object), object);
    this.#push({ type: 'set', object });
  }

  #gone(object: KubeObject): void {
    if (this.#known.delete(keyOf(object))) this.#push({ type: 'gone', object });
  }

  #shown(object: KubeObject): KubeObject {
    const trimmed = trimObject(object);
    if (this.#options.selection.metadataOnly !== true) return trimmed;
    const { apiVersion, kind, metadata } = trimmed;
    return { apiVersion, kind, metadata };
  }

  /** Never before the call that caused it has returned. */
  #push(event: WatchEvent): void {
    this.#queue.push(event);
    if (this.#delivering) return;
    this.#delivering = true;
    queueMicrotask(() => {
      this.#deliver();
    });
  }

  #deliver(): void {
    try {
      for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
        if (!this.#stopped) this.#options.onEvent(event);
      }
    } finally {
      this.#delivering = false;
    }
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
