import type { KubepkgError } from '../api/errors.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock } from '../ports/system.ts';
import type { PushedTree, PushRequest } from '../compose/artifacts.ts';
import type { Authoring } from '../compose/authoring.ts';
import type { ClusterTarget, Connection } from '../compose/cluster.ts';
import type { PlanSettings } from '../compose/create-plan.ts';
import type { LiveRelease, ReleasePlace } from '../compose/live-values.ts';
import type { PlanRequest, PlanResult } from '../compose/planning.ts';
import type { Rehearsals, RehearsalSettings } from '../compose/rehearsal/rehearsals.ts';
import type { OperatorFlags } from './operator-flags.ts';
import type { Helper, HelperEars, HelperTask } from './rehearse/helper.ts';

export type { Cluster, Clock };

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Output {
  readonly isTerminal: boolean;
  write(text: string): void;
  size(): TerminalSize;
  /** Gives back how to stop it. */
  onResize(callback: () => void): () => void;
}

export interface LocalLife {
  /** Aborted when it is to end: what runs is let end. */
  readonly stop: AbortSignal;
  /** Called once nothing but the Lease is missing. */
  readonly onStandingBy: () => void;
  /** Called once nobody else leads. */
  readonly onElected: () => void;
  /** Called once it leads and has read everything. */
  readonly onLeading: () => void;
  /** Called with whatever keeps it from beginning, while it tries again. */
  readonly onObstacle: (error: KubepkgError) => void;
}

/** The cluster that is planned for, and how it was found. */
export interface PlanTarget extends ClusterTarget {
  readonly cluster: Cluster;
}

/** Everything outside that a command touches: given by the entry, replaced in tests. */
export interface CliHost {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For results alone. */
  readonly stdout: Output;
  /** For progress, questions and errors. */
  readonly stderr: Output;
  readonly clock: Clock;
  /** Aborted when the user interrupts; while nobody listens to it, an interruption ends the process at once. */
  readonly interrupted: AbortSignal;
  readFile(path: string): Promise<string>;
  readStdin(): Promise<string>;
  /** The answer to a question on the terminal; undefined when there is no terminal to ask on. */
  ask(question: string): Promise<string | undefined>;
  connect(target: ClusterTarget): Promise<Connection>;
  pushTree(request: PushRequest): Promise<PushedTree>;
  /** What the commands for authors of packages do. */
  authoring(): Promise<Authoring>;
  /** What Helm's records say of a release; undefined: there is none. */
  liveRelease(cluster: Cluster, place: ReleasePlace): Promise<LiveRelease | undefined>;
  /** What would be done; nothing is written. What it is about may still be found out while this is called. */
  plan(place: PlanTarget, settings: PlanSettings, request: PlanRequest | Promise<PlanRequest>): Promise<PlanResult>;
  /** Another command line of this program, with a host of its own; gives back its exit code. */
  runCommand(argv: readonly string[], host: CliHost): Promise<number>;
  /** A cluster of one's own to try packages on; it is gone afterwards. */
  withRehearsals<T>(settings: RehearsalSettings, use: (rehearsals: Rehearsals) => Promise<T>): Promise<T>;
  /** Threads in which upgrades are rehearsed as well: as many as there are processors for. */
  hireHelpers(task: HelperTask, ears: HelperEars): Promise<readonly Helper[]>;
  writeFile(path: string, text: string): Promise<void>;
  /** Told which packages a command has changed, or was asked to wait for. */
  onSubjects?: ((names: readonly string[]) => void) | undefined;
  runOperator(flags: OperatorFlags): Promise<number>;
  /** The same inside of another command; resolves to its exit code when it has ended. */
  runLocalOperator(flags: OperatorFlags, life: LocalLife): Promise<number>;
}
