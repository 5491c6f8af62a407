import { type Difference, firstDifference } from './difference.ts';
import { normalise } from './normalise.ts';
import { type Played, play } from './play.ts';
import type { Sequence, Side } from './request.ts';

export interface Compared {
  readonly sequence: Sequence;
  readonly difference: Difference | undefined;
}

/** A namespace name that no other sequence has. */
export function namespaceOf(sequence: Sequence, round: number): string {
  return `diff-${String(round)}-${sequence.seed.replaceAll(/[^a-z0-9]/g, '-')}`;
}

export async function compareWith(
  sequence: Sequence,
  embedded: Side,
  real: { readonly played: Played; readonly namespace: string },
  round: number,
): Promise<Compared> {
  const namespace = namespaceOf(sequence, round);
  const played = await play(sequence, embedded, namespace);
  const difference = firstDifference(normalise(real.played, real.namespace), normalise(played, namespace));
  return { sequence, difference };
}
