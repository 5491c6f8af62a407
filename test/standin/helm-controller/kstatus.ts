import type { KubeObject } from '../../../src/api/kube.ts';
import { asArray, asNumber, asString, at } from '../../../src/lib/json.ts';

/** What the wait of the controller makes of an object, as the public kstatus library documents it. */
export type KStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

type Rule = (object: KubeObject) => KStatus;

const RULES: Readonly<Record<string, Rule>> = {
  'apps/Deployment': deployment,
  'apps/StatefulSet': statefulSet,
  'apps/DaemonSet': daemonSet,
  'apps/ReplicaSet': replicaSet,
  'batch/Job': job,
  '/Pod': pod,
  '/PersistentVolumeClaim': (object) => (at(object, 'status', 'phase') === 'Bound' ? 'Current' : 'InProgress'),
  '/Service': service,
  'apiextensions.k8s.io/CustomResourceDefinition': (object) => when(isTrue(object, 'Established')),
};

export function kstatusOf(object: KubeObject): KStatus {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const general = generalStatus(object);
  if (general !== undefined) return general;
  const slash = object.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : object.apiVersion.slice(0, slash);
  const rule = RULES[`${group}/${object.kind}`];
  if (rule !== undefined) return rule(object);
  const ready = conditionOf(object, 'Ready');
  return when(ready === undefined || at(ready, 'status') === 'True');
}

/** What any object may say of itself, before its kind is asked. */
function generalStatus(object: KubeObject): KStatus | undefined {
  const observed = asNumber(at(object, 'status', 'observedGeneration'));
  const { generation } = object.metadata;
  if (observed !== undefined && generation !== undefined && observed !== generation) return 'InProgress';
  if (isTrue(object, 'Reconciling')) return 'InProgress';
  return isTrue(object, 'Stalled') ? 'Failed' : undefined;
}

function deployment(object: KubeObject): KStatus {
  const progressing = conditionOf(object, 'Progressing');
  if (at(progressing, 'reason') === 'ProgressDeadlineExceeded') return 'Failed';
  const wanted = asNumber(at(object, 'spec', 'replicas')) ?? 1;
  const [all, updated, ready, available] = counts(
    object,
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
  );
  const isComplete = all >= wanted && updated >= wanted && all <= updated && available >= updated && ready >= wanted;
  return when(isComplete && isTrue(object, 'Available'));
}

function statefulSet(object: KubeObject): KStatus {
  if (at(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') return 'Current';
  const wanted = asNumber(at(object, 'spec', 'replicas')) ?? 1;
  const [all, ready, current, updated] = counts(
    object,
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
  );
  if (all < wanted || ready < wanted || all > wanted) return 'InProgress';
  const partition = asNumber(at(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition'));
  if (partition !== undefined && partition > 0) return when(updated >= wanted - partition);
  const isOneRevision = at(object, 'status', 'currentRevision') === at(object, 'status', 'updateRevision');
  return when(current >= wanted && isOneRevision);
}

function daemonSet(object: KubeObject): KStatus {
  if (at(object, 'status', 'observedGeneration') === undefined) return 'InProgress';
  const [desired, current, updated, available, ready] = counts(
    object,
    'desiredNumberScheduled',
    'currentNumberScheduled',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberReady',
  );
  return when(current >= desired && updated >= desired && available >= desired && ready >= desired);
}

function replicaSet(object: KubeObject): KStatus {
  const wanted = asNumber(at(object, 'spec', 'replicas')) ?? 1;
  const [labelled, available, ready, all] = counts(
    object,
    'fullyLabeledReplicas',
    'availableReplicas',
    'readyReplicas',
    'replicas',
  );
  return when(labelled >= wanted && available >= wanted && ready >= wanted && all <= wanted);
}

function job(object: KubeObject): KStatus {
  if (isTrue(object, 'Failed')) return 'Failed';
  return when(isTrue(object, 'Complete') || isTrue(object, 'Suspended'));
}

function pod(object: KubeObject): KStatus {
  const phase = at(object, 'status', 'phase');
  if (phase === 'Succeeded') return 'Current';
  if (phase === 'Failed') return 'Failed';
  return when(phase === 'Running' && isTrue(object, 'Ready'));
}

function service(object: KubeObject): KStatus {
  const type = at(object, 'spec', 'type');
  return when(type !== 'LoadBalancer' || asString(at(object, 'spec', 'clusterIP')) !== undefined);
}

function counts(object: KubeObject, ...fields: readonly string[]): readonly [number, number, number, number, number] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = fields.map((field) => asNumber(at(object, 'status', field)) ?? 0);
  return [a, b, c, d, e];
}

function conditionOf(object: KubeObject, type: string): unknown {
  return asArray(at(object, 'status', 'conditions')).find((condition) => at(condition, 'type') === type);
}

function isTrue(object: KubeObject, type: string): boolean {
  return at(conditionOf(object, type), 'status') === 'True';
}

function when(isCurrent: boolean): KStatus {
  return isCurrent ? 'Current' : 'InProgress';
}
