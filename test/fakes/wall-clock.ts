/** Time as it really passes, for what has to be tried together with it. */
export { SystemClock as WallClock } from '../../src/adapters/clock/system-clock.ts';
