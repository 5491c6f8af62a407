import type { KillableCommandRunner } from '../../adapters/process/command-runner.ts';
import type { Activity } from '../../embedded/time/activity.ts';
import type { Command, CommandResult, CommandRunner } from '../../ports/process.ts';
import type { Clock } from '../../ports/system.ts';
import type { Mortality } from './mortality.ts';

/** What an author wants to see fail in the program: its answer, or undefined for the real one. */
export type Interference = (command: Command) => CommandResult | undefined;

export interface RunnerPlace {
  readonly mortality: Mortality;
  readonly activity: Activity;
  readonly interfere: Interference;
  /** Told of every program that runs, and asked whether it waits for the cluster alone. */
  readonly programs: Programs;
  readonly versions: KnownVersions;
  /** Of this life. */
  readonly clock: Clock;
}

/** A program takes its time before it asks anything of the cluster, whose controllers finish what they are about. */
const START_MS = 300;

/** What programs have said of their versions: in every life it would be the same. */
export type KnownVersions = Map<string, CommandResult>;

/** The helms that run, as far as the passing of time is concerned. */
export class Programs {
  readonly #running = new Map<Promise<unknown>, (waiting: boolean) => void>();
  #waiting = false;

  add(ended: Promise<unknown>, wait: (waiting: boolean) => void): void {
    this.#running.set(ended, wait);
    wait(this.#waiting);
    const forget = (): void => {
      this.#running.delete(ended);
    };
    ended.then(forget, forget);
  }

  get running(): number {
    return this.#running.size;
  }

  set waiting(waiting: boolean) {
    this.#waiting = waiting;
    for (const wait of this.#running.values()) wait(waiting);
  }

  /** Resolves once those that run now have ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running.keys());
  }
}

/** Programs of one life of the operator: they die with it. */
export function mortalRunner(runner: KillableCommandRunner, place: RunnerPlace): CommandRunner {
  const { mortality, activity, interfere, programs, versions, clock } = place;
  mortality.atDeath(() => {
    void activity.during(() => runner.killAll());
  });
  return {
    run: (command: Command, signal?: AbortSignal): Promise<CommandResult> =>
      mortality.hear(async () => {
        const question = versionQuestion(command);
        const answer = interfere(command) ?? versions.get(question ?? '');
        if (answer !== undefined) return answer;
        await new Promise<void>((resolve) => {
          clock.after(START_MS, resolve);
        });
        const doing = activity.begin();
        const running = runner.run(command, signal).finally(() => {
          doing.end();
        });
        programs.add(running, doing.wait);
        const result = await running;
        if (question !== undefined && result.exitCode === 0) versions.set(question, result);
        return result;
      }),
  };
}

function versionQuestion({ file, args }: Command): string | undefined {
  return args[0] === 'version' ? JSON.stringify([file, ...args]) : undefined;
}
