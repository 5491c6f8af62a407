import { MUTANTS } from './list/index.ts';
import { type Judged, runMutants } from './run.ts';

/** Plants every fault of the list, or those whose id holds one of the arguments. */
const wanted = process.argv.slice(2);
const chosen = MUTANTS.filter(({ id }) => wanted.length === 0 || wanted.some((part) => id.includes(part)));
const judged = await runMutants(chosen, {
  onProgress: (done, total) => process.stderr.write(`${String(done)} of ${String(total)} faults judged\n`),
});
const width = Math.max(0, ...chosen.map(({ id }) => id.length));
for (const { mutant, verdict } of judged) {
  const why = verdict.kind === 'unusable' ? `: ${verdict.why}` : '';
  console.log(`${mutant.id.padEnd(width)}  ${mutant.promise.padEnd(4)}  ${verdict.kind}${why}`);
}
const count = (kind: Judged['verdict']['kind']): string =>
  `${String(judged.filter(({ verdict }) => verdict.kind === kind).length)} ${kind}`;
console.log(`${count('killed')}, ${count('survived')}, ${count('unusable')}`);
process.exitCode = judged.length > 0 && judged.every(({ verdict }) => verdict.kind === 'killed') ? 0 : 1;
