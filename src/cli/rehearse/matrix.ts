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
  try {
    const { result: plain, recording } = await playRecorded(hands, snapshot, { failures: [] });
    for (const helper of helpers) helper.learn(recording);
    const cases: readonly RehearsalCase[] = [
      ...failures.map((failure) => ({ failures: [failure] })),
      ...plain.steps.map(({ number }) => ({ failures: [], killAfter: number })),
    ];
    const play = (what: RehearsalCase): Promise<RehearsalResult> => playCase(hands, { snapshot, recording }, what);
    const players = [
      play,
      ...helpers.map(
        (helper): Helper['play'] =>
          (what) =>
            helper.play(what),
      ),
    ];
    return [plain, ...(await playAll(hands, cases, players))];
  } finally {
    await Promise.all(helpers.map((helper) => helper.end()));
  }
}

/** In the order of the cases, whoever plays them. */
async function playAll(
  { onResult }: MatrixHands,
  cases: readonly RehearsalCase[],
  players: readonly Helper['play'][],
): Promise<readonly RehearsalResult[]> {
  const results = new Map<number, RehearsalResult>();
  const all = cases.length + 1;
  onResult(1, all);
  const queue = cases.entries();
  const work = async (play: Helper['play']): Promise<void> => {
    for (const [index, each] of queue) {
      results.set(index, await play(each));
      onResult(results.size + 1, all);
    }
  };
  await Promise.all(players.flatMap((play) => Array.from({ length: AT_ONCE }, () => work(play))));
  return cases.flatMap((_, index) => results.get(index) ?? []);
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
