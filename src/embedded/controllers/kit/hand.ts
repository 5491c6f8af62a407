import { sameJson } from '../../api/equal.ts';
import type { DeleteOptions, EmbeddedApi, Target } from '../../model/api.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { StatusError, type StatusReason } from '../../model/status-error.ts';
import type { Kind } from './kinds.ts';

/** Writes of one controller, under its name as field manager. */
export interface Hand {
  create(kind: Kind, body: JsonMap): StoredObject;
  /** The whole object. */
  update(kind: Kind, object: JsonMap): StoredObject;
  /** Only when it says something else than before. */
  writeStatus(kind: Kind, object: StoredObject, status: JsonMap): StoredObject;
  /** Annotations along with the status, which do not count as a new generation. */
  annotate(kind: Kind, object: StoredObject, said: Annotated): StoredObject;
  /** A merge patch. */
  merge(kind: Kind, object: StoredObject, patch: JsonMap): StoredObject;
  /** An object that is gone already is fine. */
  remove(kind: Kind, object: StoredObject, options?: DeleteOptions): void;
}

interface Annotated {
  readonly annotations: Readonly<Record<string, string>>;
  readonly status: JsonMap;
}

export function createHand(api: EmbeddedApi, fieldManager: string): Hand {
  const by = { fieldManager };
  return {
    create: (kind, body) => api.create(collectionOf(kind, body), body, by).object,
    update: (kind, object) => api.update(targetOf(kind, object), object, by).object,
    writeStatus(kind, object, status) {
      if (sameJson(object.status, status)) return object;
      return api.update({ ...targetOf(kind, object), subresource: 'status' }, { ...object, status }, by).object;
    },
    annotate(kind, object, { annotations: added, status }) {
      const annotations = { ...object.metadata.annotations, ...added };
      const body = { ...object, metadata: { ...object.metadata, annotations }, status };
      return api.update({ ...targetOf(kind, object), subresource: 'status' }, body, by).object;
    },
    merge: (kind, object, patch) => api.patch(targetOf(kind, object), { type: 'merge', body: patch }, by).object,
    remove(kind, object, options = {}) {
      const preconditions = { uid: object.metadata.uid };
      unless('NotFound', () => api.delete(targetOf(kind, object), { preconditions, ...options }));
    },
  };
}

/** Does it unless the API server refuses it for this reason. */
export function unless<T>(reason: StatusReason, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof StatusError && error.reason === reason) return undefined;
    throw error;
  }
}

export function targetOf(kind: Kind, object: JsonMap): Target {
  const { name } = object.metadata as { readonly name: string };
  return { ...collectionOf(kind, object), name };
}

function collectionOf({ group, version, plural }: Kind, object: JsonMap): Target {
  const { namespace } = object.metadata as { readonly namespace?: string };
  return { group, version, plural, namespace };
}
