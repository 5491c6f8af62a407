import type { Clock } from '../../ports/system.ts';

const SHORTEST_PAUSE_MS = 1000;
/** However many ask, the lists themselves take a tenth of the time at most. */
const PAUSES_PER_LIST = 9;

/**
 * One list for all who ask at about the same time, begun after the last of them asked: nobody is told what was true
 * before. The next one begins only after a pause.
 */
export class FreshList<T> {
  readonly #read: () => Promise<T>;
  readonly #clock: Clock;
  #upcoming: Promise<T> | undefined;
  #rested: Promise<void> = Promise.resolve();

  constructor(read: () => Promise<T>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  next(): Promise<T> {
    this.#upcoming ??= this.#rested.then(() => this.#begin());
    return this.#upcoming;
  }

  #begin(): Promise<T> {
    this.#upcoming = undefined;
    const begun = this.#clock.now();
    const list = this.#read();
    // Whether it failed matters to those who asked.
    this.#rested = Promise.allSettled([list]).then(() => this.#pause(this.#clock.now() - begun));
    return list;
  }

  #pause(listMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(Math.max(SHORTEST_PAUSE_MS, PAUSES_PER_LIST * listMs), resolve);
    });
  }
}
