import type { Condition, KubeObject, ObjectRef } from '../../../src/api/kube.ts';
import { asArray, isRecord } from '../../../src/lib/json.ts';
import { formatSeconds } from '../../../src/lib/time.ts';
import type { MemoryCluster } from '../../fakes/memory-cluster.ts';

export type Status = Readonly<Record<string, unknown>>;

export function statusOf(object: KubeObject | undefined): Status {
  const status = object?.['status'];
  return isRecord(status) ? status : {};
}

/** Of the object as it is now; nothing when it is gone. */
export function writeStatus(
  cluster: MemoryCluster,
  ref: ObjectRef,
  change: (status: Status, live: KubeObject) => Status,
): void {
  const live = cluster.get(ref);
  if (live !== undefined) cluster.put({ ...live, status: change(statusOf(live), live) });
}

export type NewCondition = readonly [
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
];

/** Stamped with the newest generation, whatever was tried. */
export function withConditions(
  status: Status,
  live: KubeObject,
  {
    set,
    drop = [],
    now,
  }: { readonly set: readonly NewCondition[]; readonly drop?: readonly string[]; readonly now: number },
): Status {
  const replaced = new Set([...drop, ...set.map(([type]) => type)]);
  const conditions = asArray(status['conditions']) as readonly Condition[];
  const made = set.map(([type, state, reason, message]) => ({
    type,
    status: state,
    reason,
    message,
    observedGeneration: live.metadata.generation,
    lastTransitionTime: formatSeconds(now),
  }));
  return { ...status, conditions: [...conditions.filter(({ type }) => !replaced.has(type)), ...made] };
}

export function withFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

export function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
