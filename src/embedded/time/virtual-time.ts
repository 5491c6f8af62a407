import { getActiveResourcesInfo } from 'node:process';
import { KubepkgError } from '../../api/errors.ts';
import { formatDuration } from '../../lib/duration.ts';
import { formatSeconds } from '../../lib/time.ts';
import type { Clock, Timer } from '../../ports/system.ts';
import type { Activity } from './activity.ts';
import { Timers } from './timers.ts';

export interface VirtualTimeOptions {
  /** Milliseconds since the epoch at which it begins. */
  readonly start: number;
  /** Chance that is the same in every run. */
  readonly random: () => number;
  readonly activity: Activity;
  /** Time as it really passes. */
  readonly wall: Clock;
}

/** How long (really) it takes until what was set in motion, unzipping say, shows itself as going on. */
const SETTLE_MS = 3;
/** The same of a program that waits, and has just been told something. */
const NOTICE_MS = 100;
/** Turns of the event loop without anything new: promises have gone as far as they can. */
const CALM_TURNS = 3;
/** Far more than anything honest sets for one moment. */
const MOST_AT_ONCE = 10_000;
/** What Node calls requests to the system that are not answered yet: FSReqPromise, FSReqCallback, CloseReq, … */
const REQUEST = /Req/;

/**
 * Time that passes when nothing else is left to do: ten minutes of waiting take no longer than what happens in them.
 * Timers fire one at a time, in the order in which they are due, and all that one of them sets in motion comes to rest
 * before the next: programs that run, requests, files.
 */
export class VirtualTime implements Clock {
  readonly #options: VirtualTimeOptions;
  readonly #timers = new Timers();
  #now: number;
  /** When (really) something was seen to go on. */
  #stirredAt = 0;
  /** How much had changed until then. */
  #seen = 0;
  /** Timers that were due at this very moment. */
  #atOnce = 0;
  #stopped = false;

  constructor(options: VirtualTimeOptions) {
    this.#options = options;
    this.#now = options.start;
  }

  now(): number {
    return this.#now;
  }

  steady(): number {
    return this.#now;
  }

  random(): number {
    return this.#options.random();
  }

  after(ms: number, callback: () => void): Timer {
    return this.#timers.add(this.#now + Math.max(0, ms), callback);
  }

  /** Lets time pass until the work has ended; fails where that takes more of it than so many milliseconds. */
  async run<T>(work: Promise<T>, limitMs: number): Promise<T> {
    const end = this.#now + limitMs;
    const state = { isOver: false };
    const over = (): void => {
      state.isOver = true;
    };
    work.then(over, over);
    await this.#rest();
    while (!state.isOver) {
      this.#step(end, limitMs);
      await this.#rest();
    }
    return work;
  }

  /** No time passes any more: whoever waits for work to end hears so. */
  stop(): void {
    this.#stopped = true;
  }

  #step(end: number, limitMs: number): void {
    if (this.#stopped) throw new KubepkgError('Interrupted', 'the rehearsal was ended');
    const due = this.#timers.next();
    if (due === undefined) throw endless(this.#now, 'nothing is left that could still happen');
    if (due > end) throw endless(this.#now, `${formatDuration(limitMs)} of its time have passed`);
    this.#atOnce = due > this.#now ? 0 : this.#atOnce + 1;
    if (this.#atOnce > MOST_AT_ONCE) throw endless(this.#now, 'one moment never ends');
    this.#now = Math.max(this.#now, due);
    this.#timers.take()?.();
  }

  /** Until nothing real goes on any more but what waits for time to pass. */
  async #rest(): Promise<void> {
    const { activity, wall } = this.#options;
    for (let calm = 0; calm < CALM_TURNS; ) {
      if (this.#seen !== activity.changes || activity.isBusy || isAsking()) this.#stirredAt = wall.now();
      this.#seen = activity.changes;
      const left = this.#stirredAt + (activity.isWaiting ? NOTICE_MS : SETTLE_MS) - wall.now();
      calm = left > 0 ? 0 : calm + 1;
      await (left > SETTLE_MS ? this.#pause(left) : turn());
    }
  }

  /** Ends sooner where anything changes. */
  #pause(ms: number): Promise<void> {
    const { activity, wall } = this.#options;
    return new Promise((resolve) => {
      const timer = wall.after(ms, end);
      const deaf = activity.listen(end);
      function end(): void {
        timer.cancel();
        deaf();
        resolve();
      }
    });
  }
}

function endless(now: number, why: string): KubepkgError {
  return new KubepkgError(
    'DeadlineExceeded',
    `the rehearsal does not come to an end: at ${formatSeconds(now)}, ${why}`,
  );
}

/** One turn of the event loop: promises that wait for nothing else have gone on. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    // eslint-disable-next-line house/no-clock -- no time passes: it runs after the promises that are there
    setImmediate(resolve);
  });
}

function isAsking(): boolean {
  return getActiveResourcesInfo().some((name) => REQUEST.test(name));
}
