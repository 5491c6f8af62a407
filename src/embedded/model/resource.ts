import type { Schema } from './schema.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export type SubresourceName = 'status' | 'scale' | 'log' | 'binding' | 'eviction' | 'finalize' | 'token';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0 is shown always, others with `-o wide`. */
  readonly priority?: number;
  /** Of custom kinds: where the value is, `.spec.replicas`. */
  readonly jsonPath?: string;
}

/** One kind in one version of its group: `GET /apis/GROUP/VERSION/PLURAL`. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly SubresourceName[];
  /** Absent: nothing is known of its fields, and all are kept. */
  readonly schema?: Schema;
  /** Of a kind that a CustomResourceDefinition defines. */
  readonly custom: boolean;
  /** Of `kubectl get`; absent: name and age. */
  readonly columns?: readonly PrinterColumn[];
  /** Paths of the scale subresource in the object: `.spec.replicas`, as CRDs write them. */
  readonly scale?: { readonly spec: string; readonly status: string; readonly selector?: string };
}

/** The name of a kind in all its versions: the key under which its objects are stored. */
export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

/** As objects write it: `apps/v1`, or `v1` in the core group. */
export function apiVersionOf({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
