import { asKubepkgError } from '../api/errors.ts';
import type { TurnResult } from '../engine/engine.ts';
import { backoffDelay } from '../lib/backoff.ts';
import type { Clock, Timer } from '../ports/system.ts';
import { KeyLine } from './key-line.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Turns that may run at once. */
  readonly workers: number;
  /** One turn for one key; what it throws counts as failed. */
  readonly work: (key: string) => Promise<TurnResult>;
}

const BACKOFF = { baseMs: 200, maxMs: 60_000 };

/**
 * Whose turn it is. A key never runs twice at once; adding it again before its turn changes nothing, adding it
 * during its turn gives it another one. How a turn ended says when the next one is due at the latest:
 *
 *     settled  only when it is added again
 *     again    after the delay that it names
 *     failed   after a pause that doubles with every failure in a row
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #due = new KeyLine();
  readonly #running = new Set<string>();
  readonly #addedMeanwhile = new Set<string>();
  readonly #later = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  #stopped = false;
  #scheduled = false;
  #onIdle: () => void = () => undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#due.size;
  }

  add(key: string): void {
    if (this.#stopped) return;
    if (this.#running.has(key)) this.#addedMeanwhile.add(key);
    else if (this.#due.push(key)) this.#schedule();
  }

  /** Begins no further turn; resolves when those that run have ended. */
  drain(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#later.values()) timer.cancel();
    this.#later.clear();
    this.#due.clear();
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const before = this.#onIdle;
      this.#onIdle = () => {
        before();
        resolve();
      };
    });
  }

  /** Turns begin a moment later, so that keys that are added in one go merge, and whoever adds is done first. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#running.size < this.#options.workers) {
      const key = this.#due.shift();
      if (key === undefined) return;
      void this.#turn(key);
    }
  }

  async #turn(key: string): Promise<void> {
    this.#running.add(key);
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
    const result = await this.#work(key);
    this.#running.delete(key);
    if (!this.#stopped) this.#settle(key, result);
    else if (this.#running.size === 0) this.#onIdle();
  }

  async #work(key: string): Promise<TurnResult> {
    try {
      return await this.#options.work(key);
    } catch (thrown) {
      return { kind: 'failed', error: asKubepkgError(thrown) };
    }
  }

  #settle(key: string, result: TurnResult): void {
    const pause = this.#pauseAfter(key, result);
    if (this.#addedMeanwhile.delete(key)) this.add(key);
    else if (pause !== undefined) this.#addLater(key, pause);
    this.#begin();
  }

  /** Undefined: until it is added again. */
  #pauseAfter(key: string, result: TurnResult): number | undefined {
    if (result.kind === 'failed') {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      const pause = backoffDelay(BACKOFF, failures, this.#options.clock.random());
      return Math.max(pause, result.error.retryAfterMs ?? 0);
    }
    this.#failures.delete(key);
    return result.kind === 'again' ? result.afterMs : undefined;
  }

  /** By a timer even without delay: a key that is always due must not keep the process from hearing anything else. */
  #addLater(key: string, ms: number): void {
    const timer = this.#options.clock.after(ms, () => {
      this.add(key);
    });
    this.#later.set(key, timer);
  }
}
