import type { Clock, Timer } from '../../../src/ports/system.ts';

/** How a turn ended, as the queue needs to know it. */
export type TurnOutcome =
  /** What failed before is forgotten; look again then, or when something changes. */
  | { readonly kind: 'settled'; readonly afterMs?: number }
  /** Again after a pause that grows. */
  | { readonly kind: 'retry' }
  /** Nothing until something changes. */
  | { readonly kind: 'stopped' };

export interface TurnQueueOptions {
  readonly clock: Clock;
  /** Turns at once: `--concurrent=10`. */
  readonly workers: number;
  readonly baseMs: number;
  readonly maxMs: number;
  /** Never rejects. */
  readonly turn: (key: string) => Promise<TurnOutcome>;
}

/** Whether a turn is still wanted when it could begin. */
export type StillDue = () => boolean;

interface Waiting {
  readonly readyAt: number;
  readonly timer: Timer;
}

/**
 * Turns of objects: one at a time for each, some at once for all. There is one entry for a key: an event takes a
 * retry's place [10: no turn after the one that the event caused], and a later time never puts off an earlier one.
 */
export class TurnQueue {
  readonly #options: TurnQueueOptions;
  readonly #waiting = new Map<string, Waiting>();
  /** In the order in which they became ready; with the question whether the turn is still wanted when it could begin. */
  readonly #ready = new Map<string, StillDue>();
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, number>();
  #stopped = false;

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  add(key: string, afterMs = 0): void {
    if (this.#stopped || this.#ready.get(key) === always) return;
    if (afterMs <= 0) {
      this.#becomeReady(key, always);
      return;
    }
    const { clock } = this.#options;
    const readyAt = clock.now() + afterMs;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined && waiting.readyAt <= readyAt) return;
    waiting?.timer.cancel();
    const timer = clock.after(afterMs, () => this.#becomeReady(key, always));
    this.#waiting.set(key, { readyAt, timer });
  }

  /** A turn that may not be wanted any more when it could begin; then all stays as it was. */
  addIf(key: string, isDue: StillDue): void {
    if (!this.#stopped && !this.#ready.has(key)) this.#becomeReady(key, isDue);
  }

  stop(): void {
    this.#stopped = true;
    for (const key of [...this.#waiting.keys()]) this.#stopWaiting(key);
    this.#ready.clear();
  }

  #becomeReady(key: string, isDue: StillDue): void {
    this.#ready.set(key, isDue);
    this.#pump();
  }

  #pump(): void {
    for (const [key, isDue] of [...this.#ready]) {
      if (this.#running.size >= this.#options.workers) return;
      if (this.#running.has(key)) continue;
      this.#ready.delete(key);
      if (!isDue()) continue;
      this.#stopWaiting(key);
      this.#running.add(key);
      void this.#run(key);
    }
  }

  #stopWaiting(key: string): void {
    this.#waiting.get(key)?.timer.cancel();
    this.#waiting.delete(key);
  }

  async #run(key: string): Promise<void> {
    const outcome = await this.#options.turn(key);
    this.#running.delete(key);
    if (this.#stopped) return;
    this.#comeAgain(key, outcome);
    this.#pump();
  }

  #comeAgain(key: string, outcome: TurnOutcome): void {
    if (outcome.kind === 'settled') {
      this.#failures.delete(key);
      if (outcome.afterMs !== undefined) this.add(key, outcome.afterMs);
    } else if (outcome.kind === 'retry') {
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      this.add(key, Math.min(this.#options.baseMs * 2 ** failures, this.#options.maxMs));
    }
  }
}

function always(): boolean {
  return true;
}
