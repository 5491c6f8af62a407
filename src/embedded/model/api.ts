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
  /** Called once when no more can come, as the kind is not served any more. */
  readonly onEnd?: () => void;
}

export type StoreEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonMap }
  | { readonly type: 'ERROR'; readonly object: JsonMap };

export interface Watching {
  stop(): void;
}

export interface ObjectWatch extends Watching {
  /** Tells the watcher how far it has come, as a BOOKMARK. */
  bookmark(): void;
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
  watch(target: Target, options: WatchOptions, onEvent: (event: StoreEvent) => void): ObjectWatch;
  /** Of a pod's container; the target is the pod. */
  log(target: Target, options?: LogOptions): LogAnswer;
}

export interface Patch {
  readonly type: PatchType;
  /** A list of operations for `json`, a map for the others. */
  readonly body: unknown;
  /** Of `apply`: takes over fields of others. */
  readonly force?: boolean;
}

/** What is about to be written, once it is complete and before it is checked: for what webhooks would say. */
export interface Admission {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: Resource;
  readonly target: Target;
  /** Absent when something is deleted. */
  readonly object: JsonMap | undefined;
  readonly before: StoredObject | undefined;
  readonly dryRun: boolean;
}

export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly text: string;
}

export interface LogTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Of the container's run before the present one. */
  readonly previous: boolean;
}

/** Where the lines that containers wrote come from: the simulated kubelet. */
export interface LogSource {
  /** Undefined: there is no such run (any more, or yet). */
  lines(target: LogTarget): readonly LogLine[] | undefined;
  /** Told of each line that is written from then on, and of the end of the container's run. */
  follow(target: LogTarget, onLine: (line: LogLine) => void, onEnd: () => void): Watching;
}

export interface LogOptions {
  readonly container?: string;
  readonly previous?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly timestamps?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
}

/** A container's log as far as it goes; and, asked to follow it, what comes then. */
export interface LogAnswer {
  /** False of a pod that no node has taken. */
  readonly isThere: boolean;
  readonly text: string;
  follow(onText: (text: string) => void, onEnd: () => void): Watching;
}
