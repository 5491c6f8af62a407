import type { Clock } from '../../ports/system.ts';
import type { Mortality } from './mortality.ts';

/** The timers of one life: none of them fires after it. */
export function mortalClock(clock: Clock, mortality: Mortality): Clock {
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    random: () => clock.random(),
    after: (ms, callback) =>
      clock.after(ms, () => {
        if (mortality.alive) callback();
      }),
  };
}
