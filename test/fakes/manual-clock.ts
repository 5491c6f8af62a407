import type { Clock, Timer } from '../../src/ports/system.ts';

interface Pending {
  readonly due: number;
  readonly delay: number;
  readonly callback: () => void;
}

interface Waiting {
  readonly delay: number;
  readonly resolve: () => void;
}

/** A clock that stands still until the test moves it. Chance is always 0, so that delays come without jitter. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Pending>();
  readonly #waiting = new Set<Waiting>();

  constructor(now = Date.parse('2030-01-01T00:00:00Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0;
  }

  after(ms: number, callback: () => void): Timer {
    const timer: Pending = { due: this.#now + ms, delay: ms, callback };
    this.#timers.add(timer);
    for (const waiting of this.#waiting) if (waiting.delay === ms) this.#release(waiting);
    return {
      cancel: () => {
        this.#timers.delete(timer);
      },
    };
  }

  /** Delays of the timers that are running, shortest time left first. */
  delays(): readonly number[] {
    return this.#sorted().map((timer) => timer.delay);
  }

  /** Resolves once a timer of that delay is running. */
  armed(delay: number): Promise<void> {
    if (this.delays().includes(delay)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.add({ delay, resolve });
    });
  }

  /** Moves on, calling back what falls due on the way at its time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#sorted()[0]; next !== undefined && next.due <= end; next = this.#sorted()[0]) {
      this.#timers.delete(next);
      this.#now = next.due;
      next.callback();
    }
    this.#now = end;
  }

  #sorted(): readonly Pending[] {
    return [...this.#timers].sort((a, b) => a.due - b.due);
  }

  #release(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    waiting.resolve();
  }
}
