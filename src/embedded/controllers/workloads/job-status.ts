import { formatSeconds } from '../../../lib/time.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { conditionOf, hasCondition } from '../kit/conditions.ts';
import { mapAt, mapsAt, textAt, timeAt, withoutZeros } from '../kit/read.ts';
import { writeIndexes } from './job-indexes.ts';
import { type JobTally, restartsExceeded } from './job-pods.ts';

export interface JobCondition {
  readonly type: 'SuccessCriteriaMet' | 'FailureTarget' | 'Complete' | 'Failed' | 'Suspended';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export function isJobFinished(job: StoredObject): boolean {
  return hasCondition(job, 'Complete') || hasCondition(job, 'Failed');
}

/** How it will end, as its status says already or as its pods say now. */
export function targetOf(job: StoredObject, counted: JobTally, now: number): JobCondition | undefined {
  return told(job, 'SuccessCriteriaMet') ?? told(job, 'FailureTarget') ?? failureOf(job, counted, now);
}

function told(job: StoredObject, type: 'SuccessCriteriaMet' | 'FailureTarget'): JobCondition | undefined {
  const condition = conditionOf(job, type);
  if (condition?.status !== 'True') return undefined;
  return { type, status: 'True', reason: textAt(condition, 'reason'), message: textAt(condition, 'message') };
}

function failureOf(job: StoredObject, counted: JobTally, now: number): JobCondition | undefined {
  if (counted.failed > counted.spec.backoffLimit || restartsExceeded(counted)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const left = timeToDeadline(job, counted, now);
  if (left === undefined || left > 0) return undefined;
  return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
}

function failure(reason: string, message: string): JobCondition {
  return { type: 'FailureTarget', status: 'True', reason, message };
}

export function timeToDeadline(job: StoredObject, { spec }: JobTally, now: number): number | undefined {
  const started = timeAt(job, 'status', 'startTime');
  if (spec.deadlineSeconds === undefined || spec.isSuspended) return undefined;
  return (started ?? now) + spec.deadlineSeconds * 1000 - now;
}

export function successOf({ spec, succeeded }: JobTally, active: number): JobCondition | undefined {
  const wanted = spec.completions ?? 1;
  if (succeeded < wanted || active > 0) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached', message };
}

/** The end itself, once nothing is left that could change it. */
export function finalOf(target: JobCondition): JobCondition {
  return { ...target, type: target.type === 'FailureTarget' ? 'Failed' : 'Complete' };
}

/** A job that was never suspended has no condition about it. */
export function suspension(job: StoredObject, isSuspended: boolean): JobCondition | undefined {
  const known = conditionOf(job, 'Suspended');
  if (known === undefined ? !isSuspended : (known.status === 'True') === isSuspended) return undefined;
  return isSuspended
    ? { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };
}

function withJobCondition(conditions: readonly JsonMap[], next: JobCondition, now: number): readonly JsonMap[] {
  const old = conditions.find(({ type }) => type === next.type);
  if (old?.status === next.status && old.reason === next.reason) return conditions;
  const time = formatSeconds(now);
  const { type, status, reason, message } = next;
  const condition = { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
  return [...conditions.filter((each) => each !== old), condition];
}

export interface JobProgress {
  readonly counted: JobTally;
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly conditions: readonly JobCondition[];
  readonly now: number;
}

export function jobStatus(job: StoredObject, progress: JobProgress): JsonMap {
  const { counted, active, ready, terminating, now } = progress;
  const old = mapAt(job, 'status');
  const conditions = progress.conditions.reduce(
    (list, next) => withJobCondition(list, next, now),
    mapsAt(job, 'status', 'conditions'),
  );
  const isComplete = progress.conditions.some(({ type }) => type === 'Complete');
  const resumed = progress.conditions.some(({ type, status }) => type === 'Suspended' && status === 'False');
  const startTime = counted.spec.isSuspended
    ? undefined
    : resumed
      ? formatSeconds(now)
      : (old.startTime ?? formatSeconds(now));
  return {
    ...(startTime === undefined ? {} : { startTime }),
    ...withoutZeros({ active, succeeded: counted.succeeded, failed: counted.failed }),
    ...(counted.spec.isIndexed && counted.completedIndexes.size > 0
      ? { completedIndexes: writeIndexes(counted.completedIndexes) }
      : {}),
    ready,
    terminating,
    uncountedTerminatedPods: {},
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(isComplete ? { completionTime: formatSeconds(now) } : {}),
  };
}
