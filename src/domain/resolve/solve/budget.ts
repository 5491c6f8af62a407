import type { SearchLimits } from './request.ts';

/** What a search has cost so far; spent is spent, whatever part of the answer it was for. */
export class Budget {
  readonly #limits: SearchLimits;
  steps = 0;
  work = 0;

  constructor(limits: SearchLimits) {
    this.#limits = limits;
  }

  get isSpent(): boolean {
    return this.steps > this.#limits.steps || this.work > this.#limits.work;
  }
}
