import { type KubeObject, nameOf, refOf } from '../../src/api/kube.ts';
import type { Cluster, Selection, Subscription, WatchEvent } from '../../src/ports/cluster.ts';

interface Waiting {
  readonly holds: (events: readonly WatchEvent[]) => boolean;
  readonly resolve: () => void;
}

/** Keeps what a watch delivers, and tells when it has delivered enough. */
export class WatchRecorder {
  readonly events: WatchEvent[] = [];
  readonly #subscription: Subscription;
  readonly #waiting = new Set<Waiting>();

  constructor(cluster: Cluster, selection: Selection) {
    this.#subscription = cluster.watch(selection, (event) => {
      this.#record(event);
    });
  }

  /** Resolves once the events so far satisfy the condition. */
  until(holds: Waiting['holds']): Promise<void> {
    if (holds(this.events)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ holds, resolve }));
  }

  /** Resolves once there was such an event, and gives the first one's object. */
  async saw(type: 'set' | 'gone', name: string): Promise<KubeObject> {
    const matches = (event: WatchEvent): boolean =>
      (event.type === 'set' || event.type === 'gone') && event.type === type && event.object.metadata.name === name;
    await this.until((events) => events.some(matches));
    const found = this.events.find(matches);
    if (found === undefined || !('object' in found)) throw new Error('unreachable: the event was seen');
    return found.object;
  }

  synced(times = 1): Promise<void> {
    return this.until((events) => events.filter((event) => event.type === 'synced').length >= times);
  }

  /** `set ConfigMap a/b`, `synced`, …, without disturbances. */
  summary(): readonly string[] {
    return this.events.flatMap((event) => {
      if (event.type === 'disturbed') return [];
      return event.type === 'synced' ? ['synced'] : [`${event.type} ${nameOf(refOf(event.object))}`];
    });
  }

  stop(): void {
    this.#subscription.stop();
  }

  #record(event: WatchEvent): void {
    this.events.push(event);
    for (const waiting of this.#waiting) {
      if (!waiting.holds(this.events)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }
}
