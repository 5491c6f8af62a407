import type { Clock, Timer } from '../../ports/system.ts';

/** `setTimeout` fires at once for a longer delay. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The real clock. Timers follow the monotonic clock. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  steady(): number {
    return performance.now();
  }

  after(ms: number, callback: () => void): Timer {
    return new SystemTimer(ms, callback);
  }

  random(): number {
    return Math.random();
  }
}

/** Counts a long delay in several timeouts. */
class SystemTimer implements Timer {
  readonly #callback: () => void;
  #left: number;
  #handle: NodeJS.Timeout;

  constructor(ms: number, callback: () => void) {
    this.#callback = callback;
    this.#left = Math.max(0, ms);
    this.#handle = this.#arm();
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }

  #arm(): NodeJS.Timeout {
    const step = Math.min(this.#left, LONGEST_TIMEOUT_MS);
    this.#left -= step;
    return setTimeout(() => {
      this.#elapsed();
    }, step);
  }

  #elapsed(): void {
    if (this.#left > 0) this.#handle = this.#arm();
    else this.#callback();
  }
}
