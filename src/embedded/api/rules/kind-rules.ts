import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { Core } from '../core.ts';

/** What the API server does for one kind beyond what it does for all. */
export interface KindRules {
  /** Completes a new object, which has its uid already. */
  readonly create?: (core: Core, object: JsonMap) => JsonMap;
  readonly update?: (
    core: Core,
    change: { readonly object: StoredObject; readonly live: StoredObject },
  ) => StoredObject;
  readonly written?: (core: Core, object: StoredObject, before: StoredObject | undefined) => void;
  /** The object was there before this API server. */
  readonly known?: (core: Core, object: StoredObject) => void;
  /** It has gone from another API server, which has seen to what follows. */
  readonly forgotten?: (core: Core, object: StoredObject) => void;
  /** What another API server was about to do with it. */
  readonly goOn?: (core: Core, object: StoredObject) => void;
  readonly removed?: (core: Core, object: StoredObject) => void;
}

export function childOf(object: JsonMap, field: string): JsonMap {
  const child = object[field];
  return typeof child === 'object' && child !== null && !Array.isArray(child) ? (child as JsonMap) : {};
}

export function withSpec<T extends JsonMap>(object: T, spec: JsonMap): T {
  return { ...object, spec: { ...childOf(object, 'spec'), ...spec } };
}

export function withMetadata<T extends JsonMap>(object: T, metadata: JsonMap): T {
  return { ...object, metadata: { ...childOf(object, 'metadata'), ...metadata } };
}
