import { cpus } from 'node:os';
import { minimise } from '../../test/simulation/minimise.ts';
import { simulate, type SimulationResult } from '../../test/simulation/simulation.ts';

/** `FROM=k SEEDS=n`: runs n simulations from number k on; `TRACE=1` shows also those that went well; `ONLY=crash1,edit2` repeats with less trouble. */
const from = Number(process.env['FROM'] ?? '1');
const count = Number(process.env['SEEDS'] ?? '1000');
const only = process.env['ONLY']?.split(',').filter((name) => name !== '');
const isTraced = process.env['TRACE'] === '1';
const most = Number(process.env['FAILURES'] ?? '1');
const started = Date.now();
const failures: SimulationResult[] = [];
let lives = 0;
let done = 0;
const reached = new Map<string, number>();
for (let seed = from; seed < from + count && failures.length < most; seed += 1) {
  const result = await simulate({ seed, only, traced: isTraced });
  done += 1;
  lives += result.lives;
  for (const [what, times] of result.reached) reached.set(what, (reached.get(what) ?? 0) + times);
  if (isTraced) console.log(result.trace.join('\n'));
  if (result.violations.length > 0) failures.push(result);
  if (result.violations.length > 0 && most > 1) console.log(`seed ${String(seed)}: ${describe(result)}`);
}
if (most === 1) for (const failure of failures) await report(failure);
const tally = [...reached].sort().map(([what, times]) => `${what} ${String(times)}`);
console.log(`reached: ${tally.join(', ')}`);
const minutes = (Date.now() - started) / 60_000;
const rate = Math.round(done / minutes);
console.log(
  `${String(done)} seeds from ${String(from)}, ${String(lives)} lives of the operator, ${String(failures.length)} failed; ` +
    `${String(rate)} seeds per minute on one of ${String(cpus().length)} cores`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

async function report(failure: SimulationResult): Promise<void> {
  const smallest = only === undefined ? await minimise(failure) : only;
  const { trace, violations, seed } = await simulate({ seed: failure.seed, only: smallest, traced: true });
  console.log(trace.join('\n'));
  for (const { invariant, message } of violations) console.log(`${invariant}: ${message}`);
  console.log(`replay: make simulate SEEDS=1 FROM=${String(seed)} ONLY=${smallest.join(',')}`);
}

function describe({ violations }: SimulationResult): string {
  const [first] = violations;
  return first === undefined ? 'well' : `${first.invariant} ${first.message}`;
}
