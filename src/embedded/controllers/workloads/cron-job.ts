import { formatSeconds } from '../../../lib/time.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { conditionOf, hasCondition } from '../kit/conditions.ts';
import { changesOf, changesOfOwned, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, unless } from '../kit/hand.ts';
import { apiVersionOf, CRON_JOBS, JOBS } from '../kit/kinds.ts';
import { controllerReference } from '../kit/owners.ts';
import { byAge, createdAt, isDeleting, labelsAt, mapAt, numberAt, textAt, timeAt } from '../kit/read.ts';
import { nextTime, parseSchedule, type Schedule } from './cron-schedule.ts';
import { isJobFinished } from './job-status.ts';

const COMPONENT = 'cronjob-controller';
const MINUTE_MS = 60_000;

/** Makes Jobs by the clock, in UTC, and keeps the last few of them. */
export function cronJobController({ api, clock, informers, recorder }: Surroundings): Controller {
  const hand = createHand(api, 'kube-controller-manager');
  const tell = recorder.by(COMPONENT);
  const jobs = informers.of(JOBS);
  return {
    name: COMPONENT,
    sources: [changesOf(CRON_JOBS), changesOfOwned(JOBS, CRON_JOBS)],
    reconcile(key) {
      const cronJob = lookUp(informers.of(CRON_JOBS), key);
      if (cronJob === undefined || isDeleting(cronJob)) return undefined;
      const settled = settle(cronJob);
      trim(settled);
      if (mapAt(settled, 'spec').suspend === true) return undefined;
      const schedule = parseSchedule(textAt(settled, 'spec', 'schedule'));
      if (schedule === undefined) {
        const message = `unparseable schedule: "${textAt(settled, 'spec', 'schedule')}"`;
        tell(settled, { type: 'Warning', reason: 'UnparseableSchedule', message });
        return undefined;
      }
      const due = latestDue(settled, schedule);
      if (due !== undefined) start(settled, due);
      const next = nextTime(schedule, clock.now());
      return next === undefined ? undefined : next - clock.now();
    },
  };

  /** Jobs that have ended are no longer active. */
  function settle(cronJob: StoredObject): StoredObject {
    const owned = jobs.ownedBy(cronJob.metadata.uid);
    const active = owned.filter((job) => !isJobFinished(job));
    const known = new Set(uidsOfActive(cronJob));
    const ended = owned.filter((job) => isJobFinished(job) && known.has(job.metadata.uid));
    for (const job of ended) {
      const condition = hasCondition(job, 'Complete') ? 'Complete' : 'Failed';
      const message = `Saw completed job: ${job.metadata.name}, condition: ${condition}`;
      tell(cronJob, { type: 'Normal', reason: 'SawCompletedJob', message });
    }
    const times = owned.map((job) => timeAt(conditionOf(job, 'Complete'), 'lastTransitionTime') ?? 0);
    const last = Math.max(0, timeAt(cronJob, 'status', 'lastSuccessfulTime') ?? 0, ...times);
    const { active: _active, ...old } = mapAt(cronJob, 'status');
    return hand.writeStatus(CRON_JOBS, cronJob, {
      ...old,
      ...(active.length === 0 ? {} : { active: active.map(referenceTo) }),
      ...(last === 0 ? {} : { lastSuccessfulTime: formatSeconds(last) }),
    });
  }

  /** The last time that has passed without a Job; of several only one counts. */
  function latestDue(cronJob: StoredObject, schedule: Schedule): number | undefined {
    const since = timeAt(cronJob, 'status', 'lastScheduleTime') ?? createdAt(cronJob);
    const first = nextTime(schedule, since);
    if (first === undefined || first > clock.now()) return undefined;
    let due = first;
    for (let next = nextTime(schedule, due); next !== undefined && next <= clock.now(); next = nextTime(schedule, due)) {
      due = next;
    }
    const deadline = numberAt(cronJob, 'spec', 'startingDeadlineSeconds');
    return deadline !== undefined && clock.now() - due > deadline * 1000 ? undefined : due;
  }

  function start(cronJob: StoredObject, due: number): void {
    const active = jobs.ownedBy(cronJob.metadata.uid).filter((job) => !isJobFinished(job));
    const policy = textAt(cronJob, 'spec', 'concurrencyPolicy');
    if (policy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      tell(cronJob, { type: 'Normal', reason: 'JobAlreadyActive', message });
      return;
    }
    if (policy === 'Replace') {
      for (const job of active) {
        hand.remove(JOBS, job, { propagationPolicy: 'Background' });
        tell(cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${job.metadata.name}` });
      }
    }
    const job = unless('AlreadyExists', () => hand.create(JOBS, jobOf(cronJob, due)));
    if (job !== undefined) {
      tell(cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${job.metadata.name}` });
    }
    const others = policy === 'Replace' ? [] : active;
    hand.writeStatus(CRON_JOBS, cronJob, {
      ...mapAt(cronJob, 'status'),
      active: [...others, ...(job === undefined ? [] : [job])].map(referenceTo),
      lastScheduleTime: formatSeconds(due),
    });
  }

  function trim(cronJob: StoredObject): void {
    const finished = jobs.ownedBy(cronJob.metadata.uid).filter(isJobFinished);
    const limits = [
      ['Complete', numberAt(cronJob, 'spec', 'successfulJobsHistoryLimit') ?? 3],
      ['Failed', numberAt(cronJob, 'spec', 'failedJobsHistoryLimit') ?? 1],
    ] as const;
    for (const [type, limit] of limits) {
      const kept = finished.filter((job) => hasCondition(job, type) && !isDeleting(job)).sort(byAge);
      for (const job of kept.slice(0, Math.max(0, kept.length - limit))) {
        hand.remove(JOBS, job, { propagationPolicy: 'Background' });
      }
    }
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
