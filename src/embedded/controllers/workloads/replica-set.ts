import type { JsonMap, StoredObject } from '../../model/object.ts';
import { StatusError } from '../../model/status-error.ts';
import { conditionOf, withCondition, withoutCondition } from '../kit/conditions.ts';
import { changesOf, changesOfOwned, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, type Hand } from '../kit/hand.ts';
import { PODS, REPLICA_SETS } from '../kit/kinds.ts';
import { claim } from '../kit/owners.ts';
import { byWorth, isPodActive, isPodAvailable, isPodFinished, isPodReady, timeToAvailable } from '../kit/pod-state.ts';
import { countAt, isDeleting, labelsAt, mapsAt, numberAt, withoutZeros } from '../kit/read.ts';
import type { Tell } from '../kit/recorder.ts';
import { includesLabels } from '../kit/selector.ts';
import { podFromTemplate } from '../kit/template.ts';

const COMPONENT = 'replicaset-controller';

/** Keeps as many pods of its template as it is told to. */
export function replicaSetController({ api, clock, informers, recorder }: Surroundings): Controller {
  const hand = createHand(api, 'kube-controller-manager');
  const replicator = { hand, tell: recorder.by(COMPONENT) };
  const replicaSets = informers.of(REPLICA_SETS);
  const pods = informers.of(PODS);
  return {
    name: COMPONENT,
    sources: [changesOf(REPLICA_SETS), changesOfOwned(PODS, REPLICA_SETS)],
    reconcile(key) {
      const replicaSet = lookUp(replicaSets, key);
      if (replicaSet === undefined) return undefined;
      claim({ owner: replicaSet, kind: PODS, cache: pods, hand });
      const owned = (): readonly StoredObject[] => pods.ownedBy(replicaSet.metadata.uid);
      const refusal = isDeleting(replicaSet)
        ? undefined
        : replicate(replicaSet, owned().filter(isPodActive), replicator);
      const latest = lookUp(replicaSets, key);
      if (latest === undefined) return undefined;
      const now = clock.now();
      hand.writeStatus(REPLICA_SETS, latest, replicaSetStatus({ replicaSet: latest, pods: owned(), refusal, now }));
      if (refusal !== undefined) throw refusal;
      return nextAvailability(latest, owned(), now);
    },
  };
}

interface Replicator {
  readonly hand: Hand;
  readonly tell: Tell;
}

/** Makes what is missing or removes what is too much; the refusal that stopped it. */
function replicate(owner: StoredObject, active: readonly StoredObject[], by: Replicator): StatusError | undefined {
  const missing = (numberAt(owner, 'spec', 'replicas') ?? 1) - active.length;
  if (missing < 0) {
    for (const pod of [...active].sort(byWorth).slice(0, -missing)) {
      by.hand.remove(PODS, pod);
      by.tell(owner, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${pod.metadata.name}` });
    }
  }
  for (let made = 0; made < missing; made += 1) {
    const refusal = createPod(owner, podFromTemplate(owner, owner.spec === undefined ? {} : templateOf(owner)), by);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function templateOf(owner: StoredObject): unknown {
  return (owner.spec as { readonly template?: unknown }).template;
}

/** Makes a pod and tells of it; the refusal, if it is refused. */
export function createPod(owner: StoredObject, pod: JsonMap, by: Replicator): StatusError | undefined {
  try {
    const { name } = by.hand.create(PODS, pod).metadata;
    by.tell(owner, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${name}` });
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    by.tell(owner, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${error.message}` });
    return error;
  }
}

interface StatusFacts {
  readonly replicaSet: StoredObject;
  readonly pods: readonly StoredObject[];
  readonly refusal: StatusError | undefined;
  readonly now: number;
}

function replicaSetStatus({ replicaSet, pods, refusal, now }: StatusFacts): JsonMap {
  const active = pods.filter(isPodActive);
  const minReady = countAt(replicaSet, 'spec', 'minReadySeconds');
  const template = labelsAt(replicaSet, 'spec', 'template', 'metadata', 'labels');
  const old = mapsAt(replicaSet, 'status', 'conditions');
  const conditions =
    refusal === undefined ? withoutCondition(old, 'ReplicaFailure') : failing(replicaSet, refusal, now);
  return {
    replicas: active.length,
    ...withoutZeros({
      fullyLabeledReplicas: active.filter((pod) => includesLabels(pod.metadata.labels ?? {}, template)).length,
      readyReplicas: active.filter(isPodReady).length,
      availableReplicas: active.filter((pod) => isPodAvailable(pod, minReady, now)).length,
      observedGeneration: replicaSet.metadata.generation ?? 0,
    }),
    terminatingReplicas: pods.filter((pod) => isDeleting(pod) && !isPodFinished(pod)).length,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function failing(replicaSet: StoredObject, refusal: StatusError, now: number): readonly JsonMap[] {
  const conditions = mapsAt(replicaSet, 'status', 'conditions');
  if (conditionOf(replicaSet, 'ReplicaFailure') !== undefined) return conditions;
  const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: refusal.message } as const;
  return withCondition(conditions, failure, now);
}

/** When the next ready pod has been ready long enough. */
export function nextAvailability(owner: StoredObject, pods: readonly StoredObject[], now: number): number | undefined {
  const minReady = countAt(owner, 'spec', 'minReadySeconds');
  const times = pods.map((pod) => timeToAvailable(pod, minReady, now)).filter((ms) => ms > 0 && ms < Infinity);
  return times.length === 0 ? undefined : Math.min(...times);
}
