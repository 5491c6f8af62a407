import type { Cluster, Selection, WatchEvent } from '../ports/cluster.ts';
import { passThrough } from './pass-through.ts';

/** Sees what one watch delivers, before whoever asked for it; undefined: not interested. */
export type Tap = (selection: Selection) => ((event: WatchEvent) => void) | undefined;

/** The same cluster, with its watches overheard: what is measured or logged costs no watch of its own. */
export function tapWatches(cluster: Cluster, taps: readonly Tap[]): Cluster {
  return {
    ...passThrough(cluster),
    watch: (selection, onEvent) => {
      const listeners = [...taps.flatMap((tap) => tap(selection) ?? []), onEvent];
      return cluster.watch(selection, (event) => {
        for (const listener of listeners) listener(event);
      });
    },
  };
}
