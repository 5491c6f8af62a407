import type { Clock, Timer } from '../../../ports/system.ts';
import { StatusError } from '../../model/status-error.ts';

const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 1_000_000;

/** Looks once at what a key names; how many milliseconds later to look again even if nothing changes. */
export type Reconcile = (key: string) => number | undefined;

interface Worker {
  readonly reconcile: Reconcile;
  readonly failures: Map<string, number>;
  readonly timers: Map<string, Timer>;
}

interface Item {
  readonly worker: Worker;
  readonly key: string;
}

/**
 * Work of all controllers, one item at a time and never while a watch tells of a change. The same item is not queued
 * twice, and one whose write is refused comes again after a pause that doubles.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #items = new Map<string, Item>();
  readonly #workers = new Map<string, Worker>();
  #due: Timer | undefined;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  register(name: string, reconcile: Reconcile): (key: string) => void {
    const worker: Worker = { reconcile, failures: new Map(), timers: new Map() };
    this.#workers.set(name, worker);
    return (key) => this.#add(name, { worker, key });
  }

  stop(): void {
    this.#stopped = true;
    this.#due?.cancel();
    for (const { timers } of this.#workers.values()) for (const timer of timers.values()) timer.cancel();
  }

  #add(name: string, item: Item): void {
    const id = `${name} ${item.key}`;
    if (this.#stopped || this.#items.has(id)) return;
    this.#items.set(id, item);
    this.#due ??= this.#clock.after(0, () => this.#drain());
  }

  /** What is there now; what comes of it has to wait for its turn. */
  #drain(): void {
    const batch = [...this.#items.entries()];
    this.#due = undefined;
    for (const [id, item] of batch) {
      if (this.#stopped) return;
      this.#items.delete(id);
      this.#run(id, item);
    }
  }

  #run(id: string, item: Item): void {
    const { worker, key } = item;
    worker.timers.get(key)?.cancel();
    worker.timers.delete(key);
    const again = this.#attempt(item);
    if (again === undefined || this.#stopped) return;
    const timer = this.#clock.after(Math.max(0, again), () => {
      worker.timers.delete(key);
      this.#items.set(id, item);
      this.#due ??= this.#clock.after(0, () => this.#drain());
    });
    worker.timers.set(key, timer);
  }

  #attempt({ worker, key }: Item): number | undefined {
    try {
      const again = worker.reconcile(key);
      worker.failures.delete(key);
      return again;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const failures = worker.failures.get(key) ?? 0;
      worker.failures.set(key, failures + 1);
      return Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    }
  }
}
