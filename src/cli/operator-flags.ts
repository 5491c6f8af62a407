import type { OperatorPlan } from '../compose/operator.ts';

/** What `kubepkg operator` was told; the operator checks and defaults the rest. */
export interface OperatorFlags extends Omit<OperatorPlan, 'version' | 'env' | 'clock' | 'log'> {
  readonly metricsBindAddress: string;
  readonly healthProbeBindAddress: string;
  readonly chartsBindAddress: string;
  readonly leaderElect: boolean;
  readonly logFormat: 'json' | 'text';
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
}
