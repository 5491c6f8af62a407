import { type KubeObject, type ObjectRef, refKey, refOf } from '../../src/api/kube.ts';
import type { MemoryCluster } from '../fakes/memory-cluster.ts';
import type { Scheduler } from './scheduler.ts';

interface Entry {
  readonly generation: number | undefined;
  readonly healthy: boolean;
  /** When it was last healthy at this generation; undefined: never was. */
  readonly healthyUntil: number | undefined;
}

/** How things really are, whatever any status says; only their controllers know. */
export class Truth {
  readonly #scheduler: Scheduler;
  readonly #cluster: MemoryCluster;
  readonly #entries = new Map<string, Entry>();

  constructor(scheduler: Scheduler, cluster: MemoryCluster) {
    this.#scheduler = scheduler;
    this.#cluster = cluster;
  }

  tell(object: KubeObject, healthy: boolean): void {
    const key = refKey(refOf(object));
    const { generation } = object.metadata;
    const former = this.#entries.get(key);
    const same = former?.generation === generation ? former : undefined;
    const healthyUntil = same?.healthy === true ? this.#scheduler.now() : same?.healthyUntil;
    this.#entries.set(key, { generation, healthy, healthyUntil });
  }

  forget(object: KubeObject): void {
    this.#entries.delete(refKey(refOf(object)));
  }

  /** It works, or did at some moment of the last so many milliseconds, as it is wanted now. */
  worked(ref: ObjectRef, within: number): boolean {
    const live = this.#cluster.get(ref);
    if (live === undefined) return false;
    if (live.kind === 'ConfigMap' || live.kind === 'PersistentVolumeClaim') return true;
    const entry = this.#entries.get(refKey(ref));
    if (entry?.generation !== live.metadata.generation || entry === undefined) return false;
    const { healthy, healthyUntil } = entry;
    return healthy || (healthyUntil !== undefined && this.#scheduler.now() - healthyUntil <= within);
  }
}
