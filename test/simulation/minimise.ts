import { simulate, type SimulationResult } from './simulation.ts';

/** Least trouble with which the same invariant still breaks: half of it is left out, then a quarter, and so on. */
export async function minimise(failure: SimulationResult, mostRuns = 300): Promise<readonly string[]> {
  const search = new Search(failure, mostRuns);
  if (await search.breaks([])) return [];
  let kept: readonly string[] = failure.struck;
  for (let size = halfOf(kept.length); size > 0; size = size === 1 ? 0 : halfOf(size)) {
    kept = await search.withoutPieces(kept, size);
  }
  return kept;
}

class Search {
  readonly #failure: SimulationResult;
  #left: number;

  constructor(failure: SimulationResult, mostRuns: number) {
    this.#failure = failure;
    this.#left = mostRuns;
  }

  /** Leaves out one piece after the other, where it still breaks without. */
  async withoutPieces(all: readonly string[], size: number): Promise<readonly string[]> {
    let kept = all;
    let at = 0;
    while (at < kept.length && this.#left > 0) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await this.breaks(fewer)) kept = fewer;
      else at += size;
    }
    return kept;
  }

  async breaks(only: readonly string[]): Promise<boolean> {
    this.#left -= 1;
    const { seed, violations: former } = this.#failure;
    const { violations } = await simulate({ seed, only });
    return violations.some(({ invariant }) => invariant === former[0]?.invariant);
  }
}

function halfOf(size: number): number {
  return Math.ceil(size / 2);
}
