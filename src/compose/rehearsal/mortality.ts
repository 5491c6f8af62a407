/** A process that may die at any moment: nobody hears anything more of what it was doing. */
export class Mortality {
  #alive = true;
  readonly #ends: (() => void)[] = [];

  get alive(): boolean {
    return this.#alive;
  }

  /** Calls back at its death. */
  atDeath(end: () => void): void {
    this.#ends.push(end);
  }

  die(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const end of this.#ends) end();
  }

  /** What came of it, as long as there is somebody to hear it. */
  async hear<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#alive) return never();
    const [result] = await Promise.allSettled([work()]);
    if (!this.alive) return never();
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
