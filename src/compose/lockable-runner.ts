import type { KillableCommandRunner } from '../adapters/process/command-runner.ts';
import type { Command, CommandResult, CommandRunner } from '../ports/process.ts';

export interface LockableRunner extends CommandRunner {
  /** Kills every program that runs, and lets none start from now on; resolves once they are gone. */
  lock(): Promise<void>;
}

/** For a leader that lost its Lease: a step that was under way must not start a program after the others were killed. */
export function lockable(runner: KillableCommandRunner): LockableRunner {
  let locked = false;
  return {
    run: (command: Command, signal?: AbortSignal): Promise<CommandResult> =>
      locked ? Promise.resolve({ signal: 'SIGKILL', stdout: '', stderr: '' }) : runner.run(command, signal),
    lock: () => {
      locked = true;
      return runner.killAll();
    },
  };
}
