/** Something real that is going on: a program, a request, a file that is being read. */
export interface Doing {
  /** It waits for what only passing time can bring, or goes on. */
  readonly wait: (waiting: boolean) => void;
  readonly end: () => void;
}

/** What goes on outside of virtual time: while anything does that is not waiting, no time passes. */
export class Activity {
  readonly #doings = new Set<{ waiting: boolean }>();
  readonly #listeners = new Set<() => void>();
  /** Grows with every change. */
  #changes = 0;

  begin(): Doing {
    const doing = { waiting: false };
    this.#doings.add(doing);
    this.#changed();
    return {
      wait: (waiting) => {
        if (doing.waiting === waiting) return;
        doing.waiting = waiting;
        this.#changed();
      },
      end: () => {
        if (this.#doings.delete(doing)) this.#changed();
      },
    };
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const doing = this.begin();
    try {
      return await work();
    } finally {
      doing.end();
    }
  }

  /** Something was told to somebody who waits. */
  touch(): void {
    this.#changed();
  }

  get changes(): number {
    return this.#changes;
  }

  get isBusy(): boolean {
    return [...this.#doings].some(({ waiting }) => !waiting);
  }

  get isWaiting(): boolean {
    return this.#doings.size > 0;
  }

  /** Calls back at every change. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #changed(): void {
    this.#changes += 1;
    for (const listener of [...this.#listeners]) listener();
  }
}
