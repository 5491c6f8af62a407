import { earliest } from '../../../lib/earliest.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { StatusError } from '../../model/status-error.ts';
import { conditionOf } from '../kit/conditions.ts';
import { changesOf, changesOfOwned, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, type Hand } from '../kit/hand.ts';
import type { Cache } from '../kit/informers.ts';
import { JOBS, PODS } from '../kit/kinds.ts';
import { claim } from '../kit/owners.ts';
import { byWorth, isPodReady } from '../kit/pod-state.ts';
import { controllerOf, isDeleting, mapAt, numberAt, parseKey, timeAt } from '../kit/read.ts';
import type { Tell } from '../kit/recorder.ts';
import { podFromTemplate } from '../kit/template.ts';
import { finishedAt, INDEX, indexOf, isTracked, type JobTally, tally, TRACKING } from './job-pods.ts';
import {
  finalOf,
  isJobFinished,
  type JobCondition,
  jobStatus,
  successOf,
  suspension,
  targetOf,
  timeToDeadline,
} from './job-status.ts';
import { createPod } from './replica-set.ts';

const COMPONENT = 'job-controller';
const FIRST_BACKOFF_MS = 10_000;
const LAST_BACKOFF_MS = 600_000;

/** Failures since the last success of a job, for the pause before its next pod. */
interface Setback {
  readonly failures: number;
  readonly at: number;
}

export function jobController(surroundings: Surroundings): Controller {
  const driver = new Driver(surroundings);
  return {
    name: COMPONENT,
    sources: [changesOf(JOBS), changesOfOwned(PODS, JOBS)],
    reconcile: (key) => driver.reconcile(key),
  };
}

class Driver {
  readonly #hand: Hand;
  readonly #tell: Tell;
  readonly #jobs: Cache;
  readonly #pods: Cache;
  readonly #clock: Surroundings['clock'];
  readonly #setbacks = new Map<string, Setback>();

  constructor({ api, informers, recorder, clock }: Surroundings) {
    this.#hand = createHand(api, 'kube-controller-manager');
    this.#tell = recorder.by(COMPONENT);
    this.#jobs = informers.of(JOBS);
    this.#pods = informers.of(PODS);
    this.#clock = clock;
  }

  reconcile(key: string): number | undefined {
    const job = lookUp(this.#jobs, key);
    this.#releaseOrphans(key, job);
    if (job === undefined) return undefined;
    if (isJobFinished(job)) return this.#expire(job);
    return this.#advance(job);
  }

  #advance(job: StoredObject): number | undefined {
    const now = this.#clock.now();
    const counted = tally(job, this.#podsOf(job));
    this.#noteSetback(job, counted);
    const target = targetOf(job, counted, now);
    const managed = target === undefined ? this.#manage(job, counted) : this.#halt(job, counted);
    const end = target ?? successOf(counted, managed.active);
    const conditions = end === undefined ? suspensionOf(job, counted) : endOf(job, end, { counted, managed });
    this.#hand.writeStatus(JOBS, job, jobStatus(job, { counted, ...managed, conditions, now }));
    for (const pod of [...counted.newSucceeded, ...counted.newFailed]) this.#untrack(pod);
    for (const condition of conditions) this.#announce(job, condition);
    if (managed.refusal !== undefined) throw managed.refusal;
    const deadline = end === undefined ? timeToDeadline(job, counted, now) : undefined;
    return earliest(managed.again, deadline);
  }

  #podsOf(job: StoredObject): readonly StoredObject[] {
    const selector = mapAt(job, 'spec', 'selector');
    if (Object.keys(selector).length === 0) return this.#pods.ownedBy(job.metadata.uid);
    return claim({ owner: job, kind: PODS, cache: this.#pods, hand: this.#hand });
  }

  /** Nobody counts the pods of a job that is gone. */
  #releaseOrphans(key: string, job: StoredObject | undefined): void {
    const { namespace, name } = parseKey(key);
    for (const pod of this.#pods.inNamespace(namespace)) {
      const owner = controllerOf(pod);
      const isOrphan = owner?.kind === JOBS.kind && owner.name === name && owner.uid !== job?.metadata.uid;
      if (isOrphan && isTracked(pod)) this.#untrack(pod);
    }
  }

  #untrack(pod: StoredObject): void {
    const live = this.#pods.get(pod.metadata.namespace ?? '', pod.metadata.name);
    if (live === undefined || !isTracked(live)) return;
    const finalizers = (live.metadata.finalizers ?? []).filter((each) => each !== TRACKING);
    this.#hand.merge(PODS, live, { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } });
  }

  #noteSetback(job: StoredObject, { newSucceeded, newFailed }: JobTally): void {
    const { uid } = job.metadata;
    if (newSucceeded.length > 0) this.#setbacks.delete(uid);
    if (newFailed.length === 0) return;
    const times = newFailed.map((pod) => finishedAt(pod) ?? timeAt(pod, 'metadata', 'deletionTimestamp') ?? 0);
    const failures = (this.#setbacks.get(uid)?.failures ?? 0) + newFailed.length;
    this.#setbacks.set(uid, { failures, at: Math.max(...times) });
  }

  /** Makes the pods that are missing, or removes what is too much. */
  #manage(job: StoredObject, counted: JobTally): Managed {
    const { spec, active, succeeded, terminating, ready } = counted;
    const now: Managed = { active: active.length, ready, terminating };
    if (isDeleting(job)) return now;
    const surplus = active.length - (spec.isSuspended ? 0 : wantedActive(counted));
    if (surplus > 0) return this.#shrink(job, [...active].sort(byWorth).slice(0, surplus), now);
    const busy = spec.replacesFailedOnly ? active.length + terminating : active.length;
    const missing = spec.isSuspended ? 0 : wantedActive(counted) - busy;
    if (missing <= 0 || (spec.completions !== undefined && succeeded >= spec.completions)) return now;
    const pause = this.#pauseOf(job);
    if (pause > 0) return { ...now, again: pause };
    return this.#grow(job, counted, missing);
  }

  #grow(job: StoredObject, counted: JobTally, missing: number): Managed {
    const { active, ready, terminating } = counted;
    const free = counted.spec.isIndexed ? freeIndexes(counted) : [];
    let made = 0;
    for (; made < missing; made += 1) {
      const index = free[made];
      if (counted.spec.isIndexed && index === undefined) break;
      const refusal = createPod(job, podOfJob(job, index), { hand: this.#hand, tell: this.#tell });
      if (refusal !== undefined) return { active: active.length + made, ready, terminating, refusal };
    }
    return { active: active.length + made, ready, terminating };
  }

  /** They were not needed, so they do not count as failed. */
  #shrink(job: StoredObject, surplus: readonly StoredObject[], before: Managed): Managed {
    for (const pod of surplus) {
      this.#untrack(pod);
      this.#removePod(job, pod);
    }
    return afterRemoval(before, surplus);
  }

  /** It ends: what still runs is stopped, and counts. */
  #halt(job: StoredObject, { active, ready, terminating }: JobTally): Managed {
    for (const pod of active) this.#removePod(job, pod);
    return afterRemoval({ active: active.length, ready, terminating }, active);
  }

  #removePod(job: StoredObject, pod: StoredObject): void {
    this.#hand.remove(PODS, pod);
    this.#tell(job, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${pod.metadata.name}` });
  }

  #pauseOf(job: StoredObject): number {
    const setback = this.#setbacks.get(job.metadata.uid);
    if (setback === undefined) return 0;
    const pause = Math.min(FIRST_BACKOFF_MS * 2 ** (setback.failures - 1), LAST_BACKOFF_MS);
    return Math.max(0, setback.at + pause - this.#clock.now());
  }

  #announce(job: StoredObject, { type, status, reason, message }: JobCondition): void {
    if (type === 'Complete') this.#tell(job, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
    if (type === 'Failed') this.#tell(job, { type: 'Warning', reason, message });
    if (type !== 'Suspended') return;
    this.#tell(job, { type: 'Normal', reason: status === 'True' ? 'Suspended' : 'Resumed', message });
  }

  /** Some jobs are removed a while after their end. */
  #expire(job: StoredObject): number | undefined {
    this.#setbacks.delete(job.metadata.uid);
    for (const pod of this.#pods.ownedBy(job.metadata.uid)) this.#untrack(pod);
    const ttl = numberAt(job, 'spec', 'ttlSecondsAfterFinished');
    if (ttl === undefined || isDeleting(job)) return undefined;
    const end = conditionOf(job, 'Complete') ?? conditionOf(job, 'Failed');
    const left = (timeAt(end, 'lastTransitionTime') ?? 0) + ttl * 1000 - this.#clock.now();
    if (left > 0) return left;
    this.#hand.remove(JOBS, job, { propagationPolicy: 'Foreground' });
    return undefined;
  }
}

interface Managed {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly again?: number;
  readonly refusal?: StatusError;
}

function afterRemoval(before: Managed, removed: readonly StoredObject[]): Managed {
  return {
    active: before.active - removed.length,
    ready: before.ready - removed.filter(isPodReady).length,
    terminating: before.terminating + removed.length,
  };
}

function suspensionOf(job: StoredObject, { spec }: JobTally): readonly JobCondition[] {
  const condition = isDeleting(job) ? undefined : suspension(job, spec.isSuspended);
  return condition === undefined ? [] : [condition];
}

function endOf(
  job: StoredObject,
  end: JobCondition,
  turn: { readonly counted: JobTally; readonly managed: Managed },
): readonly JobCondition[] {
  return isSettled(job, end, turn) ? [end, finalOf(end)] : [end];
}

/** The end is told once it was announced, all pods are counted and none is left that runs or stops. */
function isSettled(
  job: StoredObject,
  end: JobCondition,
  { counted, managed }: { readonly counted: JobTally; readonly managed: Managed },
): boolean {
  const isAnnounced = conditionOf(job, end.type) !== undefined;
  const uncounted = counted.newSucceeded.length + counted.newFailed.length;
  return isAnnounced && uncounted === 0 && managed.active === 0 && managed.terminating === 0;
}

function wantedActive({ spec, succeeded, active }: JobTally): number {
  if (spec.completions === undefined) return succeeded > 0 ? active.length : spec.parallelism;
  return Math.min(spec.parallelism, Math.max(0, spec.completions - succeeded));
}

function freeIndexes({ spec, active, completedIndexes }: JobTally): readonly number[] {
  const taken = new Set([...completedIndexes, ...active.map(indexOf)]);
  return Array.from({ length: spec.completions ?? 0 }, (_, index) => index).filter((index) => !taken.has(index));
}

function podOfJob(job: StoredObject, index: number | undefined): JsonMap {
  const { name, uid } = job.metadata;
  const at = index === undefined ? undefined : String(index);
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
    ...(at === undefined ? {} : { [INDEX]: at }),
  };
  return podFromTemplate(job, mapAt(job, 'spec', 'template'), {
    labels,
    finalizers: [TRACKING],
    generateName: at === undefined ? `${name}-` : `${name}-${at}-`,
    ...(at === undefined ? {} : { annotations: { [INDEX]: at }, spec: { hostname: `${name}-${at}` } }),
  });
}
