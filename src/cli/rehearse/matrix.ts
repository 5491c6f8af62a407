import type { Rehearsals, StageSnapshot } from '../../compose/rehearsal/rehearsals.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { Failure } from '../../compose/rehearsal/failure.ts';
import type { Scenario } from '../../embedded/scenario/types.ts';
import type { CliHost } from '../host.ts';
import { EXIT } from '../exit-codes.ts';
import { writeLines } from '../write-lines.ts';
import { loadCommands } from './staged-host.ts';
import { playInstall, playUpgrade, type Wishes } from './play.ts';
import { sceneLines } from './report.ts';
import type { RehearsalCase, RehearsalResult, Scene } from './rehearsal-case.ts';

/** Upgrades at once: helm is a program of its own, and most of the time is spent in it. */
const AT_ONCE = 2;
const ARRIVAL_MS = 10_000;

export interface MatrixHands {
  readonly host: CliHost;
  readonly rehearsals: Rehearsals;
  readonly wishes: Wishes;
  readonly scenario: Scenario;
  /** Told after each. */
  readonly onResult: (done: number, all: number) => void;
}

/** The version before, installed; every upgrade starts from there. */
export async function prepareStage({ host, rehearsals, wishes, scenario }: MatrixHands): Promise<{
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

export async function playFrom(
  hands: MatrixHands,
  snapshot: StageSnapshot,
  what: RehearsalCase,
): Promise<RehearsalResult> {
  const stage = await hands.rehearsals.open(hands.scenario, snapshot);
  try {
    stage.startOperator();
    // Until the operator leads, and controllers have seen what runs: that goes on as it is.
    await stage.pass(ARRIVAL_MS);
    return await playUpgrade(hands.host, stage, { wishes: hands.wishes, what });
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
  const plain = await playFrom(hands, snapshot, { failures: [] });
  const cases: readonly RehearsalCase[] = [
    ...failures.map((failure) => ({ failures: [failure] })),
    ...plain.steps.map(({ number }) => ({ failures: [], killAfter: number })),
  ];
  const results = new Map<number, RehearsalResult>();
  const all = cases.length + 1;
  hands.onResult(1, all);
  const queue = cases.entries();
  const worker = async (): Promise<void> => {
    for (const [index, each] of queue) {
      results.set(index, await playFrom(hands, snapshot, each));
      hands.onResult(results.size + 1, all);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return [plain, ...cases.flatMap((_, index) => results.get(index) ?? [])];
}
