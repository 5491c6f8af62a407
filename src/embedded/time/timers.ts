import type { Timer } from '../../ports/system.ts';

interface Entry {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** Callbacks by the moment at which they are due; those of one moment in the order in which they were set. */
export class Timers {
  readonly #heap: Entry[] = [];
  #order = 0;

  add(due: number, run: () => void): Timer {
    const entry: Entry = { due, order: this.#order, run, cancelled: false };
    this.#order += 1;
    this.#push(entry);
    return {
      cancel: () => {
        entry.cancelled = true;
      },
    };
  }

  /** When the next one is due; undefined: there is none. */
  next(): number | undefined {
    for (let first = this.#heap[0]; first?.cancelled === true; first = this.#heap[0]) this.#pop();
    return this.#heap[0]?.due;
  }

  /** Takes out the one that is due next. */
  take(): (() => void) | undefined {
    if (this.next() === undefined) return undefined;
    const first = this.#heap[0];
    this.#pop();
    return first?.run;
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
    for (let child = this.#smallerChild(at); child !== undefined; child = this.#smallerChild(at)) {
      const entry = heap[child];
      if (entry === undefined || !isBefore(entry, last)) break;
      heap[at] = entry;
      at = child;
    }
    heap[at] = last;
  }

  #smallerChild(at: number): number | undefined {
    const left = 2 * at + 1;
    const [first, second] = [this.#heap[left], this.#heap[left + 1]];
    if (first === undefined) return undefined;
    return second !== undefined && isBefore(second, first) ? left + 1 : left;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
