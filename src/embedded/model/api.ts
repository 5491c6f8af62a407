import type { JsonMap, StoredObject } from './object.ts';
import type { Resource, SubresourceName } from './resource.ts';

/** Which kind: always by the version in which it is asked for and answered. */
export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export interface Target extends ResourceName {
  /** Absent: cluster-scoped, or all namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: SubresourceName | undefined;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface DeleteOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface ObjectPage {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface Written {
  readonly object: StoredObject;
  /** It was made by this request: 201. */
  readonly created: boolean;
  /** For the `Warning` header: unknown fields with `fieldValidation=Warn`, say. */
  readonly warnings: readonly string[];
}

export interface WatchOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Absent or `0`: what is there comes first, as ADDED. */
  readonly resourceVersion?: string;
  readonly allowBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
}

export type StoreEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonMap }
  | { readonly type: 'ERROR'; readonly object: JsonMap };

export interface Watching {
  stop(): void;
}

/**
 * The API server without a network. Every call is over when it returns; what it refuses it throws as a StatusError.
 * HTTP, the simulated controllers and the engine (as a port `Cluster`) all go through here.
 */
export interface EmbeddedApi {
  /** What is served now, custom kinds included. */
  resources(): readonly Resource[];
  resource(name: ResourceName): Resource | undefined;
  get(target: Target): StoredObject;
  list(target: Target, options?: ListOptions): ObjectPage;
  create(target: Target, body: JsonMap, options?: WriteOptions): Written;
  /** `PUT`: with a `metadata.resourceVersion` only when it is the newest. */
  update(target: Target, body: JsonMap, options?: WriteOptions): Written;
  patch(target: Target, patch: Patch, options?: WriteOptions): Written;
  /** The object as it was, or as it is while finalizers hold it. */
  delete(target: Target, options?: DeleteOptions): StoredObject;
  deleteCollection(target: Target, options?: DeleteOptions & ListOptions): ObjectPage;
  /** Events of what changes from then on; they come in order, before the call that caused them returns. */
  watch(target: Target, options: WatchOptions, onEvent: (event: StoreEvent) => void): Watching;
}

export interface Patch {
  readonly type: PatchType;
  /** A list of operations for `json`, a map for the others. */
  readonly body: unknown;
  /** Of `apply`: takes over fields of others. */
  readonly force?: boolean;
}
