import type { KubeObject, ObjectRef } from '../api/kube.ts';
import type { KubepkgError } from '../api/errors.ts';

export interface Selection {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent: all namespaces, or a cluster-scoped kind. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Ask for metadata alone (PartialObjectMetadata): items have no spec, data or status. */
  readonly metadataOnly?: boolean;
}

export interface ObjectList {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}

interface WriteBase {
  /** For example `status`; absent: the object itself. */
  readonly subresource?: string;
  readonly dryRun?: boolean;
}

/** One write. `replace` needs `metadata.resourceVersion` and fails with ApiConflict when it is not the newest; so does `delete` with either of its conditions. */
export type WriteRequest =
  | (WriteBase & { readonly verb: 'create' | 'replace'; readonly object: KubeObject })
  | (WriteBase & { readonly verb: 'apply'; readonly object: KubeObject; readonly force?: boolean })
  | (WriteBase & {
      readonly verb: 'merge-patch' | 'json-patch';
      readonly ref: ObjectRef;
      readonly patch: unknown;
    })
  | {
      readonly verb: 'delete';
      readonly ref: ObjectRef;
      readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
      /** Only this one, and no other of its name. */
      readonly uid?: string | undefined;
      /** Only as it was read: whoever changed it since may have made it his own. */
      readonly resourceVersion?: string | undefined;
      readonly dryRun?: boolean;
    };

export type WatchEvent =
  /** Everything that existed has been delivered; comes again after each relist, and when a disturbed watch runs again. */
  | { readonly type: 'synced' }
  | { readonly type: 'set'; readonly object: KubeObject }
  | { readonly type: 'gone'; readonly object: KubeObject }
  /** The watch is being retried; until the next `synced`, what was delivered may be out of date. */
  | { readonly type: 'disturbed'; readonly error: KubepkgError };

export interface Subscription {
  stop(): void;
}

export interface ServedKind {
  readonly plural: string;
  readonly namespaced: boolean;
}

/**
 * A Kubernetes API server. Errors are KubepkgErrors, classed at this edge.
 * `read` gives undefined for an object that does not exist and throws KindNotServed for a kind that is not served.
 */
export interface Cluster {
  read(ref: ObjectRef, options?: { readonly metadataOnly?: boolean }): Promise<KubeObject | undefined>;
  /** The whole list, read in pages. */
  list(selection: Selection): Promise<ObjectList>;
  /** Resolves to the object as the server has it afterwards. */
  write(request: WriteRequest): Promise<KubeObject>;
  /**
   * List, then watch with bookmarks, resumed after every fault, without end until stopped. Objects come without
   * `managedFields`, but for who wrote the status when.
   */
  watch(selection: Selection, onEvent: (event: WatchEvent) => void): Subscription;
  /**
   * From discovery, looked up anew when the kind is not known; undefined when the server does not serve it. Without a
   * kind: some kind of that group and version, asked of the server at every call.
   */
  served(apiVersion: string, kind?: string): Promise<ServedKind | undefined>;
  /** The end of a container's log; undefined when there is none (any more, or yet). */
  logs(request: LogRequest): Promise<string | undefined>;
}

export interface LogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Of the container's run before the present one. */
  readonly previous?: boolean;
  readonly tailLines: number;
  readonly limitBytes: number;
}
