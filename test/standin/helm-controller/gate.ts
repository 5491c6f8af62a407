import type { Clock } from '../../../src/ports/system.ts';

/** Ends whatever a life was in the middle of. */
export class Dead extends Error {
  constructor() {
    super('the controller was killed');
    this.name = 'Dead';
  }
}

/** What every step of a life passes: a pause holds it up, death ends it. */
export class Gate {
  readonly #clock: Clock;
  readonly #dead = new AbortController();
  #frozen: Promise<void> | undefined;
  #thaw: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#dead.signal;
  }

  get isDead(): boolean {
    return this.#dead.signal.aborted;
  }

  freeze(): void {
    this.#frozen ??= new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  thaw(): void {
    this.#frozen = undefined;
    this.#thaw?.();
  }

  die(): void {
    this.#dead.abort();
    this.thaw();
  }

  async pass(): Promise<void> {
    while (this.#frozen !== undefined && !this.isDead) await this.#frozen;
    if (this.isDead) throw new Dead();
  }

  /** Time passes, however long it is frozen. */
  async sleep(ms: number): Promise<void> {
    if (ms > 0) await this.#elapsed(ms);
    await this.pass();
  }

  #elapsed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#clock.after(ms, done);
      this.signal.addEventListener('abort', done);
    });
  }
}
