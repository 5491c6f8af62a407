import { apiVersionOf } from '../../model/resource.ts';
import { formatSeconds } from '../../../lib/time.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { conditionOf, hasCondition } from '../kit/conditions.ts';
import { changesOf, changesOfOwned, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, type Hand, unless } from '../kit/hand.ts';
import type { Cache } from '../kit/informers.ts';
import { CRON_JOBS, JOBS } from '../kit/kinds.ts';
import { controllerReference } from '../kit/owners.ts';
import { byAge, createdAt, isDeleting, labelsAt, mapAt, numberAt, textAt, timeAt } from '../kit/read.ts';
import type { Tell } from '../kit/recorder.ts';
import { nextTime, parseSchedule, type Schedule } from './cron-schedule.ts';
import { isJobFinished } from './job-status.ts';

const COMPONENT = 'cronjob-controller';
const MINUTE_MS = 60_000;

/** Makes Jobs by the clock, in UTC, and keeps the last few of them. */
export function cronJobController(surroundings: Surroundings): Controller {
  const timer = new CronTimer(surroundings);
  return {
    name: COMPONENT,
    sources: [changesOf(CRON_JOBS), changesOfOwned(JOBS, CRON_JOBS)],
    reconcile(key) {
      const cronJob = lookUp(surroundings.informers.of(CRON_JOBS), key);
      return cronJob === undefined || isDeleting(cronJob) ? undefined : timer.turn(cronJob);
    },
  };
}

class CronTimer {
  readonly #hand: Hand;
  readonly #tell: Tell;
  readonly #jobs: Cache;
  readonly #clock: Surroundings['clock'];

  constructor({ api, clock, informers, recorder }: Surroundings) {
    this.#hand = createHand(api, 'kube-controller-manager');
    this.#tell = recorder.by(COMPONENT);
    this.#jobs = informers.of(JOBS);
    this.#clock = clock;
  }

  turn(cronJob: StoredObject): number | undefined {
    const settled = this.#settle(cronJob);
    this.#trim(settled);
    if (mapAt(settled, 'spec').suspend === true) return undefined;
    const text = textAt(settled, 'spec', 'schedule');
    const schedule = parseSchedule(text);
    if (schedule === undefined) {
      const message = `unparseable schedule: "${text}"`;
      this.#tell(settled, { type: 'Warning', reason: 'UnparseableSchedule', message });
      return undefined;
    }
    const due = this.#latestDue(settled, schedule);
    if (due !== undefined) this.#start(settled, due);
    const next = nextTime(schedule, this.#clock.now());
    return next === undefined ? undefined : next - this.#clock.now();
  }

  /** Jobs that have ended are no longer active. */
  #settle(cronJob: StoredObject): StoredObject {
    const owned = this.#jobs.ownedBy(cronJob.metadata.uid);
    const active = owned.filter((job) => !isJobFinished(job));
    const known = uidsOfActive(cronJob);
    for (const job of owned.filter((each) => isJobFinished(each) && known.includes(each.metadata.uid))) {
      const condition = hasCondition(job, 'Complete') ? 'Complete' : 'Failed';
      const message = `Saw completed job: ${job.metadata.name}, condition: ${condition}`;
      this.#tell(cronJob, { type: 'Normal', reason: 'SawCompletedJob', message });
    }
    const times = owned.map((job) => timeAt(conditionOf(job, 'Complete'), 'lastTransitionTime') ?? 0);
    const last = Math.max(0, timeAt(cronJob, 'status', 'lastSuccessfulTime') ?? 0, ...times);
    const { active: _active, ...old } = mapAt(cronJob, 'status');
    return this.#hand.writeStatus(CRON_JOBS, cronJob, {
      ...old,
      ...(active.length === 0 ? {} : { active: active.map(referenceTo) }),
      ...(last === 0 ? {} : { lastSuccessfulTime: formatSeconds(last) }),
    });
  }

  /** The last time that has passed without a Job; of several only one counts. */
  #latestDue(cronJob: StoredObject, schedule: Schedule): number | undefined {
    const now = this.#clock.now();
    let due: number | undefined;
    const since = timeAt(cronJob, 'status', 'lastScheduleTime') ?? createdAt(cronJob);
    for (let next = nextTime(schedule, since); next !== undefined && next <= now; next = nextTime(schedule, next)) {
      due = next;
    }
    const deadline = numberAt(cronJob, 'spec', 'startingDeadlineSeconds') ?? Infinity;
    return due === undefined || now - due > deadline * 1000 ? undefined : due;
  }

  #start(cronJob: StoredObject, due: number): void {
    const active = this.#jobs.ownedBy(cronJob.metadata.uid).filter((job) => !isJobFinished(job));
    const policy = textAt(cronJob, 'spec', 'concurrencyPolicy');
    if (policy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#tell(cronJob, { type: 'Normal', reason: 'JobAlreadyActive', message });
      return;
    }
    if (policy === 'Replace') for (const job of active) this.#remove(cronJob, job);
    const job = unless('AlreadyExists', () => this.#hand.create(JOBS, jobOf(cronJob, due)));
    if (job !== undefined) {
      const message = `Created job ${job.metadata.name}`;
      this.#tell(cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message });
    }
    const others = policy === 'Replace' ? [] : active;
    this.#hand.writeStatus(CRON_JOBS, cronJob, {
      ...mapAt(cronJob, 'status'),
      active: [...others, ...(job === undefined ? [] : [job])].map(referenceTo),
      lastScheduleTime: formatSeconds(due),
    });
  }

  #trim(cronJob: StoredObject): void {
    const finished = this.#jobs.ownedBy(cronJob.metadata.uid).filter(isJobFinished);
    const limits = [
      ['Complete', numberAt(cronJob, 'spec', 'successfulJobsHistoryLimit') ?? 3],
      ['Failed', numberAt(cronJob, 'spec', 'failedJobsHistoryLimit') ?? 1],
    ] as const;
    for (const [type, limit] of limits) {
      const kept = finished.filter((job) => hasCondition(job, type) && !isDeleting(job)).sort(byAge);
      for (const job of kept.slice(0, Math.max(0, kept.length - limit))) this.#remove(cronJob, job);
    }
  }

  #remove(cronJob: StoredObject, job: StoredObject): void {
    this.#hand.remove(JOBS, job, { propagationPolicy: 'Background' });
    const message = `Deleted job ${job.metadata.name}`;
    this.#tell(cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message });
  }
}

function uidsOfActive(cronJob: StoredObject): readonly string[] {
  const { active } = mapAt(cronJob, 'status');
  return Array.isArray(active) ? active.map((each) => textAt(each, 'uid')) : [];
}

function referenceTo(job: StoredObject): JsonMap {
  const { name, namespace, uid, resourceVersion } = job.metadata;
  return { apiVersion: job.apiVersion, kind: job.kind, name, namespace, uid, resourceVersion };
}

/** Named after its minute, so that it is made once. */
function jobOf(cronJob: StoredObject, due: number): JsonMap {
  const template = mapAt(cronJob, 'spec', 'jobTemplate');
  return {
    apiVersion: apiVersionOf(JOBS),
    kind: JOBS.kind,
    metadata: {
      name: `${cronJob.metadata.name}-${String(due / MINUTE_MS)}`,
      namespace: cronJob.metadata.namespace,
      labels: labelsAt(template, 'metadata', 'labels'),
      annotations: {
        ...labelsAt(template, 'metadata', 'annotations'),
        'batch.kubernetes.io/cronjob-scheduled-timestamp': formatSeconds(due),
      },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: mapAt(template, 'spec'),
  };
}
