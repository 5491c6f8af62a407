import type { Cluster } from '../ports/cluster.ts';

/** The same cluster, for one who changes a part of how it is reached: an instance could not be spread. */
export function passThrough(cluster: Cluster): Cluster {
  return {
    read: (ref, options) => cluster.read(ref, options),
    list: (selection) => cluster.list(selection),
    write: (request) => cluster.write(request),
    watch: (selection, onEvent) => cluster.watch(selection, onEvent),
    served: (apiVersion, kind) => cluster.served(apiVersion, kind),
    logs: (request) => cluster.logs(request),
  };
}
