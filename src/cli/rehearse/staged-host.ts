import { KubepkgError } from '../../api/errors.ts';
import type { Stage } from '../../compose/rehearsal/stage.ts';
import type { CliHost } from '../host.ts';
import { Transcript } from './transcript.ts';

export interface StagedRun {
  readonly exitCode: number;
  /** Everything that was printed. */
  readonly text: string;
}

/** What is loaded while a command runs is nothing that virtual time would wait for: it is loaded before. */
export async function loadCommands(): Promise<void> {
  await Promise.all([
    import('../commands/events.ts'),
    import('../commands/history.ts'),
    import('../commands/install.ts'),
    import('../commands/status.ts'),
    import('../commands/upgrade.ts'),
  ]);
}

/** One of our own commands, run on the stage exactly as users of the package run it on their cluster. */
export async function runStaged(host: CliHost, argv: readonly string[], place: StagedPlace): Promise<StagedRun> {
  const transcript = new Transcript();
  const exitCode = await place.stage.run(() => host.runCommand(argv, stagedHost(host, transcript, place)));
  return { exitCode, text: transcript.text };
}

export interface StagedPlace {
  readonly stage: Stage;
  /** By the name that the command is given. */
  readonly files: ReadonlyMap<string, string>;
}

function stagedHost(host: CliHost, transcript: Transcript, { stage, files }: StagedPlace): CliHost {
  const { version, interrupted } = host;
  return {
    version,
    env: {},
    stdout: transcript.output(),
    stderr: transcript.output(),
    clock: stage.clock,
    interrupted,
    liveRelease: (cluster, release) => host.liveRelease(cluster, release),
    readFile: (path) => {
      const text = files.get(path);
      return text === undefined ? notHere() : Promise.resolve(text);
    },
    readStdin: notHere,
    ask: () => Promise.resolve(undefined),
    connect: () =>
      Promise.resolve({
        cluster: stage.usersCluster,
        serverVersion: () => Promise.resolve(stage.serverVersion),
        close: () => undefined,
      }),
    pushTree: notHere,
    authoring: notHere,
    runCommand: notHere,
    withRehearsals: notHere,
    hireHelpers: notHere,
    plan: notHere,
    writeFile: notHere,
    runOperator: notHere,
    runLocalOperator: notHere,
  };
}

function notHere(): Promise<never> {
  return Promise.reject(new KubepkgError('Unsupported', 'a rehearsal runs commands on the package alone'));
}
