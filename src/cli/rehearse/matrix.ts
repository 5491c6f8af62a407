import type { RehearsalSettings, StageSnapshot } from '../../compose/rehearsal/rehearsals.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { Failure } from '../../compose/rehearsal/failure.ts';
import { EXIT } from '../exit-codes.ts';
import { writeLines } from '../write-lines.ts';
import type { Helper } from './helper.ts';
import { loadCommands } from './staged-host.ts';
import { playInstall } from './play.ts';
import { playCase, type PlayHands, playRecorded } from './play-from.ts';
import { sceneLines } from './report.ts';
import type { RehearsalCase, RehearsalResult, Scene } from './rehearsal-case.ts';

/** Upgrades at once in each thread: while helm works, the other one goes on. */
const AT_ONCE = 2;

export interface MatrixHands extends PlayHands {
  readonly settings: RehearsalSettings;
  /** Told after each. */
  readonly onResult: (done: number, all: number) => void;
}

/** The version before, installed; every upgrade starts from there. */
export async function prepareStage({ host, rehearsals, wishes, scenario }: PlayHands): Promise<{
  readonly install: Scene;
  readonly snapshot: StageSnapshot;
}> {
  await loadCommands();
  const stage = await rehearsals.open(scenario);
  try {
    const install = await playInstall(host, stage, wishes);
    if (install.exitCode !== EXIT.ok) {
      if (!host.interrupted.aborted) writeLines(host.stderr, sceneLines([install]));
      throw new KubepkgError('InvalidInput', 'the version before cannot be installed, so there is nothing to upgrade', {
        hint: 'begin with a version that installs (--from), or say how its objects behave (--scenario)',
      });
    }
    return { install, snapshot: stage.snapshot() };
  } finally {
    await stage.close();
  }
}

/** The upgrade as it is, with each part failing in turn, and with the operator killed after each step of the first. */
export async function playMatrix(
  hands: MatrixHands,
  snapshot: StageSnapshot,
  failures: readonly Failure[],
): Promise<readonly RehearsalResult[]> {
  const helpers = await hireHelpers(hands, snapshot);
  const progress = new Progress(hands.onResult);
  const players = playersOf(helpers, (what) => playCase(hands, { snapshot }, what));
  const fail = failures.map((failure): RehearsalCase => ({ failures: [failure] }));
  try {
    const [{ plain, killed }, failed] = await Promise.all([
      playKills(hands, { helpers, snapshot, progress }, fail.length),
      // Helpers begin while nobody has seen yet what steps there are.
      playAll(fail, helpers.length > 0 ? players.slice(1) : players, progress),
    ]);
    return [plain, ...failed, ...killed];
  } finally {
    await Promise.all(helpers.map((helper) => helper.end()));
  }
}

type Player = Helper['play'];

function playersOf(helpers: readonly Helper[], own: Player): readonly Player[] {
  return [
    own,
    ...helpers.map(
      (helper): Player =>
        (what) =>
          helper.play(what),
    ),
  ];
}

interface Crew {
  readonly helpers: readonly Helper[];
  readonly snapshot: StageSnapshot;
  readonly progress: Progress;
}

async function playKills(
  hands: MatrixHands,
  { helpers, snapshot, progress }: Crew,
  others: number,
): Promise<{ readonly plain: RehearsalResult; readonly killed: readonly RehearsalResult[] }> {
  const { result: plain, recording } = await playRecorded(hands, snapshot, { failures: [] });
  for (const helper of helpers) helper.learn(recording);
  const kill = plain.steps.map(({ number }): RehearsalCase => ({ failures: [], killAfter: number }));
  progress.expect(1 + others + kill.length);
  progress.one();
  const players = playersOf(helpers, (what) => playCase(hands, { snapshot, recording }, what));
  return { plain, killed: await playAll(kill, players, progress) };
}

/** Tells how many there are once somebody knows how many there will be. */
class Progress {
  readonly #tell: MatrixHands['onResult'];
  #done = 0;
  #all: number | undefined;

  constructor(tell: MatrixHands['onResult']) {
    this.#tell = tell;
  }

  expect(all: number): void {
    this.#all = all;
  }

  one(): void {
    this.#done += 1;
    if (this.#all !== undefined) this.#tell(this.#done, this.#all);
  }
}

/** In the order of the cases, whoever plays them. */
async function playAll(
  cases: readonly RehearsalCase[],
  players: readonly Player[],
  progress: Progress,
): Promise<readonly RehearsalResult[]> {
  const results = new Map<RehearsalCase, RehearsalResult>();
  const queue = cases.values();
  const work = async (play: Player): Promise<void> => {
    for (const each of queue) {
      results.set(each, await play(each));
      progress.one();
    }
  };
  await Promise.all(players.flatMap((play) => Array.from({ length: AT_ONCE }, () => work(play))));
  return cases.flatMap((each) => results.get(each) ?? []);
}

async function hireHelpers(hands: MatrixHands, snapshot: StageSnapshot): Promise<readonly Helper[]> {
  const { host, wishes } = hands;
  const { onLog, ...settings } = hands.settings;
  const { onUsed, ...scenario } = hands.scenario;
  const task = { settings, wishes, scenario, snapshot };
  const helpers = await host.hireHelpers(task, {
    onLog,
    onUsed: (rule) => {
      onUsed?.(rule);
    },
  });
  for (const helper of helpers) host.interrupted.addEventListener('abort', () => void helper.end(), { once: true });
  return helpers;
}
