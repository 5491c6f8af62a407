import { type Compared, compareWith, namespaceOf } from '../../test/differential/embedded/compare.ts';
import { play } from '../../test/differential/embedded/play.ts';
import type { Sequence, Side } from '../../test/differential/embedded/request.ts';

export interface Sides {
  readonly embedded: Side;
  readonly real: Side;
}

/** The same difference, or another one, with as few requests as leaving out single ones gets to. */
export async function shorten(compared: Compared, sides: Sides): Promise<Compared> {
  let best = compared;
  for (let index = compared.sequence.steps.length - 1; index >= 0; index--) {
    const steps = best.sequence.steps.toSpliced(index, 1);
    const fewer = await compareBoth({ ...best.sequence, steps }, sides, index + 1);
    if (fewer.difference !== undefined) best = fewer;
  }
  return best;
}

async function compareBoth(sequence: Sequence, { embedded, real }: Sides, round: number): Promise<Compared> {
  const namespace = namespaceOf(sequence, round);
  const played = await play(sequence, real, namespace);
  return compareWith(sequence, embedded, { played, namespace }, round);
}
