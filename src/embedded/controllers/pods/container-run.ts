import { formatSeconds } from '../../../lib/time.ts';
import type { JsonMap } from '../../model/object.ts';

/** A run of a container that is over. */
export interface Ended {
  readonly exitCode: number;
  readonly reason: string;
  readonly startedAt: number;
  readonly finishedAt: number;
}

export type ContainerState =
  | { readonly is: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly is: 'running'; readonly startedAt: number }
  | ({ readonly is: 'terminated' } & Ended);

export interface ContainerRun {
  readonly name: string;
  readonly image: string;
  readonly role: 'init' | 'sidecar' | 'main';
  readonly pullAlways: boolean;
  state: ContainerState;
  last: Ended | undefined;
  restarts: number;
  ready: boolean;
  /** When it is looked at next, unless it runs. */
  due: number;
  /** How long it waits before it is started, or its image is pulled, once more. */
  backoff: number;
  pullFailedAt: number | undefined;
  /** Failed probes that were told of. */
  probes: number;
}

export function containerStatus(run: ContainerRun, podUid: string): JsonMap {
  const started = run.state.is === 'running' && (run.role !== 'init' || run.ready);
  const hasRun = run.state.is !== 'waiting';
  return {
    name: run.name,
    image: run.image,
    imageID: hasRun || run.last !== undefined ? run.image : '',
    ...(hasRun || run.last !== undefined ? { containerID: containerId(run, podUid) } : {}),
    ready: run.ready,
    started: run.role === 'init' ? false : started,
    restartCount: run.restarts,
    state: stateOf(run.state, containerId(run, podUid)),
    lastState: run.last === undefined ? {} : { terminated: endedOf(run.last, containerId(run, podUid, -1)) },
  };
}

function stateOf(state: ContainerState, id: string): JsonMap {
  switch (state.is) {
    case 'waiting': {
      const { reason, message } = state;
      return { waiting: message === undefined ? { reason } : { reason, message } };
    }
    case 'running':
      return { running: { startedAt: formatSeconds(state.startedAt) } };
    case 'terminated':
      return { terminated: endedOf(state, id) };
  }
}

function endedOf({ exitCode, reason, startedAt, finishedAt }: Ended, containerID: string): JsonMap {
  return {
    exitCode,
    reason,
    startedAt: formatSeconds(startedAt),
    finishedAt: formatSeconds(finishedAt),
    containerID,
  };
}

function containerId(run: ContainerRun, podUid: string, offset = 0): string {
  const serial = `${String(run.restarts + offset)}${Array.from(run.name, (letter) => letter.charCodeAt(0).toString(16)).join('')}`;
  return `containerd://${`${podUid.replaceAll('-', '')}${serial}`.padEnd(64, '0').slice(0, 64)}`;
}
