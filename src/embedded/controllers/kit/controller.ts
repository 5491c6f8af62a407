import type { Clock } from '../../../ports/system.ts';
import type { EmbeddedApi } from '../../model/api.ts';
import type { Cache, Change, Informers } from './informers.ts';
import type { Kind } from './kinds.ts';
import { controllerOf, keyOf } from './read.ts';
import type { Recorder } from './recorder.ts';
import type { Reconcile } from './work-queue.ts';

/** What every controller works with. */
export interface Surroundings {
  readonly api: EmbeddedApi;
  readonly clock: Clock;
  readonly random: () => number;
  readonly informers: Informers;
  readonly recorder: Recorder;
}

export interface Source {
  readonly kind: Kind;
  /** Which items a change calls for. */
  readonly keys: (change: Change) => readonly string[];
}

export interface Controller {
  readonly name: string;
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile;
}

/** Changes of the objects themselves. */
export function changesOf(kind: Kind): Source {
  return { kind, keys: ({ object }) => [keyOf(object)] };
}

/** Changes of what these objects control, named by their owner; also when it just lost its owner. */
export function changesOfOwned(kind: Kind, owner: Kind): Source {
  return {
    kind,
    keys: ({ object, before }) => [
      ...new Set([object, before].flatMap((each) => (each === undefined ? [] : ownerKeys(each, owner)))),
    ],
  };
}

function ownerKeys(object: Change['object'], owner: Kind): readonly string[] {
  const controller = controllerOf(object);
  if (controller?.kind !== owner.kind) return [];
  return [`${object.metadata.namespace ?? ''}/${controller.name}`];
}

/** The object that a key names, unless it is gone. */
export function lookUp(cache: Cache, key: string): Change['object'] | undefined {
  const slash = key.indexOf('/');
  return cache.get(key.slice(0, slash), key.slice(slash + 1));
}
