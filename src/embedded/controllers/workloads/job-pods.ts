import type { StoredObject } from '../../model/object.ts';
import { isPodActive, isPodFinished, isPodReady, podPhase, restartsOf } from '../kit/pod-state.ts';
import { countAt, isDeleting, mapAt, mapsAt, numberAt, textAt, timeAt } from '../kit/read.ts';
import { readIndexes } from './job-indexes.ts';

export const TRACKING = 'batch.kubernetes.io/job-tracking';
export const INDEX = 'batch.kubernetes.io/job-completion-index';

export interface JobSpec {
  readonly parallelism: number;
  /** Absent: any pod that ends well completes the job. */
  readonly completions: number | undefined;
  readonly backoffLimit: number;
  readonly deadlineSeconds: number | undefined;
  readonly isIndexed: boolean;
  readonly isSuspended: boolean;
  readonly replacesFailedOnly: boolean;
}

function jobSpec(job: StoredObject): JobSpec {
  const spec = mapAt(job, 'spec');
  const parallelism = numberAt(spec, 'parallelism');
  const completions = numberAt(spec, 'completions');
  return {
    parallelism: parallelism ?? 1,
    completions: parallelism === undefined ? (completions ?? 1) : completions,
    backoffLimit: numberAt(spec, 'backoffLimit') ?? 6,
    deadlineSeconds: numberAt(spec, 'activeDeadlineSeconds'),
    isIndexed: spec.completionMode === 'Indexed',
    isSuspended: spec.suspend === true,
    replacesFailedOnly: spec.podReplacementPolicy === 'Failed',
  };
}

/** Where a job is, counting the pods that ended since its status was written. */
export interface JobTally {
  readonly spec: JobSpec;
  readonly pods: readonly StoredObject[];
  readonly active: readonly StoredObject[];
  readonly ready: number;
  readonly terminating: number;
  readonly newSucceeded: readonly StoredObject[];
  readonly newFailed: readonly StoredObject[];
  readonly succeeded: number;
  readonly failed: number;
  /** Of an indexed job. */
  readonly completedIndexes: ReadonlySet<number>;
}

export function tally(job: StoredObject, pods: readonly StoredObject[]): JobTally {
  const spec = jobSpec(job);
  const active = pods.filter(isPodActive);
  const uncounted = pods.filter(isTracked);
  const newSucceeded = uncounted.filter((pod) => podPhase(pod) === 'Succeeded');
  const newFailed = uncounted.filter((pod) => hasFailed(pod, spec));
  const completedIndexes = new Set([
    ...readIndexes(textAt(job, 'status', 'completedIndexes')),
    ...(spec.isIndexed ? newSucceeded.map(indexOf) : []),
  ]);
  return {
    spec,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter((pod) => isDeleting(pod) && !isPodFinished(pod)).length,
    newSucceeded,
    newFailed,
    succeeded: spec.isIndexed ? completedIndexes.size : countAt(job, 'status', 'succeeded') + newSucceeded.length,
    failed: countAt(job, 'status', 'failed') + newFailed.length,
    completedIndexes,
  };
}

/** Not counted in the status yet, and so held until it is. */
export function isTracked(pod: StoredObject): boolean {
  return pod.metadata.finalizers?.includes(TRACKING) === true;
}

/** A pod that is taken away never gets to fail by itself. */
function hasFailed(pod: StoredObject, spec: JobSpec): boolean {
  if (podPhase(pod) === 'Failed') return true;
  return !spec.replacesFailedOnly && isDeleting(pod) && podPhase(pod) !== 'Succeeded';
}

export function indexOf(pod: StoredObject): number {
  return Number(pod.metadata.annotations?.[INDEX] ?? -1);
}

/** With restartPolicy OnFailure a container is tried again in its pod, which counts as well. */
export function restartsExceeded(tally: JobTally): boolean {
  const { pods, spec } = tally;
  const restarted = pods.filter((pod) => textAt(pod, 'spec', 'restartPolicy') === 'OnFailure' && isPodActive(pod));
  const restarts = restarted.reduce((sum, pod) => sum + restartsOf(pod) + initRestarts(pod), 0);
  return spec.backoffLimit === 0 ? restarts > 0 : restarted.length > 0 && restarts >= spec.backoffLimit;
}

function initRestarts(pod: StoredObject): number {
  return mapsAt(pod, 'status', 'initContainerStatuses').reduce((sum, each) => sum + countAt(each, 'restartCount'), 0);
}

/** When the last container of a pod ended. */
export function finishedAt(pod: StoredObject): number | undefined {
  const times = mapsAt(pod, 'status', 'containerStatuses').map(
    (each) => timeAt(each, 'state', 'terminated', 'finishedAt') ?? 0,
  );
  const last = Math.max(0, ...times);
  return last === 0 ? undefined : last;
}
