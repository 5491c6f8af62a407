import { formatSeconds } from '../../../lib/time.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { conditionOf } from '../kit/conditions.ts';
import { isDeleting, mapAt, textAt } from '../kit/read.ts';
import { type ContainerRun, containerStatus } from './container-run.ts';
import type { PodLife } from './pod-life.ts';

export interface PodPlace {
  readonly podIp: string;
  readonly hostIp: string;
}

/** What the kubelet reports of a pod. */
export function podStatus(pod: StoredObject, life: PodLife, at: PodPlace & { readonly now: number }): JsonMap {
  const init = life.containers.filter(({ role }) => role !== 'main');
  const main = life.containers.filter(({ role }) => role === 'main');
  const phase = phaseOf(pod, { init, main, neverRestarts: life.neverRestarts });
  const statuses = (runs: readonly ContainerRun[]): readonly JsonMap[] =>
    runs.map((run) => containerStatus(run, life.uid));
  const old = mapAt(pod, 'status');
  const hasStarted = life.containers.some(({ state }) => state.is !== 'waiting');
  const podIp = textAt(old, 'podIP') || (hasStarted ? at.podIp : '');
  return {
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase,
    conditions: conditionsOf(pod, { init, main, phase, now: at.now, hasStarted }),
    hostIP: at.hostIp,
    hostIPs: [{ ip: at.hostIp }],
    ...(podIp === '' ? {} : { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: formatSeconds(life.startTime),
    ...(init.length === 0 ? {} : { initContainerStatuses: statuses(init) }),
    containerStatuses: statuses(main),
    ...(old.qosClass === undefined ? {} : { qosClass: old.qosClass }),
  };
}

interface Runs {
  readonly init: readonly ContainerRun[];
  readonly main: readonly ContainerRun[];
}

function phaseOf(pod: StoredObject, { init, main, neverRestarts }: Runs & { readonly neverRestarts: boolean }): string {
  if (init.some((run) => neverRestarts && run.role === 'init' && hasFailed(run))) return 'Failed';
  if (!isInitialized(init)) return 'Pending';
  if (main.some((run) => run.state.is === 'waiting' && run.last === undefined)) return 'Pending';
  if (main.some((run) => run.state.is === 'running')) return 'Running';
  return endedPhase(pod, main, neverRestarts);
}

/** Of a pod of which no container runs. */
function endedPhase(pod: StoredObject, main: readonly ContainerRun[], neverRestarts: boolean): string {
  const isOver = isDeleting(pod);
  if (!isOver && (textAt(pod, 'spec', 'restartPolicy') || 'Always') === 'Always') return 'Running';
  if (main.every((run) => run.state.is === 'terminated' && !hasFailed(run))) return 'Succeeded';
  return isOver || neverRestarts ? 'Failed' : 'Running';
}

function hasFailed({ state }: ContainerRun): boolean {
  return state.is === 'terminated' && state.exitCode !== 0;
}

function isInitialized(init: readonly ContainerRun[]): boolean {
  return init.every((run) =>
    run.role === 'sidecar' ? run.state.is !== 'waiting' : run.state.is === 'terminated' && !hasFailed(run),
  );
}

interface ConditionFacts extends Runs {
  readonly phase: string;
  readonly now: number;
  readonly hasStarted: boolean;
}

interface Said {
  readonly type: string;
  readonly holds: boolean;
  readonly reason?: string;
  readonly message?: string;
}

function conditionsOf(pod: StoredObject, facts: ConditionFacts): readonly JsonMap[] {
  const { init, main, phase, hasStarted } = facts;
  const over = phase === 'Succeeded' ? 'PodCompleted' : phase === 'Failed' ? 'PodFailed' : undefined;
  const ready = readiness(main, over);
  const said: readonly Said[] = [
    { type: 'PodReadyToStartContainers', holds: hasStarted && over === undefined },
    initialized(init, phase),
    { type: 'Ready', ...ready },
    { type: 'ContainersReady', ...ready },
    { type: 'PodScheduled', holds: true },
  ];
  return said.map((each) => written(pod, each, facts.now));
}

function readiness(main: readonly ContainerRun[], over: string | undefined): Omit<Said, 'type'> {
  if (over !== undefined) return { holds: false, reason: over };
  const unready = main.filter((run) => !run.ready).map(({ name }) => name);
  if (unready.length === 0) return { holds: true };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { holds: false, reason: 'ContainersNotReady', message };
}

function initialized(init: readonly ContainerRun[], phase: string): Said {
  const type = 'Initialized';
  if (phase === 'Succeeded') return { type, holds: true, reason: 'PodCompleted' };
  if (isInitialized(init)) return { type, holds: true };
  const open = init.filter((run) => !isInitialized([run])).map(({ name }) => name);
  const message = `containers with incomplete status: [${open.join(' ')}]`;
  return { type, holds: false, reason: 'ContainersNotInitialized', message };
}

function written(pod: StoredObject, { type, holds, reason, message }: Said, now: number): JsonMap {
  const status = holds ? 'True' : 'False';
  const old = conditionOf(pod, type);
  return {
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: old?.status === status ? old.lastTransitionTime : formatSeconds(now),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}
