import { Timers } from '../../src/embedded/time/timers.ts';
import type { Timer } from '../../src/ports/system.ts';
import { rest } from '../fakes/clock.ts';

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
  readonly #timers = new Timers();
  #now = START;
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

  after(ms: number, run: () => void): Timer {
    return this.#timers.add(this.#now + Math.max(0, ms), run);
  }

  /** Lets everything happen that is due within so many milliseconds; false: something stopped it. */
  async run(ms: number, isOver: () => boolean = () => false): Promise<boolean> {
    const end = this.#now + ms;
    await rest();
    for (let due = this.#timers.next(); due !== undefined && due <= end; due = this.#timers.next()) {
      this.#arrive(due);
      this.#timers.take()?.();
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
}
