import type { Cluster, Selection, WatchEvent } from '../ports/cluster.ts';

/** Sees what one watch delivers, before whoever asked for it; undefined: not interested. */
export type Tap = (selection: Selection) => ((event: WatchEvent) => void) | undefined;

/** The same cluster, with its watches overheard: what is measured or logged costs no watch of its own. */
export function tapWatches(cluster: Cluster, taps: readonly Tap[]): Cluster {
  return {
    read: (ref, options) => cluster.read(ref, options),
    list: (selection) => cluster.list(selection),
    write: (request) => cluster.write(request),
    served: (apiVersion, kind) => cluster.served(apiVersion, kind),
    logs: (request) => cluster.logs(request),
    watch: (selection, onEvent) => {
      const listeners = [...taps.flatMap((tap) => tap(selection) ?? []), onEvent];
      return cluster.watch(selection, (event) => {
        for (const listener of listeners) listener(event);
      });
    },
  };
}
