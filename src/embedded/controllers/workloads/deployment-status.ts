import { formatSeconds } from '../../../lib/time.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { conditionOf, type NewCondition } from '../kit/conditions.ts';
import { countAt, mapsAt, numberAt, textAt, timeAt, withoutZeros } from '../kit/read.ts';
import { limitsOf, sizeOf, totalOf, totalSize } from './deployment-sizes.ts';

/** What the API server stores for "no deadline". */
const NO_DEADLINE = 2_147_483_647;

export interface RolloutFacts {
  readonly deployment: StoredObject;
  /** Absent: there is no ReplicaSet of the newest template, as in a Deployment that is paused. */
  readonly current: StoredObject | undefined;
  readonly all: readonly StoredObject[];
  readonly now: number;
}

export function hasDeadline(deployment: StoredObject): boolean {
  return (numberAt(deployment, 'spec', 'progressDeadlineSeconds') ?? NO_DEADLINE) !== NO_DEADLINE;
}

/** Conditions of a Deployment also tell when they were last looked at. */
export function setCondition(conditions: readonly JsonMap[], next: NewCondition, now: number): readonly JsonMap[] {
  const old = conditions.find(({ type }) => type === next.type);
  if (old?.status === next.status && old.reason === next.reason) return conditions;
  return replaceCondition(conditions, next, now);
}

function replaceCondition(conditions: readonly JsonMap[], next: NewCondition, now: number): readonly JsonMap[] {
  const old = conditions.find(({ type }) => type === next.type);
  const time = formatSeconds(now);
  const transition = old?.status === next.status ? old.lastTransitionTime : time;
  const { type, status, reason, message } = next;
  const condition = { type, status, lastUpdateTime: time, lastTransitionTime: transition, reason, message };
  return [...conditions.filter((each) => each !== old), condition];
}

function countsOf({ deployment, current, all }: RolloutFacts): JsonMap {
  const available = totalOf(all, 'availableReplicas');
  return {
    ...withoutZeros({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: totalOf(all, 'replicas'),
      updatedReplicas: current === undefined ? 0 : countAt(current, 'status', 'replicas'),
      readyReplicas: totalOf(all, 'readyReplicas'),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, totalSize(all) - available),
    }),
    terminatingReplicas: totalOf(all, 'terminatingReplicas'),
  };
}

/** Counts and `Available`, which are told while a Deployment is paused as well. */
export function plainStatus(facts: RolloutFacts): JsonMap {
  const { deployment, all, now } = facts;
  const enough = totalOf(all, 'availableReplicas') >= sizeOf(deployment) - limitsOf(deployment).unavailable;
  const conditions = setCondition(
    mapsAt(deployment, 'status', 'conditions'),
    {
      type: 'Available',
      status: enough ? 'True' : 'False',
      reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: enough ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
    },
    now,
  );
  return { ...countsOf(facts), conditions };
}

/** With `Progressing`, judged by how the counts moved since the status before. */
export function rolloutStatus(facts: RolloutFacts): JsonMap {
  const status = plainStatus(facts);
  const judged = withProgress(facts, status, mapsAt(status, 'conditions'));
  return { ...status, conditions: withFailure(facts, judged) };
}

function withProgress(facts: RolloutFacts, status: JsonMap, conditions: readonly JsonMap[]): readonly JsonMap[] {
  const { deployment, now } = facts;
  if (!hasDeadline(deployment)) return conditions.filter(({ type }) => type !== 'Progressing');
  const current = conditionOf(deployment, 'Progressing');
  const settled = countAt(status, 'replicas') === countAt(status, 'updatedReplicas');
  if (settled && current?.reason === 'NewReplicaSetAvailable') return conditions;
  const condition = (status: 'True' | 'False', reason: string, does: string): NewCondition => ({
    type: 'Progressing',
    status,
    reason,
    message: `${subjectOf(facts)} ${does}`,
  });
  if (isComplete(deployment, status)) {
    return setCondition(conditions, condition('True', 'NewReplicaSetAvailable', 'has successfully progressed.'), now);
  }
  if (hasMoved(deployment, status)) {
    return replaceCondition(conditions, condition('True', 'ReplicaSetUpdated', 'is progressing.'), now);
  }
  if (hasTimedOut(deployment, current, now)) {
    return setCondition(conditions, condition('False', 'ProgressDeadlineExceeded', 'has timed out progressing.'), now);
  }
  return conditions;
}

function subjectOf({ deployment, current }: RolloutFacts): string {
  return current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
}

export function isComplete(deployment: StoredObject, status: unknown): boolean {
  const wanted = sizeOf(deployment);
  return (
    ['updatedReplicas', 'replicas', 'availableReplicas'].every((field) => countAt(status, field) === wanted) &&
    countAt(status, 'observedGeneration') >= (deployment.metadata.generation ?? 0)
  );
}

function hasMoved(deployment: StoredObject, status: JsonMap): boolean {
  const before = deployment.status;
  const oldOnes = (counts: unknown): number => countAt(counts, 'replicas') - countAt(counts, 'updatedReplicas');
  return (
    oldOnes(status) < oldOnes(before) ||
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'].some(
      (field) => countAt(status, field) > countAt(before, field),
    )
  );
}

function hasTimedOut(deployment: StoredObject, progressing: JsonMap | undefined, now: number): boolean {
  if (progressing === undefined || progressing.reason === 'NewReplicaSetAvailable') return false;
  if (progressing.reason === 'ProgressDeadlineExceeded') return true;
  return deadlineOf(deployment, progressing, now) < now;
}

function deadlineOf(deployment: StoredObject, progressing: JsonMap, now: number): number {
  const seconds = countAt(deployment, 'spec', 'progressDeadlineSeconds');
  return (timeAt(progressing, 'lastUpdateTime') ?? now) + seconds * 1000;
}

/** When the progress deadline passes, if nothing moves until then. */
export function timeToDeadline(deployment: StoredObject, now: number): number | undefined {
  const progressing = conditionOf(deployment, 'Progressing');
  if (!hasDeadline(deployment) || progressing === undefined) return undefined;
  if (isComplete(deployment, deployment.status)) return undefined;
  if (['ProgressDeadlineExceeded', 'NewReplicaSetAvailable'].includes(textAt(progressing, 'reason'))) return undefined;
  return Math.max(0, deadlineOf(deployment, progressing, now) - now) + 1000;
}

function withFailure({ current, all, now }: RolloutFacts, conditions: readonly JsonMap[]): readonly JsonMap[] {
  const failure = [current, ...all]
    .map((each) => conditionOf(each, 'ReplicaFailure'))
    .find((condition) => condition !== undefined);
  if (failure === undefined) return conditions.filter(({ type }) => type !== 'ReplicaFailure');
  const status = failure.status === 'True' ? 'True' : 'False';
  const [reason, message] = [textAt(failure, 'reason'), textAt(failure, 'message')];
  return setCondition(conditions, { type: 'ReplicaFailure', status, reason, message }, now);
}
