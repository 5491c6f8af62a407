import { createCluster } from '../adapters/kube/create-cluster.ts';
import { GROUP } from '../api/names.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock } from '../ports/system.ts';

/** Which cluster: what the flags say, and KUBECONFIG, ~/.kube/config or the pod's service account otherwise. */
export interface ClusterTarget {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

export interface ConnectSettings {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Standard input is a terminal that a credential plugin may ask on. */
  readonly terminal: boolean;
}

export interface Connection {
  readonly cluster: Cluster;
  /** Such as `v1.36.3`. */
  serverVersion(): Promise<string>;
  close(): void;
}

/** For a person at work: a request that takes long is given up sooner than by the operator. */
const REQUEST_TIMEOUT_MS = 15_000;

export function connectCluster(target: ClusterTarget, settings: ConnectSettings): Connection {
  const client = createCluster({
    ...target,
    clock: settings.clock,
    env: settings.env,
    userAgent: `kubepkg/${settings.version}`,
    terminal: settings.terminal,
    timeoutMs: REQUEST_TIMEOUT_MS,
    strictGroups: [GROUP],
  });
  return {
    cluster: client,
    serverVersion: async () => (await client.serverVersion()).gitVersion,
    close: () => {
      client.close();
    },
  };
}
