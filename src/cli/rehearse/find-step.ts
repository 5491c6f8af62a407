import { KubepkgError } from '../../api/errors.ts';
import type { Step } from '../../compose/rehearsal/steps.ts';

const SHOWN = 5;

/** The step that a word means: its number, or the first whose description has these words. */
export function findStep(word: string, steps: readonly Step[]): number {
  const isNumber = /^\d+$/.test(word);
  const found = steps.find(({ number, what }) => (isNumber ? number === Number(word) : what.includes(word)));
  if (found !== undefined) return found.number;
  const some = steps.slice(0, SHOWN).map(({ number, what }) => `${String(number)} (${what})`);
  throw new KubepkgError('InvalidInput', `--kill ${word}: no step of the upgrade is that`, {
    hint: `there are ${String(steps.length)} steps, such as ${some.join(', ')}; all of them: --steps`,
  });
}
