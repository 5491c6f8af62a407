import { MANY, StillCluster } from '../../compose/still-cluster.ts';
import type { Cluster } from '../host.ts';
import { PACKAGE_SOURCES, PACKAGES } from '../objects.ts';

/** A cluster that is asked once for everything, and lets writes be tried and nothing more. */
export async function dryCluster(cluster: Cluster, packages: number): Promise<Cluster> {
  const still = new StillCluster(cluster, { allowsTrials: true });
  if (packages >= MANY) await Promise.all([still.take(PACKAGES), still.take(PACKAGE_SOURCES)]);
  return still;
}
