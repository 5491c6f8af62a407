import type { JsonMap } from '../model/object.ts';
import type { Flap, Step } from './types.ts';

/** Where a script is. */
export interface ScriptMoment {
  /** Tells one status from the next, even when they say the same. */
  readonly id: string;
  readonly status: JsonMap;
}

/** What the status is so long after the change; undefined: nothing was said yet. */
export function scriptAt(steps: readonly Step[], elapsed: number): ScriptMoment | undefined {
  const index = steps.findLastIndex(({ after }) => after <= elapsed);
  const step = steps[index];
  if (step === undefined) return undefined;
  if (step.flap === undefined) return { id: String(index), status: step.status ?? {} };
  const turn = turnOf(step.flap, elapsed - step.after);
  const { statuses } = step.flap;
  return { id: `${String(index)}.${String(turn)}`, status: statuses[turn % statuses.length] ?? {} };
}

/** When it changes next, from now. */
export function nextMoment(steps: readonly Step[], elapsed: number): number | undefined {
  const upcoming = steps.find(({ after }) => after > elapsed);
  const step = steps.findLast(({ after }) => after <= elapsed);
  const flap = step?.flap === undefined ? undefined : nextTurnOf(step.flap, elapsed - step.after);
  const times = [upcoming === undefined ? undefined : upcoming.after - elapsed, flap];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function turnOf({ every, times = Infinity }: Flap, elapsed: number): number {
  return Math.min(Math.floor(elapsed / every), times);
}

function nextTurnOf(flap: Flap, elapsed: number): number | undefined {
  const turn = turnOf(flap, elapsed);
  return turn >= (flap.times ?? Infinity) ? undefined : (turn + 1) * flap.every - elapsed;
}
