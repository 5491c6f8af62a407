import type { KubeObject } from '../../api/kube.ts';
import type { Cluster, WriteRequest } from '../../ports/cluster.ts';

/** The cluster as those reach it who use the package: how they write is said apart. */
export function usersCluster(cluster: Cluster, write: (request: WriteRequest) => Promise<KubeObject>): Cluster {
  return {
    read: (ref, options) => cluster.read(ref, options),
    list: (selection) => cluster.list(selection),
    watch: (selection, onEvent) => cluster.watch(selection, onEvent),
    served: (apiVersion, kind) => cluster.served(apiVersion, kind),
    logs: (request) => cluster.logs(request),
    write,
  };
}
