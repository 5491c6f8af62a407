/** Places for work that uses the machine; who finds none is told when one is free. */
export class Pool {
  #free: number;
  readonly #waiting = new Set<string>();
  readonly #onFree: (name: string) => void;

  constructor(size: number, onFree: (name: string) => void) {
    this.#free = size;
    this.#onFree = onFree;
  }

  /** Takes a place for somebody; false: none is free, and they are called once one is. */
  reserve(name: string): boolean {
    if (this.#free === 0) {
      this.#waiting.add(name);
      return false;
    }
    this.#waiting.delete(name);
    return this.take();
  }

  /** Takes a place, if one is free, and waits for none. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  release(): void {
    this.#free += 1;
    this.offer();
  }

  /** Calls the next one while a place is free: who was called before may have had no need of it any more. */
  offer(): void {
    const [next] = this.#waiting;
    if (this.#free === 0 || next === undefined) return;
    this.#waiting.delete(next);
    this.#onFree(next);
  }
}

/** One place that was taken in a pool, until it is given back. */
export class Place {
  #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** To another pool, if that one has room. */
  moveTo(pool: Pool): void {
    if (!pool.take()) return;
    this.#pool.release();
    this.#pool = pool;
  }

  release(): void {
    this.#pool.release();
  }
}
