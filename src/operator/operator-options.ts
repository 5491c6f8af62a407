/** What the operator was told. */
export interface OperatorOptions {
  readonly version: string;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly backend: string;
  /** Deliveries that may run at once. */
  readonly packageWorkers?: number | undefined;
  readonly registryConfig?: string | undefined;
  readonly registryCaFile?: string | undefined;
  readonly plainHttp: boolean;
  readonly cacheDir?: string | undefined;
  readonly helm?: string | undefined;
  /** The operator's own namespace: its Lease and the values of revisions are kept there. */
  readonly namespace: string;
  /** `:PORT`, `HOST:PORT`, or `0` for nowhere. */
  readonly metricsBindAddress: string;
  readonly healthProbeBindAddress: string;
  readonly leaderElect: boolean;
  readonly logFormat: 'json' | 'text';
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  /** Aborted when the process is asked to stop: running deliveries are let end. */
  readonly stop: AbortSignal;
  /** Aborted when it is asked again: they are ended. */
  readonly insist?: AbortSignal | undefined;
}
