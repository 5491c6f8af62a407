import type { Rehearsals, StageSnapshot } from '../../compose/rehearsal/rehearsals.ts';
import type { Scenario } from '../../embedded/scenario/types.ts';
import type { CliHost } from '../host.ts';
import { playUpgrade } from './play.ts';
import type { RehearsalCase, RehearsalResult, Wishes } from './rehearsal-case.ts';

/** Until the operator leads, and controllers have seen what runs. */
const ARRIVAL_MS = 10_000;

export interface PlayHands {
  readonly host: CliHost;
  readonly rehearsals: Rehearsals;
  readonly wishes: Wishes;
  readonly scenario: Scenario;
}

/** One upgrade on a stage of its own, which goes on from the version before as it was installed. */
export async function playFrom(
  { host, rehearsals, wishes, scenario }: PlayHands,
  snapshot: StageSnapshot,
  what: RehearsalCase,
): Promise<RehearsalResult> {
  const stage = await rehearsals.open(scenario, snapshot);
  try {
    stage.startOperator();
    await stage.pass(ARRIVAL_MS);
    return await playUpgrade(host, stage, { wishes, what });
  } finally {
    await stage.close();
  }
}
