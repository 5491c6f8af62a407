import type { Clock, Timer } from '../../src/ports/system.ts';

interface Pending {
  due: number;
  readonly callback: () => void;
}

export interface VirtualClockOptions {
  /** Milliseconds since the epoch. */
  readonly now?: number;
  /** Chance; by default always 0, so that pauses come without jitter. */
  readonly random?: () => number;
}

/**
 * Time that passes only when the test says so. Timers fire in the order in which they are due, at their own time, and
 * all that one of them sets in motion comes to rest before the next one fires.
 */
export class VirtualClock implements Clock {
  #now: number;
  #asleep = 0;
  readonly #random: () => number;
  readonly #timers = new Set<Pending>();

  constructor(options: VirtualClockOptions = {}) {
    this.#now = options.now ?? Date.parse('2030-01-01T00:00:00Z');
    this.#random = options.random ?? (() => 0);
  }

  now(): number {
    return this.#now;
  }

  steady(): number {
    return this.#now - this.#asleep;
  }

  /** The machine sleeps, or its clock is set: no timer knows of it. */
  jump(ms: number): void {
    this.#now += ms;
    this.#asleep += ms;
    for (const timer of this.#timers) timer.due += ms;
  }

  random(): number {
    return this.#random();
  }

  after(ms: number, callback: () => void): Timer {
    const timer: Pending = { due: this.#now + Math.max(0, ms), callback };
    this.#timers.add(timer);
    return {
      cancel: () => {
        this.#timers.delete(timer);
      },
    };
  }

  /** Milliseconds until each timer that runs, soonest first. */
  pending(): readonly number[] {
    return [...this.#timers].map(({ due }) => due - this.#now).sort((a, b) => a - b);
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await rest();
    for (let next = this.#next(); next !== undefined && next.due <= end; next = this.#next()) {
      this.#timers.delete(next);
      this.#now = next.due;
      next.callback();
      await rest();
    }
    this.#now = end;
  }

  /** The first that was set among those that are due soonest. */
  #next(): Pending | undefined {
    let next: Pending | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.due < next.due) next = timer;
    return next;
  }
}

/** Until everything that waits for nothing but promises has run. */
export function rest(): Promise<void> {
  return new Promise((resolve) => {
    // eslint-disable-next-line house/no-clock -- no time passes: it runs after the microtasks that are there
    setImmediate(resolve);
  });
}
