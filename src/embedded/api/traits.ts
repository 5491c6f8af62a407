import type { GroupResource, Resource } from '../model/resource.ts';

/** `apps/deployments`, `/pods`. */
export function groupPlural({ group, plural }: GroupResource): string {
  return `${group}/${plural}`;
}

/** Built-in kinds whose generation the API server counts. Source: pkg/registry of Kubernetes 1.36. */
const WITH_GENERATION: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apps/daemonsets',
  'apps/deployments',
  'apps/replicasets',
  'apps/statefulsets',
  'batch/cronjobs',
  'batch/jobs',
  '/pods',
  '/podtemplates',
  '/replicationcontrollers',
  'discovery.k8s.io/endpointslices',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'networking.k8s.io/ingresses',
  'networking.k8s.io/ingressclasses',
  'networking.k8s.io/networkpolicies',
  'policy/poddisruptionbudgets',
  'scheduling.k8s.io/priorityclasses',
]);

/** `PUT` makes what is not there. */
const CREATED_BY_UPDATE: ReadonlySet<string> = new Set([
  'coordination.k8s.io/leases',
  '/endpoints',
  '/events',
  'events.k8s.io/events',
  '/limitranges',
  '/services',
  'node.k8s.io/runtimeclasses',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
]);

/** `PUT` needs a resource version, as it does for all custom kinds. */
const CONDITIONAL: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'coordination.k8s.io/leases',
  'node.k8s.io/runtimeclasses',
  'policy/poddisruptionbudgets',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/csistoragecapacities',
  'storage.k8s.io/volumeattachments',
]);

/** Their deletion is answered with the object, that of others with a Status. */
const RETURNED_WHEN_DELETED: ReadonlySet<string> = new Set([
  '/namespaces',
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/podtemplates',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
]);

export function countsGenerations(resource: Resource): boolean {
  return resource.custom || WITH_GENERATION.has(groupPlural(resource));
}

export function isCreatedByUpdate(resource: Resource): boolean {
  return CREATED_BY_UPDATE.has(groupPlural(resource));
}

export function needsResourceVersion(resource: Resource): boolean {
  return resource.custom || CONDITIONAL.has(groupPlural(resource));
}

export function isReturnedWhenDeleted(resource: Resource): boolean {
  return RETURNED_WHEN_DELETED.has(groupPlural(resource));
}

export function isKind(resource: GroupResource, group: string, plural: string): boolean {
  return resource.group === group && resource.plural === plural;
}
