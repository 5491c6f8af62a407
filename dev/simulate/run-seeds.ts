import { setImmediate } from 'node:timers/promises';
import { minimise } from '../../test/simulation/minimise.ts';
import { simulate, type SimulationResult } from '../../test/simulation/simulation.ts';

export interface SeedRange {
  readonly from: number;
  readonly count: number;
  /** After so many failures it ends; the first is explained when it is one. */
  readonly failures: number;
  readonly traced: boolean;
  /** A failure is repeated with less and less trouble, and told step by step. */
  readonly explained: boolean;
  readonly only?: readonly string[] | undefined;
  /** Ends it after the simulation that runs, with a word on how far it came. */
  readonly signal: AbortSignal;
}

/** Runs simulations one after the other and tells how it went; the exit code. */
export async function runSeeds(range: SeedRange): Promise<number> {
  const tally = new Tally();
  for (let seed = range.from; seed < range.from + range.count && tally.failed < range.failures; seed += 1) {
    // Signals are heard between two simulations.
    await setImmediate();
    if (range.signal.aborted) break;
    const result = await simulate({ seed, only: range.only, traced: range.traced });
    tally.add(result);
    if (range.traced) console.log(result.trace.join('\n'));
    const [violation] = result.violations;
    if (violation === undefined) continue;
    console.log(`seed ${String(seed)}: ${violation.invariant} ${violation.message}`);
    if (range.failures === 1 && range.explained && !range.traced) await explain(result, range.only);
  }
  const { user, system } = process.cpuUsage();
  const minutes = (user + system) / 60_000_000;
  const rate = String(Math.round(tally.done / minutes));
  console.log(`${tally.text()}\n${minutes.toFixed(1)} minutes of one core, ${rate} seeds in each`);
  return tally.failed === 0 ? 0 : 1;
}

class Tally {
  done = 0;
  failed = 0;
  #lives = 0;
  readonly #reached = new Map<string, number>();

  add({ lives, reached, violations }: SimulationResult): void {
    this.done += 1;
    this.#lives += lives;
    if (violations.length > 0) this.failed += 1;
    for (const [what, times] of reached) this.#reached.set(what, (this.#reached.get(what) ?? 0) + times);
  }

  text(): string {
    const reached = [...this.#reached].sort().map(([what, times]) => `${what} ${String(times)}`);
    const total = `${String(this.done)} seeds, ${String(this.#lives)} lives of the operator, ${String(this.failed)} failed`;
    return `${total}; reached: ${reached.join(', ')}`;
  }
}

/** With as little trouble as it needs. */
async function explain(failure: SimulationResult, only: readonly string[] | undefined): Promise<void> {
  const smallest = only ?? (await minimise(failure));
  const { trace, violations, seed } = await simulate({ seed: failure.seed, only: smallest, traced: true });
  console.log(trace.join('\n'));
  for (const { invariant, message } of violations) console.log(`${invariant}: ${message}`);
  console.log(`again: make simulate SEEDS=1 FROM=${String(seed)} ONLY=${smallest.join(',')}`);
}
