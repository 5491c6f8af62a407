/** The parts of Kubernetes' own types that kubepkg reads; everything else of an object is kept as it came. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedField {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedField[];
}

/** Any Kubernetes object as plain JSON. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** Names one object; `namespace` is left out for cluster-scoped kinds. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** A condition as Kubernetes has them; `lastTransitionTime` in RFC 3339, whole seconds. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration?: number | undefined;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** `Kind namespace/name`, the way every message names an object. */
export function nameOf(ref: ObjectRef): string {
  return ref.namespace === undefined ? `${ref.kind} ${ref.name}` : `${ref.kind} ${ref.namespace}/${ref.name}`;
}

export function refOf(object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  const base = { apiVersion: object.apiVersion, kind: object.kind, name };
  return namespace === undefined ? base : { ...base, namespace };
}

/** One key for an object, whatever version of its API it is written in. */
export function refKey(ref: ObjectRef): string {
  const slash = ref.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : ref.apiVersion.slice(0, slash);
  return `${group}/${ref.kind}/${ref.namespace ?? ''}/${ref.name}`;
}
