import { asArray, at } from '../../../lib/json.ts';
import { parseTime } from '../../../lib/time.ts';
import type { JsonMap } from '../../model/object.ts';
import {
  type Cell,
  type Cells,
  containers,
  count,
  flag,
  labels,
  NONE,
  numberAt,
  selector,
  since,
  text,
  textAt,
} from './cells.ts';
import { humanDuration } from './human-duration.ts';
import { POD_CELLS } from './pod-cells.ts';

const TEMPLATE = ['spec', 'template', 'spec'];

const ofDesired: Cell = (object) => {
  return `${String(numberAt(object, 'status', 'readyReplicas'))}/${String(numberAt(object, 'spec', 'replicas'))}`;
};

/** By `GROUP/PLURAL` and column; what a column of another name shows is in `index.ts`. */
export const WORKLOAD_CELLS: Readonly<Record<string, Cells>> = {
  '/pods': POD_CELLS,
  '/podtemplates': { ...containers('template', 'spec'), 'Pod Labels': labels('template', 'metadata', 'labels') },
  '/replicationcontrollers': {
    Desired: count('spec', 'replicas'),
    Current: count('status', 'replicas'),
    Ready: count('status', 'readyReplicas'),
    ...containers(...TEMPLATE),
    Selector: labels('spec', 'selector'),
  },
  'apps/deployments': {
    Ready: ofDesired,
    'Up-to-date': count('status', 'updatedReplicas'),
    Available: count('status', 'availableReplicas'),
    ...containers(...TEMPLATE),
    Selector: selector('spec', 'selector'),
  },
  'apps/replicasets': {
    Desired: count('spec', 'replicas'),
    Current: count('status', 'replicas'),
    Ready: count('status', 'readyReplicas'),
    ...containers(...TEMPLATE),
    Selector: selector('spec', 'selector'),
  },
  'apps/statefulsets': { Ready: ofDesired, ...containers(...TEMPLATE) },
  'apps/daemonsets': {
    Desired: count('status', 'desiredNumberScheduled'),
    Current: count('status', 'currentNumberScheduled'),
    Ready: count('status', 'numberReady'),
    'Up-to-date': count('status', 'updatedNumberScheduled'),
    Available: count('status', 'numberAvailable'),
    'Node Selector': labels(...TEMPLATE, 'nodeSelector'),
    ...containers(...TEMPLATE),
    Selector: selector('spec', 'selector'),
  },
  'apps/controllerrevisions': {
    Controller: (object) => {
      const owner = asArray(at(object, 'metadata', 'ownerReferences')).find((one) => at(one, 'controller') === true);
      if (owner === undefined) return NONE;
      const group = String(at(owner, 'apiVersion')).split('/').slice(0, -1).join('');
      const kind = String(at(owner, 'kind')).toLowerCase();
      return `${group === '' ? kind : `${kind}.${group}`}/${String(at(owner, 'name'))}`;
    },
    Revision: count('revision'),
  },
  'batch/jobs': {
    Status: jobStatus,
    Completions: completions,
    Duration: (object, now) => {
      const [start, end] = [textAt(object, 'status', 'startTime'), textAt(object, 'status', 'completionTime')];
      if (start === '') return '';
      return humanDuration((end === '' ? now : parseTime(end)) - parseTime(start));
    },
    ...containers(...TEMPLATE),
    Selector: selector('spec', 'selector'),
  },
  'batch/cronjobs': {
    Schedule: text('spec', 'schedule')(),
    Timezone: text('spec', 'timeZone')(NONE),
    Suspend: (object) => (flag('spec', 'suspend')(object, 0) === true ? 'True' : 'False'),
    Active: (object) => asArray(at(object, 'status', 'active')).length,
    'Last Schedule': (object, now) => {
      const last = textAt(object, 'status', 'lastScheduleTime');
      return last === '' ? NONE : since(last, now);
    },
    ...containers('spec', 'jobTemplate', ...TEMPLATE),
    Selector: selector('spec', 'jobTemplate', 'spec', 'selector'),
  },
};

function jobStatus(job: JsonMap): string {
  const met = asArray(at(job, 'status', 'conditions'))
    .filter((condition) => at(condition, 'status') === 'True')
    .map((condition) => at(condition, 'type'));
  if (met.includes('Complete')) return 'Complete';
  if (met.includes('Failed')) return 'Failed';
  if (at(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => met.includes(type)) ?? 'Running';
}

function completions(job: JsonMap): string {
  const succeeded = String(numberAt(job, 'status', 'succeeded'));
  if (at(job, 'spec', 'completions') !== undefined)
    return `${succeeded}/${String(numberAt(job, 'spec', 'completions'))}`;
  const parallelism = numberAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${String(parallelism)}` : `${succeeded}/1`;
}
