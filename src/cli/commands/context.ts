import type { ClusterTarget, Connection } from '../../compose/cluster.ts';
import type { CliHost } from '../host.ts';
import { choosePaint, type Paint } from '../text/paint.ts';

/** Flags that every command has. */
export interface GlobalFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** False with `--no-color`. */
  readonly color: boolean;
  readonly verbose?: boolean | undefined;
  /** An operator works in this very process. */
  readonly local?: boolean | undefined;
}

export function paintFor(host: CliHost, flags: GlobalFlags, stream: 'stdout' | 'stderr'): Paint {
  return choosePaint({ refused: !flags.color, env: host.env, isTerminal: host[stream].isTerminal });
}

/** Runs something with a connection to the cluster that the flags name, and closes it. */
export async function withCluster<T>(
  host: CliHost,
  { kubeconfig, context }: ClusterTarget,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await host.connect({ kubeconfig, context });
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}
