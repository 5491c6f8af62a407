import { asArray } from '../../../lib/json.ts';
import { invalidValue } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { crdProblems } from '../../schema/crd-problems.ts';
import { isDnsLabel, isDnsSubdomain, isLabelKey, isPathSegment, type JudgeName } from '../../schema/names.ts';
import { metadataProblems } from '../../schema/object-meta-problems.ts';
import {
  validateApiService,
  validateEndpoints,
  validateIngressClass,
  validateLease,
  validatePriorityClass,
  validateWebhooks,
} from './cluster.ts';
import { scalerWithMetrics } from '../convert.ts';
import { validateConfigMap, validateLimitRange, validateQuota, validateSecret } from './config.ts';
import { type Causes, mapAt, textOf } from './kit.ts';
import { validateIngress, validateNetworkPolicy } from './network.ts';
import { validatePodSpec, validateTemplate } from './pod.ts';
import { validateBinding, validateRole } from './rights.ts';
import { validateAutoscaler, validateBudget } from './scaling.ts';
import { validateService } from './service.ts';
import { validateClaimSpec, validateStorageClass, validateVolume } from './storage.ts';
import { UPDATES } from './updates.ts';
import {
  validateCronJob,
  validateDaemonSet,
  validateDeployment,
  validateJob,
  validateReplicaSet,
  validateReplicationController,
  validateStatefulSet,
} from './workloads.ts';

type Check = (object: JsonMap) => Causes;

/** What is wrong with an object, or with a change of it. */
export function validateObject(resource: Resource, object: JsonMap, old: JsonMap | undefined): Causes {
  const key = `${resource.group}/${resource.plural}`;
  const metadata = metadataProblems(object, old, NAMES[key] ?? isDnsSubdomain);
  const finalizers = FREE_FINALIZERS.includes(key) ? [] : finalizerProblems(object);
  const changes = old === undefined ? [] : (UPDATES[key]?.(object, old) ?? []);
  const checks = old !== undefined && CREATED_ONLY.includes(key) ? [] : (CHECKS[key]?.(object) ?? []);
  return [...metadata, ...finalizers, ...checks, ...changes];
}

/** Built-in kinds want finalizers with a domain. */
function finalizerProblems(object: JsonMap): Causes {
  return asArray(mapAt(object, 'metadata')['finalizers']).flatMap((finalizer, index) => {
    const name = textOf(finalizer);
    const isKnown = name.includes('/') || STANDARD_FINALIZERS.includes(name) || isLabelKey(name).length > 0;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    return isKnown ? [] : [invalidValue(`metadata.finalizers[${String(index)}]`, name, detail)];
  });
}

/** Kinds that are looked at by other servers, or by less of the common code. */
const FREE_FINALIZERS = [
  'apiextensions.k8s.io/customresourcedefinitions',
  'coordination.k8s.io/leases',
  'policy/poddisruptionbudgets',
];

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

const NAMES: Readonly<Record<string, JudgeName>> = {
  '/namespaces': isDnsLabel,
  '/services': isDnsLabel,
  'apps/statefulsets': isDnsLabel,
  'policy/poddisruptionbudgets': isPathSegment,
  'rbac.authorization.k8s.io/roles': isPathSegment,
  'rbac.authorization.k8s.io/rolebindings': isPathSegment,
  'rbac.authorization.k8s.io/clusterroles': isPathSegment,
  'rbac.authorization.k8s.io/clusterrolebindings': isPathSegment,
  'apiregistration.k8s.io/apiservices': isPathSegment,
  'certificates.k8s.io/certificatesigningrequests': isPathSegment,
};

/** Their content is fixed, so that it is looked at once. */
const CREATED_ONLY = ['/persistentvolumeclaims'];

const spec =
  (check: Check): Check =>
  (object) =>
    check(mapAt(object, 'spec'));

const CHECKS: Readonly<Record<string, Check>> = {
  '/configmaps': validateConfigMap,
  '/endpoints': validateEndpoints,
  '/limitranges': spec(validateLimitRange),
  '/persistentvolumeclaims': spec((claim) => validateClaimSpec(claim, 'spec')),
  '/persistentvolumes': spec(validateVolume),
  '/pods': spec((pod) => validatePodSpec(pod, 'spec')),
  '/podtemplates': (object) => validateTemplate(object['template'], 'template'),
  '/replicationcontrollers': spec(validateReplicationController),
  '/resourcequotas': spec(validateQuota),
  '/secrets': validateSecret,
  '/services': validateService,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': validateWebhooks,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': validateWebhooks,
  'apiregistration.k8s.io/apiservices': validateApiService,
  'apps/daemonsets': spec(validateDaemonSet),
  'apps/deployments': spec(validateDeployment),
  'apps/replicasets': spec(validateReplicaSet),
  'apps/statefulsets': spec(validateStatefulSet),
  'autoscaling/horizontalpodautoscalers': (object) => {
    const newest = object['apiVersion'] === 'autoscaling/v1' ? scalerWithMetrics(object) : object;
    return validateAutoscaler(mapAt(newest, 'spec'));
  },
  'batch/cronjobs': validateCronJob,
  'batch/jobs': validateJob,
  'coordination.k8s.io/leases': spec(validateLease),
  'networking.k8s.io/ingressclasses': spec(validateIngressClass),
  'networking.k8s.io/ingresses': spec(validateIngress),
  'networking.k8s.io/networkpolicies': spec(validateNetworkPolicy),
  'policy/poddisruptionbudgets': spec(validateBudget),
  'rbac.authorization.k8s.io/clusterrolebindings': (object) => validateBinding(object, false),
  'rbac.authorization.k8s.io/clusterroles': (object) => validateRole(object, false),
  'rbac.authorization.k8s.io/rolebindings': (object) => validateBinding(object, true),
  'rbac.authorization.k8s.io/roles': (object) => validateRole(object, true),
  'scheduling.k8s.io/priorityclasses': validatePriorityClass,
  'storage.k8s.io/storageclasses': validateStorageClass,
  'apiextensions.k8s.io/customresourcedefinitions': crdProblems,
};
