import { describe, expect, it } from 'vitest';
import { WallClock } from '../../../test/fakes/wall-clock.ts';
import { Activity } from './activity.ts';
import { VirtualTime } from './virtual-time.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;

/** Time as it really passes: what is tested is how the two go together. */
const wall = new WallClock();

function aTime(activity = new Activity()): VirtualTime {
  return new VirtualTime({ start: START, random: () => 0, activity, wall });
}

const passing = (time: VirtualTime, ms: number): Promise<void> =>
  new Promise((resolve) => {
    time.after(ms, resolve);
  });

/** Never gets beyond the moment at which it begins. */
function spinning(time: VirtualTime): Promise<void> {
  const again = (): void => {
    time.after(0, again);
  };
  again();
  return new Promise(() => undefined);
}

describe('virtual time', () => {
  it('passes while something waits for it, in no time', async () => {
    const time = aTime();
    await time.run(passing(time, 600_000), HOUR_MS);
    expect(time.now()).toBe(START + 600_000);
  });

  it('has timers fire one at a time, in the order in which they are due, and what they cancelled not at all', async () => {
    const time = aTime();
    const fired: string[] = [];
    time.after(20, () => fired.push('late'));
    const never = time.after(15, () => fired.push('never'));
    time.after(10, () => {
      fired.push('first');
      never.cancel();
      void Promise.resolve().then(() => fired.push('what it set in motion'));
    });
    time.after(10, () => fired.push('second'));
    await time.run(passing(time, 30), HOUR_MS);
    expect(fired).toEqual(['first', 'what it set in motion', 'second', 'late']);
  });

  it('stands still while something real goes on', async () => {
    const activity = new Activity();
    const time = aTime(activity);
    let over = 0;
    const real = activity.during(async () => {
      await new Promise((resolve) => {
        wall.after(50, () => {
          resolve(undefined);
        });
      });
      over = time.now();
    });
    await time.run(Promise.all([real, passing(time, 1000)]), HOUR_MS);
    expect(over).toBe(START);
  });

  it('passes for a program that waits for it', async () => {
    const activity = new Activity();
    const time = aTime(activity);
    const program = activity.begin();
    program.wait(true);
    await time.run(passing(time, 5000), HOUR_MS);
    program.end();
    expect(time.now()).toBe(START + 5000);
  });

  it.each([
    ['so much of it has passed', (time: VirtualTime) => passing(time, 2 * HOUR_MS), '1h0m0s of its time'],
    ['one moment never ends', (time: VirtualTime) => spinning(time), 'one moment never ends'],
    ['nothing can happen any more', () => new Promise<void>(() => undefined), 'nothing is left'],
  ])('comes to an end where the work does not: %s', async (_what, work, why) => {
    const time = aTime();
    const error = { code: 'DeadlineExceeded', message: expect.stringContaining(why) as unknown };
    await expect(time.run(work(time), HOUR_MS)).rejects.toMatchObject(error);
  });

  it('ends for everybody who waits when it is stopped', async () => {
    const time = aTime();
    time.after(1000, () => {
      time.stop();
    });
    await expect(time.run(passing(time, 5000), HOUR_MS)).rejects.toMatchObject({ code: 'Interrupted' });
  });
});
