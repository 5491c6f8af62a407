import { KubepkgError } from '../../api/errors.ts';
import { MANY, StillCluster } from '../../compose/still-cluster.ts';
import type { Cluster } from '../host.ts';
import { PACKAGE_SOURCES, PACKAGES } from '../objects.ts';

/** A cluster that is asked once for everything, and lets writes be tried and nothing more. */
export async function dryCluster(cluster: Cluster, packages: number): Promise<Cluster> {
  const still = new StillCluster(cluster);
  if (packages >= MANY) await Promise.all([still.take(PACKAGES), still.take(PACKAGE_SOURCES)]);
  return {
    read: (ref, options) => still.read(ref, options),
    list: (selection) => still.list(selection),
    watch: (selection, onEvent) => still.watch(selection, onEvent),
    served: (apiVersion, kind) => still.served(apiVersion, kind),
    logs: (request) => still.logs(request),
    write: (request) => {
      if (request.dryRun === true) return cluster.write(request);
      return Promise.reject(new KubepkgError('Internal', 'a plan was about to write'));
    },
  };
}
