import { rest } from '../fakes/clock.ts';

interface Entry {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

export interface Scheduled {
  cancel(): void;
}

/** Thrown where the same moment never ends. */
export class Livelock extends Error {}

const START = Date.UTC(2030, 0, 1);
/** Events at one instant of virtual time; far more than any honest cascade needs. */
const MOST_AT_ONCE = 20_000;

/**
 * The only time there is. Events happen one at a time, in the order in which they are due; all that one of them sets
 * in motion comes to rest before the next one happens.
 */
export class Scheduler {
  readonly #heap: Entry[] = [];
  #now = START;
  #order = 0;
  #atOnce = 0;
  /** Events that have happened. */
  count = 0;

  now(): number {
    return this.#now;
  }

  /** Milliseconds since the simulation began. */
  elapsed(): number {
    return this.#now - START;
  }

  after(ms: number, run: () => void): Scheduled {
    const entry: Entry = { due: this.#now + Math.max(0, ms), order: this.#order, run, cancelled: false };
    this.#order += 1;
    this.#push(entry);
    return {
      cancel: () => {
        entry.cancelled = true;
      },
    };
  }

  /** Lets everything happen that is due within so many milliseconds; false: something stopped it. */
  async run(ms: number, isOver: () => boolean = () => false): Promise<boolean> {
    const end = this.#now + ms;
    await rest();
    for (let next = this.#heap[0]; next !== undefined && next.due <= end; next = this.#heap[0]) {
      this.#pop();
      if (next.cancelled) continue;
      this.#arrive(next.due);
      next.run();
      this.count += 1;
      await rest();
      if (isOver()) return false;
    }
    this.#now = end;
    return true;
  }

  #arrive(due: number): void {
    this.#atOnce = due > this.#now ? 0 : this.#atOnce + 1;
    if (this.#atOnce > MOST_AT_ONCE) throw new Livelock('the same moment never ends');
    this.#now = Math.max(this.#now, due);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const [first, second] = [heap[left], heap[right]];
      if (first === undefined) break;
      const below = second !== undefined && isBefore(second, first) ? right : left;
      const child = heap[below];
      if (child === undefined || !isBefore(child, last)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
