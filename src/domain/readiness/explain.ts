import type { KubeObject } from '../../api/kube.ts';
import { findCondition } from './conditions.ts';
import { warningAbout } from './events.ts';
import { podCause } from './pod-cause.ts';
import { isPodReady, podsOf } from './pods.ts';
import { isKeptBack } from './stateful-set.ts';
import { textOf } from './fields.ts';
import { tidy } from './texts.ts';
import type { Verdict } from './verdict.ts';

/**
 * The verdict's message, followed by the deepest cause that the related objects show: why no pod is made, else why
 * the first pod by name is not ready, else the newest warning about the object. The same objects give the same text.
 */
export function explain(object: KubeObject, verdict: Verdict, related: readonly KubeObject[]): string {
  if (verdict.status === 'ready' || verdict.status === 'terminating') return verdict.message;
  const cause = creationCause(object, related) ?? podsCause(object, related) ?? warningCause(object, related);
  return cause === undefined || verdict.message.includes(cause) ? verdict.message : `${verdict.message}; ${cause}`;
}

/** Quota, admission: the pods are refused, so there is none to look at. */
function creationCause(object: KubeObject, related: readonly KubeObject[]): string | undefined {
  const failure = findCondition(object, 'ReplicaFailure')?.message ?? warningAbout(object, related, isFailedCreate);
  return failure === undefined || failure === '' ? undefined : `pods cannot be created: ${tidy(failure)}`;
}

function isFailedCreate(text: string): boolean {
  return text.startsWith('FailedCreate: ');
}

function podsCause(object: KubeObject, related: readonly KubeObject[]): string | undefined {
  const pods = object.kind === 'Pod' ? [object] : podsOf(object, related).filter(isTroubled);
  const causes = livingFirst(object, pods).map((pod) => ({ pod, text: podCause(pod, related) }));
  const telling = causes.find((cause) => cause.text !== undefined);
  if (telling?.text === undefined) return undefined;
  if (object.kind === 'Pod') return telling.text;
  const remedy = isKeptBack(object, telling.pod) ? `; ${KEPT_BACK}` : '';
  return `pod ${telling.pod.metadata.name}: ${telling.text}${remedy}`;
}

const KEPT_BACK = 'it is of another revision, and its StatefulSet replaces no pod that is not ready: delete the pod';

/** Pods that were evicted stay for a while after others took their place; of a Job they are the runs that failed. */
function livingFirst(object: KubeObject, pods: readonly KubeObject[]): readonly KubeObject[] {
  if (object.kind === 'Job') return pods;
  const isOver = (pod: KubeObject): boolean => textOf(pod, 'status', 'phase') === 'Failed';
  return [...pods.filter((pod) => !isOver(pod)), ...pods.filter(isOver)];
}

function isTroubled(pod: KubeObject): boolean {
  return !isPodReady(pod) && textOf(pod, 'status', 'phase') !== 'Succeeded';
}

function warningCause(object: KubeObject, related: readonly KubeObject[]): string | undefined {
  const message = warningAbout(object, related);
  return message === undefined ? undefined : tidy(message);
}
