import type { KubeObject, ObjectRef } from '../../api/kube.ts';

export type ReadinessStatus = 'ready' | 'progressing' | 'failed' | 'terminating' | 'unknown';

/** What one object says about itself; texts name its parts and current values, and never the object or an age. */
export interface Verdict {
  readonly status: ReadinessStatus;
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
  /** Ready, and still worth saying: a paused Deployment, a claim that waits for its first consumer. */
  readonly note?: string;
  /** A failed verdict that no grace period can change: a failed Job. */
  readonly final?: boolean;
}

/** The first value of each is the default. */
export interface ReadinessOptions {
  readonly loadBalancer: 'ClusterIP' | 'Address';
  readonly notReadyNodes: 'Wait' | 'Tolerate';
  readonly jobs: 'Complete' | 'Started';
}

export const DEFAULT_READINESS_OPTIONS: ReadinessOptions = {
  loadBalancer: 'ClusterIP',
  notReadyNodes: 'Wait',
  jobs: 'Complete',
};

export interface ReadinessContext {
  readonly options: ReadinessOptions;
  /** Live objects that `relatedTo` asked for. */
  readonly related: readonly KubeObject[];
  /** Live objects of the same release. */
  readonly siblings: readonly KubeObject[];
  /** Whether discovery serves a kind; undefined when nobody looked. */
  readonly served: (apiVersion: string, kind: string) => boolean | undefined;
}

export interface ObjectSelection {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent: all namespaces, or a cluster-scoped kind. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** `verdict`: the verdict may turn out differently once these are read; `cause`: only the explanation gains. */
export type RelatedPurpose = 'verdict' | 'cause';

export type RelatedQuery =
  | { readonly kind: 'object'; readonly purpose: RelatedPurpose; readonly ref: ObjectRef }
  | { readonly kind: 'selected'; readonly purpose: RelatedPurpose; readonly selection: ObjectSelection };

/** How one kind is judged, after what holds for all kinds has been. */
export interface KindRule {
  /** Its controller always writes `status.observedGeneration`: without it, the status is nobody's. */
  readonly alwaysObserved: boolean;
  assess(object: KubeObject, context: ReadinessContext): Verdict;
  /** What to read, beside the object, while it is not ready. */
  related(object: KubeObject): readonly RelatedQuery[];
}

export function ready(message: string, note?: string): Verdict {
  const verdict = { status: 'ready', reason: 'Ready', message } as const;
  return note === undefined ? verdict : { ...verdict, note };
}

export function progressing(reason: string, message: string): Verdict {
  return { status: 'progressing', reason, message };
}

export function failed(reason: string, message: string): Verdict {
  return { status: 'failed', reason, message };
}
