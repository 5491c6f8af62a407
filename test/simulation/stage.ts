import type { KubepkgError } from '../../src/api/errors.ts';
import type { KubeObject } from '../../src/api/kube.ts';
import type { Cluster, WriteRequest } from '../../src/ports/cluster.ts';
import type { MemoryCluster } from '../fakes/memory-cluster.ts';
import type { Chaos } from './chaos.ts';
import type { ChartShelf } from './charts.ts';
import type { Ledger } from './ledger.ts';
import type { Deliverer } from './record.ts';
import type { Scheduler } from './scheduler.ts';
import type { Scribe } from './scribe.ts';
import type { Story } from './stories.ts';
import type { Trace } from './trace.ts';
import type { Truth } from './truth.ts';
import type { PackagePlan } from './universe.ts';

/** What everybody in a run sees of it. */
export interface Stage {
  readonly scheduler: Scheduler;
  readonly cluster: MemoryCluster;
  readonly chaos: Chaos;
  readonly trace: Trace;
  readonly ledger: Ledger;
  readonly truth: Truth;
  readonly scribe: Scribe;
  readonly shelf: ChartShelf;
  readonly universe: readonly PackagePlan[];
  readonly story: Story | undefined;
  readonly editor: Edits;
  /** The life of the operator that runs now. */
  readonly process: Life | undefined;
  /** What delivers a package that does not say. */
  readonly defaultBackend: Deliverer;
  /** Deliveries that may run at once. */
  readonly slots: number;
  /** Somebody may choose this very moment to change something. */
  afterEffect(what: string): void;
  /** The operator sends a request, which may come late. */
  sends(request: WriteRequest): void;
  wrote(request: WriteRequest, result: KubeObject): void;
  turnFailed(name: string, error: KubepkgError): void;
}

/** What the checkers have to know of those who edit. */
export interface Edits {
  /** Longest timeout of a package since a moment. */
  readonly timeouts: readonly { readonly package: string; readonly at: number; readonly ms: number }[];
  /** Versions that somebody allowed to go back over, by package, whenever it was. */
  readonly forced: ReadonlySet<string>;
}

/** One life of the operator, as what it reaches the world through sees it. */
export interface Life {
  readonly alive: boolean;
  readonly number: number;
  readonly startedAt: number;
  /** It has not read everything yet. */
  readonly reading: boolean;
  readonly cluster: Cluster;
  effect<T>(what: string, effect: () => T | Promise<T>, delayMs?: number): Promise<T>;
  question<T>(ask: () => Promise<T>): Promise<T>;
  pause(ms: number, signal: AbortSignal): Promise<void>;
}
