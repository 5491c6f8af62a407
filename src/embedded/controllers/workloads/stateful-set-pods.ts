import { apiVersionOf } from '../../model/resource.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../kit/kinds.ts';
import { isPodFinished, isPodReady, podPhase } from '../kit/pod-state.ts';
import { isDeleting, labelsAt, mapAt, mapsAt, numberAt, textAt, withoutZeros } from '../kit/read.ts';
import { podFromTemplate } from '../kit/template.ts';
import type { Revision } from './revisions.ts';

export const REVISION_LABEL = 'controller-revision-hash';

export interface SetSpec {
  readonly replicas: number;
  readonly start: number;
  readonly isOrdered: boolean;
  readonly isRolling: boolean;
  /** Pods below stay at the current revision. */
  readonly partition: number;
}

export function setSpec(set: StoredObject): SetSpec {
  const strategy = mapAt(set, 'spec', 'updateStrategy');
  return {
    replicas: numberAt(set, 'spec', 'replicas') ?? 1,
    start: numberAt(set, 'spec', 'ordinals', 'start') ?? 0,
    isOrdered: textAt(set, 'spec', 'podManagementPolicy') !== 'Parallel',
    isRolling: strategy.type !== 'OnDelete',
    partition: numberAt(strategy, 'rollingUpdate', 'partition') ?? 0,
  };
}

export function ordinalOf(pod: StoredObject): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? -1);
}

export function revisionOfPod(pod: StoredObject): string {
  return pod.metadata.labels?.[REVISION_LABEL] ?? '';
}

/** Nothing keeps the next one from being made. */
export function isHealthy(pod: StoredObject): boolean {
  return podPhase(pod) === 'Running' && isPodReady(pod) && !isDeleting(pod);
}

export function podOfSet(set: StoredObject, ordinal: number, revision: Revision): JsonMap {
  const name = `${set.metadata.name}-${String(ordinal)}`;
  const claims = mapsAt(set, 'spec', 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name'));
  const own = mapsAt(revision.template, 'spec', 'volumes').filter(({ name }) => !claims.includes(String(name)));
  const volumes = [
    ...claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: `${claim}-${name}` } })),
    ...own,
  ];
  const serviceName = textAt(set, 'spec', 'serviceName');
  return podFromTemplate(set, revision.template, {
    name,
    generateName: `${set.metadata.name}-`,
    labels: {
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
      [REVISION_LABEL]: revision.name,
    },
    spec: {
      hostname: name,
      ...(serviceName === '' ? {} : { subdomain: serviceName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  });
}

/** The claims of one pod, which stay when it goes. */
export function claimsOfPod(set: StoredObject, ordinal: number): readonly JsonMap[] {
  const pod = `${set.metadata.name}-${String(ordinal)}`;
  return mapsAt(set, 'spec', 'volumeClaimTemplates').map((template) => ({
    apiVersion: apiVersionOf(PERSISTENT_VOLUME_CLAIMS),
    kind: PERSISTENT_VOLUME_CLAIMS.kind,
    metadata: {
      name: `${textAt(template, 'metadata', 'name')}-${pod}`,
      namespace: set.metadata.namespace,
      labels: { ...labelsAt(template, 'metadata', 'labels'), ...labelsAt(set, 'spec', 'selector', 'matchLabels') },
    },
    spec: mapAt(template, 'spec'),
  }));
}

export interface SetFacts {
  readonly set: StoredObject;
  readonly pods: readonly StoredObject[];
  readonly update: string;
  readonly isAvailable: (pod: StoredObject) => boolean;
}

export function setStatus({ set, pods, update, isAvailable }: SetFacts): JsonMap {
  const spec = setSpec(set);
  const known = textAt(set, 'status', 'currentRevision') || update;
  const replicas = pods.filter((pod) => !isPodFinished(pod)).length;
  const of = (revision: string): number =>
    pods.filter((pod) => revisionOfPod(pod) === revision && !isDeleting(pod)).length;
  const ready = pods.filter((pod) => podPhase(pod) === 'Running' && isPodReady(pod)).length;
  const isDone = spec.isRolling && of(update) === replicas && ready === replicas && replicas === spec.replicas;
  const current = isDone ? update : known;
  return {
    ...withoutZeros({ observedGeneration: set.metadata.generation ?? 0 }),
    replicas,
    ...withoutZeros({ readyReplicas: ready, currentReplicas: of(current), updatedReplicas: of(update) }),
    availableReplicas: pods.filter((pod) => isHealthy(pod) && isAvailable(pod)).length,
    currentRevision: current,
    updateRevision: update,
    collisionCount: 0,
  };
}
