import type { KubeObject } from '../../api/kube.ts';
import { at, isRecord } from '../../lib/json.ts';
import { formatTime } from '../../lib/time.ts';
import { isInProgress, type Operation, readApplication } from './application.ts';
import { NOTE } from './notes.ts';

/** The operation that Argo CD is at work on, or is yet to begin, whoever started it. */
export function operationInProgress(application: KubeObject): Operation | undefined {
  const { current, requested } = readApplication(application);
  return current !== undefined && isInProgress(current) ? current : requested;
}

/**
 * With the operation on its way to its end: one that was begun is terminated, as Argo CD's own command does it, one that
 * was not is taken back. Undefined: none is in progress.
 */
export function withoutOperation(application: KubeObject, now: number): KubeObject {
  const { current, token } = readApplication(application);
  const marked = token === undefined ? application : markStopped(application, token, now);
  if (current === undefined || !isInProgress(current)) return without(marked, 'operation');
  const status = isRecord(application['status']) ? application['status'] : {};
  const state = status['operationState'];
  const terminating = { ...(isRecord(state) ? state : {}), phase: 'Terminating' };
  // Without the request the controller would never look at the state again.
  return {
    ...marked,
    operation: marked['operation'] ?? at(state, 'operation'),
    status: { ...status, operationState: terminating },
  };
}

/**
 * It goes on, or the controller has forgotten it: what it writes when it begins, or goes on with, an operation goes over
 * what was asked for meanwhile.
 */
export function isUnended(application: KubeObject): boolean {
  const { current, requested } = readApplication(application);
  if (current === undefined || !isInProgress(current)) return false;
  return current.phase !== 'Terminating' || requested === undefined;
}

function without(object: KubeObject, field: string): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  return { ...Object.fromEntries(Object.entries(rest).filter(([key]) => key !== field)), apiVersion, kind, metadata };
}

function markStopped(application: KubeObject, token: string, now: number): KubeObject {
  const { metadata } = application;
  const notes = { [NOTE.stopped]: token, [NOTE.stoppedAt]: formatTime(now) };
  return { ...application, metadata: { ...metadata, annotations: { ...metadata.annotations, ...notes } } };
}
