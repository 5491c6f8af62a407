import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import { asArray, asNumber, asString, at } from '../../lib/json.ts';
import { CONTROLLER_FINALIZER, describe, HELM_REPOSITORY, OCI_REPOSITORY, REQUEST, SECRET, STAMP } from './names.ts';
import { specDigest } from './translate.ts';

export interface FluxCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly generation: number | undefined;
}

/** A release in the history that helm-controller keeps. */
export interface FluxRelease {
  readonly version: number;
  readonly status: string;
  readonly digest: string | undefined;
  readonly configDigest: string | undefined;
  readonly chartVersion: string | undefined;
  readonly ociDigest: string | undefined;
}

/** What a HelmRelease says, and what kubepkg noted on it. */
export interface Facts {
  /** `HelmRelease namespace/name`. */
  readonly name: string;
  readonly generation: number;
  /** Of the newest spec with which a turn of helm-controller ended for good. */
  readonly observed: number | undefined;
  /** Of the newest spec for which an action was planned. */
  readonly attempted: number | undefined;
  readonly suspended: boolean;
  /** The spec is what kubepkg wrote. */
  readonly isSpecOurs: boolean;
  readonly stamps: Stamps;
  readonly ready: FluxCondition | undefined;
  readonly released: FluxCondition | undefined;
  readonly reconciling: FluxCondition | undefined;
  readonly stalled: FluxCondition | undefined;
  /** Newest first. */
  readonly history: readonly FluxRelease[];
  /** Failures since the counters were last set back: all of them, and those that left a release record. */
  readonly failures: number;
  readonly recordedFailures: number;
  readonly planned: {
    readonly configDigest: string | undefined;
    readonly revision: string | undefined;
  };
  readonly requestedAt: string | undefined;
  readonly handledAt: string | undefined;
  readonly resetAt: string | undefined;
  readonly handledResetAt: string | undefined;
  readonly forceAt: string | undefined;
  /** helm-controller has not let it go. */
  readonly isHeld: boolean;
}

export type Stamps = Readonly<Record<keyof typeof STAMP, string | undefined>>;

export function isSuspended(helmRelease: KubeObject): boolean {
  return at(helmRelease, 'spec', 'suspend') === true;
}

export function factsOf(object: KubeObject): Facts {
  const { annotations = {}, finalizers = [], generation = 0 } = object.metadata;
  const status = object['status'];
  const number = (...path: readonly string[]): number | undefined => asNumber(at(status, ...path));
  const text = (...path: readonly string[]): string | undefined => asString(at(status, ...path));
  const stamps = stampsIn(annotations);
  return {
    name: describe(object),
    generation,
    observed: number('observedGeneration'),
    attempted: number('lastAttemptedGeneration'),
    suspended: isSuspended(object),
    isSpecOurs: stamps.specDigest !== undefined && stamps.specDigest === specDigest(object['spec']),
    stamps,
    ready: conditionIn(status, 'Ready'),
    released: conditionIn(status, 'Released'),
    reconciling: conditionIn(status, 'Reconciling'),
    stalled: conditionIn(status, 'Stalled'),
    history: asArray(at(status, 'history')).map((entry) => releaseIn(entry)),
    failures: number('failures') ?? 0,
    recordedFailures: (number('installFailures') ?? 0) + (number('upgradeFailures') ?? 0),
    planned: { configDigest: text('lastAttemptedConfigDigest'), revision: text('lastAttemptedRevision') },
    requestedAt: annotations[REQUEST.requestedAt],
    handledAt: text('lastHandledReconcileAt'),
    resetAt: annotations[REQUEST.resetAt],
    handledResetAt: text('lastHandledResetAt'),
    forceAt: annotations[REQUEST.forceAt],
    isHeld: finalizers.includes(CONTROLLER_FINALIZER),
  };
}

/** The source and the Secret that its spec names. */
export function companionsIn(object: KubeObject): readonly ObjectRef[] {
  const { namespace = '' } = object.metadata;
  const named = (kind: { readonly apiVersion: string; readonly kind: string }, reference: unknown): ObjectRef[] => {
    const name = asString(at(reference, 'name'));
    return at(reference, 'kind') === kind.kind && name !== undefined ? [{ ...kind, namespace, name }] : [];
  };
  const spec = object['spec'];
  return [
    ...named(OCI_REPOSITORY, at(spec, 'chartRef')),
    ...named(HELM_REPOSITORY, at(spec, 'chart', 'spec', 'sourceRef')),
    ...named(SECRET, asArray(at(spec, 'valuesFrom'))[0]),
  ];
}

/** Its condition of that type, if it is there; helm-controller removes what no longer holds. */
function conditionIn(status: unknown, type: string): FluxCondition | undefined {
  const condition = asArray(at(status, 'conditions')).find((each) => at(each, 'type') === type);
  if (condition === undefined) return undefined;
  return {
    status: asString(at(condition, 'status')) ?? 'Unknown',
    reason: asString(at(condition, 'reason')) ?? '',
    message: asString(at(condition, 'message')) ?? '',
    generation: asNumber(at(condition, 'observedGeneration')),
  };
}

function releaseIn(entry: unknown): FluxRelease {
  return {
    version: asNumber(at(entry, 'version')) ?? 0,
    status: asString(at(entry, 'status')) ?? '',
    digest: asString(at(entry, 'digest')),
    configDigest: asString(at(entry, 'configDigest')),
    chartVersion: asString(at(entry, 'chartVersion')),
    ociDigest: asString(at(entry, 'ociDigest')),
  };
}

function stampsIn(annotations: Readonly<Record<string, string>>): Stamps {
  const entries = Object.entries(STAMP).map(([name, key]) => [name, annotations[key]]);
  // The same names, each with a text or nothing.
  return Object.fromEntries(entries) as Stamps;
}
