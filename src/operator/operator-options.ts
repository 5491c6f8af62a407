import type { KubepkgError } from '../api/errors.ts';
import type { OperatorPlan } from '../compose/operator.ts';

/** What the operator was told: what it works with, and how it is to run. */
export interface OperatorOptions extends Omit<OperatorPlan, 'env' | 'clock' | 'log'> {
  /** `:PORT`, `HOST:PORT`, or `0` for nowhere. */
  readonly metricsBindAddress: string;
  readonly healthProbeBindAddress: string;
  /** The same; empty: nowhere. */
  readonly chartsBindAddress: string;
  readonly leaderElect: boolean;
  readonly logFormat: 'json' | 'text';
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  /** Aborted when the process is asked to stop: running deliveries are let end. */
  readonly stop: AbortSignal;
  /** Aborted when it is asked again: they are ended. */
  readonly insist?: AbortSignal | undefined;
  /** Called with whatever keeps it from beginning, while it tries again. */
  readonly onObstacle?: ((error: KubepkgError) => void) | undefined;
  /** Called once nothing but the Lease is missing. */
  readonly onStandingBy?: (() => void) | undefined;
  /** Called once nobody else leads. */
  readonly onElected?: (() => void) | undefined;
  /** Called once it leads and has read everything. */
  readonly onLeading?: (() => void) | undefined;
}
