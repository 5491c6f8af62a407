import { formatSeconds } from '../../lib/time.ts';
import { timeoutOf } from './deadline.ts';
import { act, type Decision } from './decision.ts';
import type { ReleaseView, World } from './world.ts';

/**
 * P9: until when something may run that the journal has no clock for, such as a removal: it has the time of a
 * component, from its start in this process. A raised timeout extends it, a lowered one does not shorten it.
 * Undefined: nothing runs.
 */
export function endOfRun(
  { package: pkg }: Pick<World, 'package'>,
  { delivery }: Pick<ReleaseView, 'delivery'>,
): number | undefined {
  if (delivery.kind !== 'running') return undefined;
  return Math.max(delivery.grantedUntil, delivery.since + timeoutOf(pkg));
}

/** What runs past its end is stopped, and tried again after its pause. Undefined: it is in time, or nothing runs. */
export function stopOverrun(world: World, release: ReleaseView): Decision | undefined {
  const end = endOfRun(world, release);
  if (end === undefined || world.now < end) return undefined;
  const { target } = release;
  const message = `component ${target.component}: what runs has not ended in time (${formatSeconds(end)}) and is being stopped`;
  return act({ kind: 'stop', target }, { reason: 'Progressing', message });
}
