import { PLANTED } from '../../test/simulation/planted.ts';
import { proveFault, type Proof } from './prove-fault.ts';

/** Plants every fault of the list, or those whose id holds one of the arguments, and says which simulation finds it; `SEEDS=n` at most. */
const wanted = process.argv.slice(2);
const chosen = PLANTED.filter(({ id }) => wanted.length === 0 || wanted.some((part) => id.includes(part)));
const seeds = Number(process.env['SEEDS'] ?? '2000');
console.log('| fault | what is broken | found by seed | as |\n|---|---|---|---|');
const proofs: readonly Proof[] = await chosen.reduce(async (before: Promise<readonly Proof[]>, fault) => {
  const done = await before;
  const proof = await proveFault(fault, seeds);
  console.log(
    `| ${fault.id} | ${fault.what} | ${proof.seed === undefined ? 'not found' : String(proof.seed)} | ${proof.as} |`,
  );
  return [...done, proof];
}, Promise.resolve([]));
const found = proofs.filter(({ seed }) => seed !== undefined).length;
console.log(`\n${String(found)} of ${String(chosen.length)} found within ${String(seeds)} seeds`);
process.exitCode = found === chosen.length && found > 0 ? 0 : 1;
