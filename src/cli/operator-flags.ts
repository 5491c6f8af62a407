/** What `kubepkg operator` was told; the operator checks and defaults the rest. */
export interface OperatorFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly backend: string;
  readonly packageWorkers?: number | undefined;
  readonly registryConfig?: string | undefined;
  readonly registryCaFile?: string | undefined;
  readonly plainHttp: boolean;
  readonly cacheDir?: string | undefined;
  readonly helm?: string | undefined;
  readonly namespace: string;
  readonly metricsBindAddress: string;
  readonly healthProbeBindAddress: string;
  readonly leaderElect: boolean;
  readonly logFormat: 'json' | 'text';
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
}
