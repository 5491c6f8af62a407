import type { StoredObject } from '../../model/object.ts';
import { conditionOf, hasCondition } from './conditions.ts';
import { countAt, createdAt, isDeleting, mapsAt, textAt, timeAt } from './read.ts';

export function podPhase(pod: StoredObject): string {
  return textAt(pod, 'status', 'phase') || 'Pending';
}

export function isPodFinished(pod: StoredObject): boolean {
  const phase = podPhase(pod);
  return phase === 'Succeeded' || phase === 'Failed';
}

/** It counts as a replica: neither finished nor on its way out. */
export function isPodActive(pod: StoredObject): boolean {
  return !isPodFinished(pod) && !isDeleting(pod);
}

export function isPodReady(pod: StoredObject): boolean {
  return hasCondition(pod, 'Ready');
}

/** Ready for so long; otherwise in how many milliseconds it would be, which is Infinity when it is not ready. */
export function timeToAvailable(pod: StoredObject, minReadySeconds: number, now: number): number {
  if (!isPodReady(pod)) return Infinity;
  const since = timeAt(conditionOf(pod, 'Ready'), 'lastTransitionTime') ?? now;
  return Math.max(0, since + minReadySeconds * 1000 - now);
}

export function isPodAvailable(pod: StoredObject, minReadySeconds: number, now: number): boolean {
  return minReadySeconds === 0 ? isPodReady(pod) : timeToAvailable(pod, minReadySeconds, now) === 0;
}

export function restartsOf(pod: StoredObject): number {
  return mapsAt(pod, 'status', 'containerStatuses').reduce((sum, status) => sum + countAt(status, 'restartCount'), 0);
}

/** Which goes first when there are too many: what is worth least. */
export function byWorth(a: StoredObject, b: StoredObject): number {
  return (
    Number(textAt(a, 'spec', 'nodeName') !== '') - Number(textAt(b, 'spec', 'nodeName') !== '') ||
    phaseRank(a) - phaseRank(b) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    restartsOf(b) - restartsOf(a) ||
    createdAt(b) - createdAt(a) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  );
}

function phaseRank(pod: StoredObject): number {
  return ['Pending', 'Unknown', 'Running'].indexOf(podPhase(pod));
}
