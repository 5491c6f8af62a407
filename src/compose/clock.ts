import { SystemClock } from '../adapters/clock/system-clock.ts';
import type { Clock } from '../ports/system.ts';

export function createClock(): Clock {
  return new SystemClock();
}
