import type { Cluster } from '../../../src/ports/cluster.ts';
import type { Clock } from '../../../src/ports/system.ts';
import type { EventWriter } from './event-writer.ts';
import type { Gate } from './gate.ts';
import type { HelmRunner } from './helm-runner.ts';
import type { AwkwardModes, Moment, Sabotage, Timing } from './options.ts';
import type { Records } from './records.ts';
import type { ObjectName } from './spec.ts';

/** What everything in one life of the controller works with. */
export interface Surroundings {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly timing: Timing;
  readonly tempDir: string;
  readonly helm: HelmRunner;
  readonly records: Records;
  readonly events: EventWriter;
  readonly modes: () => AwkwardModes;
  /** Whether the next write of conditions comes too late, once. */
  readonly takeConflict: () => boolean;
  readonly takeSabotage: (action: Sabotage['action']) => Sabotage | undefined;
  /** May be the last one of this life. */
  readonly moment: (moment: Moment, about: ObjectName) => Promise<void>;
}

/** The tick of waits, and of whatever is looked at again and again: `--requeue-dependency=5s`. */
export const TICK_MS = 5000;
