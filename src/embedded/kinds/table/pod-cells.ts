import { asArray, at } from '../../../lib/json.ts';
import type { JsonMap } from '../../model/object.ts';
import { mapAt } from '../validate/kit.ts';
import { type Cells, NONE, numberAt, since, text, textAt } from './cells.ts';

/** What `kubectl get pods` shows: a port of the API server's printPod. */
export const POD_CELLS: Cells = {
  Ready: (pod) => {
    const { ready, total } = summarize(pod);
    return `${String(ready)}/${String(total)}`;
  },
  Status: (pod) => summarize(pod).reason,
  Restarts: (pod, now) => {
    const { restarts, lastRestart } = summarize(pod);
    return restarts === 0 || lastRestart === ''
      ? String(restarts)
      : `${String(restarts)} (${since(lastRestart, now)} ago)`;
  },
  IP: (pod) => textAt(mapAt(asArray(at(pod, 'status', 'podIPs'))[0]), 'ip') || NONE,
  Node: text('spec', 'nodeName')(NONE),
  'Nominated Node': text('status', 'nominatedNodeName')(NONE),
  'Readiness Gates': (pod) => {
    const gates = asArray(at(pod, 'spec', 'readinessGates')).map((gate) => at(gate, 'conditionType'));
    const met = gates.filter((type) => conditionStatus(pod, type) === 'True').length;
    return gates.length === 0 ? NONE : `${String(met)}/${String(gates.length)}`;
  },
};

interface Summary {
  readonly reason: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** RFC 3339; empty for none. */
  readonly lastRestart: string;
}

function summarize(pod: JsonMap): Summary {
  const sidecars = asArray(at(pod, 'spec', 'initContainers')).filter(isSidecar);
  const total = asArray(at(pod, 'spec', 'containers')).length + sidecars.length;
  const init = initSummary(pod, sidecars);
  const before = init.reason ?? phaseOf(pod);
  const isDone = init.reason === undefined || conditionStatus(pod, 'Initialized') === 'True';
  if (!isDone) {
    const { ready, restarts, lastRestart } = init;
    return { reason: ending(pod, before), ready, total, restarts, lastRestart };
  }
  const main = mainSummary(pod, before);
  return {
    reason: ending(pod, main.reason),
    ready: init.ready + main.ready,
    total,
    restarts: main.restarts + init.sidecarRestarts,
    lastRestart: later(main.lastRestart, init.sidecarLastRestart),
  };
}

function phaseOf(pod: JsonMap): string {
  if (conditionReason(pod, 'PodScheduled') === 'SchedulingGated') return 'SchedulingGated';
  return textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
}

function isSidecar(container: unknown): boolean {
  return at(container, 'restartPolicy') === 'Always';
}

function conditionStatus(pod: JsonMap, type: unknown): unknown {
  return at(conditionOf(pod, type), 'status');
}

function conditionReason(pod: JsonMap, type: unknown): unknown {
  return at(conditionOf(pod, type), 'reason');
}

function conditionOf(pod: JsonMap, type: unknown): unknown {
  return asArray(at(pod, 'status', 'conditions')).find((condition) => at(condition, 'type') === type);
}

function ending(pod: JsonMap, reason: string): string {
  if (at(pod, 'metadata', 'deletionTimestamp') === undefined) return reason;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return ['Failed', 'Succeeded'].includes(textAt(pod, 'status', 'phase')) ? reason : 'Terminating';
}

interface InitSummary {
  /** Absent once all are through. */
  readonly reason?: string;
  readonly ready: number;
  readonly restarts: number;
  readonly lastRestart: string;
  readonly sidecarRestarts: number;
  readonly sidecarLastRestart: string;
}

function initSummary(pod: JsonMap, sidecars: readonly unknown[]): InitSummary {
  const names = sidecars.map((container) => at(container, 'name'));
  const statuses = asArray(at(pod, 'status', 'initContainerStatuses')).map((status) => mapAt(status));
  const count = asArray(at(pod, 'spec', 'initContainers')).length;
  const waiting = statuses.findIndex((status) => !isThrough(status, names));
  const seen = waiting < 0 ? statuses : statuses.slice(0, waiting + 1);
  const own = seen.filter(({ name }) => names.includes(name));
  const stuck = waiting < 0 ? undefined : statuses[waiting];
  return {
    ...(stuck === undefined ? {} : { reason: initReason(stuck, waiting, count) }),
    ready: seen.filter((status) => status !== stuck && status['ready'] === true && names.includes(status['name']))
      .length,
    restarts: restartsOf(seen),
    lastRestart: lastRestartOf(seen),
    sidecarRestarts: restartsOf(own),
    sidecarLastRestart: lastRestartOf(own),
  };
}

function isThrough(status: JsonMap, sidecars: readonly unknown[]): boolean {
  const terminated = at(status, 'state', 'terminated');
  if (terminated !== undefined && numberAt(mapAt(terminated), 'exitCode') === 0) return true;
  return sidecars.includes(status['name']) && status['started'] === true;
}

function initReason(status: JsonMap, index: number, count: number): string {
  const terminated = at(status, 'state', 'terminated');
  if (terminated !== undefined) return `Init:${terminatedReason(mapAt(terminated))}`;
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${String(index)}/${String(count)}`;
}

function terminatedReason(terminated: JsonMap): string {
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${String(numberAt(terminated, 'exitCode'))}` : `Signal:${String(signal)}`;
}

function mainSummary(pod: JsonMap, before: string): Pick<Summary, 'reason' | 'ready' | 'restarts' | 'lastRestart'> {
  const statuses = asArray(at(pod, 'status', 'containerStatuses')).map((status) => mapAt(status));
  const reasons = statuses.map(containerReason);
  const running = statuses.filter((status, index) => {
    return reasons[index] === '' && status['ready'] === true && at(status, 'state', 'running') !== undefined;
  });
  const reason = reasons.find((own) => own !== '') ?? before;
  return {
    reason: reason === 'Completed' ? completed(pod, statuses, running.length > 0) : reason,
    ready: running.length,
    restarts: restartsOf(statuses),
    lastRestart: lastRestartOf(statuses),
  };
}

function containerReason(status: JsonMap): string {
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  if (waiting !== '') return waiting;
  const terminated = at(status, 'state', 'terminated');
  return terminated === undefined ? '' : terminatedReason(mapAt(terminated));
}

function completed(pod: JsonMap, statuses: readonly JsonMap[], hasRunning: boolean): string {
  if (hasRunning && conditionStatus(pod, 'Ready') === 'True') return 'Running';
  const failed = statuses.find((status) => numberAt(status, 'state', 'terminated', 'exitCode') !== 0);
  if (failed !== undefined) return containerReason(failed);
  return hasRunning ? 'NotReady' : 'Completed';
}

function restartsOf(statuses: readonly JsonMap[]): number {
  return statuses.reduce((sum, status) => sum + numberAt(status, 'restartCount'), 0);
}

function lastRestartOf(statuses: readonly JsonMap[]): string {
  return statuses.map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt')).reduce(later, '');
}

/** RFC 3339 times of one form sort as texts. */
function later(a: string, b: string): string {
  return a < b ? b : a;
}
