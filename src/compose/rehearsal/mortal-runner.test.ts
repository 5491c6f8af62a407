import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../test/fakes/clock.ts';
import { Activity } from '../../embedded/time/activity.ts';
import type { Command } from '../../ports/process.ts';
import { Mortality } from './mortality.ts';
import { mortalClock } from './mortal-clock.ts';
import { mortalRunner, Programs } from './mortal-runner.ts';

const UPGRADE: Command = { file: 'helm', args: ['upgrade'], env: {} };

function oneLife() {
  const time = new VirtualClock();
  const mortality = new Mortality();
  const started: string[] = [];
  const runner = mortalRunner(
    {
      run: ({ args }) => {
        started.push(args.join(' '));
        return Promise.resolve({ exitCode: 0, stdout: '', stderr: '' });
      },
      killAll: () => Promise.resolve(),
    },
    {
      mortality,
      activity: new Activity(),
      interfere: () => undefined,
      programs: new Programs(),
      versions: new Map(),
      clock: mortalClock(time, mortality),
    },
  );
  return { time, mortality, runner, started };
}

describe('a program of a life on the stage', () => {
  it('takes its time, in which the controllers of the cluster go on', async () => {
    const { time, runner, started } = oneLife();
    const result = runner.run(UPGRADE);
    expect(started).toEqual([]);
    await time.advance(1000);
    expect(await result).toMatchObject({ exitCode: 0 });
    expect(started).toEqual(['upgrade']);
  });

  it('P16 is not started any more where its life ends meanwhile', async () => {
    const { time, mortality, runner, started } = oneLife();
    void runner.run(UPGRADE);
    mortality.die();
    await time.advance(1000);
    expect(started).toEqual([]);
  });
});
