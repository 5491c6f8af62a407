/** Lets only one at a time do something about a key; whoever comes later finds what the first one left. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Aborting ends the waiting at once; what has begun ends by itself. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    // Whether it failed matters to its own caller only.
    const tail = mine.catch(() => undefined);
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return signal === undefined ? mine : Promise.race([mine, rejectedBy(signal, tail)]);
  }
}

/** Rejects when the signal aborts, and no longer listens once `done` is. */
function rejectedBy(signal: AbortSignal, done: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void done.then(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
