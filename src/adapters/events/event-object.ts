import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import { sha256 } from '../../lib/digest.ts';
import { formatSeconds } from '../../lib/time.ts';
import type { RecordedEvent } from '../../ports/system.ts';

/** Longest message that the API server takes, in bytes. */
const MAX_MESSAGE = 1024;
/** Leaves room for the dot and the digest in a name of 253. */
const MAX_NAME = 220;

export interface EventOrigin {
  /** This process, among others that record the same. */
  readonly instance: string;
}

/** An event as it is to be seen: `key` is equal for those that count as one. */
export interface DueEvent {
  readonly about: KubeObject;
  readonly event: RecordedEvent;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Events on cluster-scoped objects live in the namespace `default`. */
export function eventRef({ about, key }: DueEvent): ObjectRef {
  const namespace = about.metadata.namespace ?? 'default';
  const name = `${about.metadata.name.slice(0, MAX_NAME)}.${sha256(key).slice(0, 16)}`;
  return { apiVersion: 'v1', kind: 'Event', namespace, name };
}

export function newEvent(due: DueEvent, { instance }: EventOrigin): KubeObject {
  const { about, event } = due;
  const { apiVersion, kind, namespace = '', name } = eventRef(due);
  const { metadata } = about;
  const time = formatSeconds(due.time);
  return {
    apiVersion,
    kind,
    metadata: { namespace, name },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    },
    type: event.type,
    reason: event.reason,
    message: cut(event.message),
    source: { component: 'kubepkg' },
    reportingComponent: 'kubepkg',
    reportingInstance: instance,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

export function repeatPatch({ event, time }: DueEvent, count: number): unknown {
  return { count, lastTimestamp: formatSeconds(time), message: cut(event.message) };
}

function cut(message: string): string {
  if (Buffer.byteLength(message) <= MAX_MESSAGE) return message;
  // A character that was cut in the middle decodes to U+FFFD, three bytes of its own.
  const bytes = Buffer.from(message).subarray(0, MAX_MESSAGE - 6);
  return `${bytes.toString('utf8').replace(/\uFFFD$/, '')}…`;
}
