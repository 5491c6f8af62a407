import { KubepkgError } from '../../api/errors.ts';
import type { Recording, Rehearsals, Stage, StageSnapshot } from '../../compose/rehearsal/rehearsals.ts';
import type { Scenario } from '../../embedded/scenario/index.ts';
import type { CliHost } from '../host.ts';
import { playUpgrade } from './play.ts';
import { isKill, type KillCase, type RehearsalCase, type RehearsalResult, type Wishes } from './rehearsal-case.ts';

/** Until the operator leads, and controllers have seen what runs. */
const ARRIVAL_MS = 10_000;

export interface PlayHands {
  readonly host: CliHost;
  readonly rehearsals: Rehearsals;
  readonly wishes: Wishes;
  readonly scenario: Scenario;
}

export interface Recorded {
  readonly result: RehearsalResult;
  readonly recording: Recording;
}

/** What rehearsals of one upgrade begin with. */
export interface Beginnings {
  readonly snapshot: StageSnapshot;
  /** Of the upgrade as it is. */
  readonly recording?: Recording;
}

export function playCase(
  hands: PlayHands,
  { snapshot, recording }: Beginnings,
  what: RehearsalCase,
): Promise<RehearsalResult> {
  if (!isKill(what)) return playFrom(hands, snapshot, what);
  if (recording !== undefined) return playKilled(hands, recording, what);
  throw new KubepkgError('Internal', 'nobody has seen the upgrade in which the operator is to be killed');
}

/** One upgrade on a stage of its own, which goes on from the version before as it was installed. */
export function playFrom(hands: PlayHands, snapshot: StageSnapshot, what: RehearsalCase): Promise<RehearsalResult> {
  const { host, wishes } = hands;
  return onRunningStage(hands, snapshot, (stage) => playUpgrade(host, stage, { wishes, what }));
}

/** One from which others can go on, with the operator killed after one of its steps. */
export function playRecorded(hands: PlayHands, snapshot: StageSnapshot, what: RehearsalCase): Promise<Recorded> {
  const { host, wishes } = hands;
  return onRunningStage(hands, snapshot, async (stage) => {
    stage.record();
    const result = await playUpgrade(host, stage, { wishes, what });
    return { result, recording: stage.recording() };
  });
}

function onRunningStage<T>(
  { rehearsals, scenario }: PlayHands,
  snapshot: StageSnapshot,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  return onStage(rehearsals.open(scenario, snapshot), async (stage) => {
    stage.startOperator();
    await stage.pass(ARRIVAL_MS);
    return play(stage);
  });
}

/** The upgrade that was recorded, with the operator killed after one of its steps. */
export function playKilled(hands: PlayHands, recording: Recording, what: KillCase): Promise<RehearsalResult> {
  const { host, rehearsals, wishes, scenario } = hands;
  return onStage(rehearsals.reopen(scenario, recording, what.killAfter), async (stage) => {
    const result = await playUpgrade(host, stage, { wishes, what });
    if (result.killedAt !== undefined) return result;
    throw new KubepkgError('Internal', `the upgrade has ended before its step ${String(what.killAfter)}`);
  });
}

async function onStage<T>(opening: Promise<Stage>, play: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = await opening;
  try {
    return await play(stage);
  } finally {
    await stage.close();
  }
}
