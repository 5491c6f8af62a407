import { simulate, type SimulationResult } from './simulation.ts';

/** Least trouble with which the same invariant still breaks: half of it is left out, then a quarter, and so on. */
export async function minimise(failure: SimulationResult, mostRuns = 300): Promise<readonly string[]> {
  const invariant = failure.violations[0]?.invariant;
  let kept: readonly string[] = failure.struck;
  let runs = 0;
  const breaks = async (only: readonly string[]): Promise<boolean> => {
    runs += 1;
    const { violations } = await simulate({ seed: failure.seed, only });
    return violations.some((violation) => violation.invariant === invariant);
  };
  if (await breaks([])) return [];
  for (let size = Math.ceil(kept.length / 2); size >= 1 && runs < mostRuns; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length && runs < mostRuns; ) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (fewer.length < kept.length && (await breaks(fewer))) kept = fewer;
      else at += size;
    }
  }
  return kept;
}
