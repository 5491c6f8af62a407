import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import { at, isRecord } from '../../lib/json.ts';
import { apiService } from './api-service.ts';
import { findCondition, type GenerationEvidence, statusEvidence } from './conditions.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment } from './deployment.ts';
import { groupKind } from './fields.ts';
import { generic } from './generic.ts';
import { job } from './job.ts';
import { persistentVolumeClaim } from './persistent-volume-claim.ts';
import { pod } from './pod.ts';
import { replicaSet } from './replica-set.ts';
import { service } from './service.ts';
import { statefulSet } from './stateful-set.ts';
import {
  failed,
  type KindRule,
  progressing,
  type ReadinessContext,
  type RelatedQuery,
  type Verdict,
} from './verdict.ts';
import { webhookConfiguration } from './webhook-configuration.ts';

const RULES: Readonly<Record<string, KindRule>> = {
  'apps/Deployment': deployment,
  'extensions/Deployment': deployment,
  'apps/StatefulSet': statefulSet,
  'apps/DaemonSet': daemonSet,
  'extensions/DaemonSet': daemonSet,
  'apps/ReplicaSet': replicaSet,
  'extensions/ReplicaSet': replicaSet,
  '/ReplicationController': replicaSet,
  'batch/Job': job,
  '/Pod': pod,
  '/PersistentVolumeClaim': persistentVolumeClaim,
  '/Service': service,
  'apiextensions.k8s.io/CustomResourceDefinition': customResourceDefinition,
  'apiregistration.k8s.io/APIService': apiService,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookConfiguration,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookConfiguration,
};

/** Kinds that are ready by existing: nothing about them ever changes on its own in a way that a release waits for. */
const READY_BY_EXISTING: ReadonlySet<string> = new Set([
  '/ConfigMap',
  '/Secret',
  '/ServiceAccount',
  '/Endpoints',
  '/LimitRange',
  '/ResourceQuota',
  '/PodTemplate',
  '/Event',
  '/PersistentVolume',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding',
  'apps/ControllerRevision',
  'autoscaling/HorizontalPodAutoscaler',
  'batch/CronJob',
  'coordination.k8s.io/Lease',
  'discovery.k8s.io/EndpointSlice',
  'flowcontrol.apiserver.k8s.io/FlowSchema',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
  'networking.k8s.io/Ingress',
  'networking.k8s.io/IngressClass',
  'networking.k8s.io/NetworkPolicy',
  'node.k8s.io/RuntimeClass',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/RoleBinding',
  'scheduling.k8s.io/PriorityClass',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/StorageClass',
  'storage.k8s.io/VolumeAttributesClass',
]);

/** False: such an object is ready as soon as it exists, so there is nothing to watch. */
export function hasReadiness(ref: ObjectRef): boolean {
  return !READY_BY_EXISTING.has(groupKind(ref));
}

/** Judges one live object: what holds for every kind first, then the rule of its kind. */
export function assess(object: KubeObject, context: ReadinessContext): Verdict {
  const rule = ruleOf(object);
  return (
    malformed(object) ??
    terminating(object) ??
    outdated(object, rule) ??
    abnormal(object) ??
    rule.assess(object, context)
  );
}

/** What to read, beside the object, to judge or explain one that is not ready. */
export function relatedTo(object: KubeObject, verdict: Verdict): readonly RelatedQuery[] {
  return verdict.status === 'ready' || verdict.status === 'terminating' ? [] : ruleOf(object).related(object);
}

function ruleOf(object: KubeObject): KindRule {
  return RULES[groupKind(object)] ?? generic;
}

export function terminating(object: KubeObject): Verdict | undefined {
  if ((object.metadata.deletionTimestamp ?? '') === '') return undefined;
  const finalizers = [...(object.metadata.finalizers ?? [])].sort();
  const holding = finalizers.length === 0 ? '' : `, held by ${finalizers.join(', ')}`;
  return { status: 'terminating', reason: 'Terminating', message: `is being deleted${holding}` };
}

/** The guard that no evidence from before the change counts, for every kind. */
function outdated(object: KubeObject, rule: KindRule): Verdict | undefined {
  const evidence = statusEvidence(object);
  if (evidence.kind === 'stale') return progressing('NotObserved', staleText(evidence));
  if (evidence.kind !== 'none' || !rule.alwaysObserved) return undefined;
  return progressing('NotObserved', 'its controller has not written its status yet');
}

function staleText(evidence: GenerationEvidence & { readonly kind: 'stale' }): string {
  return `its status is about generation ${String(evidence.observed)} of ${String(evidence.generation)}`;
}

/** The two abnormal-true conditions that any controller may set. */
function abnormal(object: KubeObject): Verdict | undefined {
  const reconciling = findCondition(object, 'Reconciling');
  if (reconciling !== undefined) return progressing('Reconciling', conditionText('reconciling', reconciling));
  const stalled = findCondition(object, 'Stalled');
  if (stalled !== undefined) return failed('Stalled', conditionText('stalled', stalled));
  return undefined;
}

function conditionText(word: string, condition: { readonly reason: string; readonly message: string }): string {
  return [word, condition.reason, condition.message].filter((part) => part !== '').join(': ');
}

/** What cannot be read is never taken for good. */
function malformed(object: KubeObject): Verdict | undefined {
  const field = malformedField(object);
  if (field === undefined) return undefined;
  return { status: 'unknown', reason: 'Malformed', message: `${field} is not what the Kubernetes API makes of it` };
}

function malformedField(object: KubeObject): string | undefined {
  const deleted: unknown = object.metadata.deletionTimestamp;
  if (deleted !== undefined && typeof deleted !== 'string') return 'metadata.deletionTimestamp';
  const status = object.status ?? undefined;
  if (status === undefined) return undefined;
  if (!isRecord(status)) return 'status';
  if (statusEvidence(object).kind === 'malformed') return 'status.observedGeneration';
  return areConditions(at(status, 'conditions') ?? []) ? undefined : 'status.conditions';
}

function areConditions(value: unknown): boolean {
  return Array.isArray(value) && value.every(isCondition);
}

function isCondition(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return ['type', 'status', 'reason', 'message'].every(
    (key) => value[key] === undefined || typeof value[key] === 'string',
  );
}
