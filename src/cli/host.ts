import type { Cluster } from '../ports/cluster.ts';
import type { Clock } from '../ports/system.ts';
import type { PushedTree, PushRequest } from '../compose/artifacts.ts';
import type { ClusterTarget, Connection } from '../compose/cluster.ts';
import type { OperatorFlags } from './operator-flags.ts';

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
  runOperator(flags: OperatorFlags): Promise<number>;
}
