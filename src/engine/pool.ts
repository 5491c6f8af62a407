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
