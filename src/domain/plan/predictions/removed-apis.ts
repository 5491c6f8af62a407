/** An API version that Kubernetes no longer serves. */
export interface RemovedApi {
  readonly apiVersion: string;
  readonly kinds: readonly string[];
  /** Minor version of Kubernetes 1 that serves it no more. */
  readonly since: number;
  readonly replacement: string;
}

const WEBHOOKS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];
const RBAC = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
const FLOWS = ['FlowSchema', 'PriorityLevelConfiguration'];

/** From the deprecated API migration guide of Kubernetes. */
export const REMOVED_APIS: readonly RemovedApi[] = [
  {
    apiVersion: 'extensions/v1beta1',
    kinds: ['Deployment', 'DaemonSet', 'ReplicaSet'],
    since: 16,
    replacement: 'apps/v1',
  },
  { apiVersion: 'extensions/v1beta1', kinds: ['NetworkPolicy'], since: 16, replacement: 'networking.k8s.io/v1' },
  { apiVersion: 'extensions/v1beta1', kinds: ['PodSecurityPolicy'], since: 16, replacement: 'pod security admission' },
  { apiVersion: 'extensions/v1beta1', kinds: ['Ingress'], since: 22, replacement: 'networking.k8s.io/v1' },
  { apiVersion: 'apps/v1beta1', kinds: ['Deployment', 'StatefulSet'], since: 16, replacement: 'apps/v1' },
  {
    apiVersion: 'apps/v1beta2',
    kinds: ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'],
    since: 16,
    replacement: 'apps/v1',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    kinds: WEBHOOKS,
    since: 22,
    replacement: 'admissionregistration.k8s.io/v1',
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    kinds: ['CustomResourceDefinition'],
    since: 22,
    replacement: 'apiextensions.k8s.io/v1',
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1beta1',
    kinds: ['APIService'],
    since: 22,
    replacement: 'apiregistration.k8s.io/v1',
  },
  {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kinds: ['CertificateSigningRequest'],
    since: 22,
    replacement: 'certificates.k8s.io/v1',
  },
  { apiVersion: 'coordination.k8s.io/v1beta1', kinds: ['Lease'], since: 22, replacement: 'coordination.k8s.io/v1' },
  {
    apiVersion: 'networking.k8s.io/v1beta1',
    kinds: ['Ingress', 'IngressClass'],
    since: 22,
    replacement: 'networking.k8s.io/v1',
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1beta1',
    kinds: RBAC,
    since: 22,
    replacement: 'rbac.authorization.k8s.io/v1',
  },
  { apiVersion: 'scheduling.k8s.io/v1beta1', kinds: ['PriorityClass'], since: 22, replacement: 'scheduling.k8s.io/v1' },
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    kinds: ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'],
    since: 22,
    replacement: 'storage.k8s.io/v1',
  },
  { apiVersion: 'batch/v1beta1', kinds: ['CronJob'], since: 25, replacement: 'batch/v1' },
  { apiVersion: 'discovery.k8s.io/v1beta1', kinds: ['EndpointSlice'], since: 25, replacement: 'discovery.k8s.io/v1' },
  { apiVersion: 'events.k8s.io/v1beta1', kinds: ['Event'], since: 25, replacement: 'events.k8s.io/v1' },
  { apiVersion: 'autoscaling/v2beta1', kinds: ['HorizontalPodAutoscaler'], since: 25, replacement: 'autoscaling/v2' },
  { apiVersion: 'policy/v1beta1', kinds: ['PodDisruptionBudget'], since: 25, replacement: 'policy/v1' },
  { apiVersion: 'policy/v1beta1', kinds: ['PodSecurityPolicy'], since: 25, replacement: 'pod security admission' },
  { apiVersion: 'node.k8s.io/v1beta1', kinds: ['RuntimeClass'], since: 25, replacement: 'node.k8s.io/v1' },
  { apiVersion: 'autoscaling/v2beta2', kinds: ['HorizontalPodAutoscaler'], since: 26, replacement: 'autoscaling/v2' },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta1',
    kinds: FLOWS,
    since: 26,
    replacement: 'flowcontrol.apiserver.k8s.io/v1',
  },
  { apiVersion: 'storage.k8s.io/v1beta1', kinds: ['CSIStorageCapacity'], since: 27, replacement: 'storage.k8s.io/v1' },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta2',
    kinds: FLOWS,
    since: 29,
    replacement: 'flowcontrol.apiserver.k8s.io/v1',
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3',
    kinds: FLOWS,
    since: 32,
    replacement: 'flowcontrol.apiserver.k8s.io/v1',
  },
];

export function removedApi({ apiVersion, kind }: { apiVersion: string; kind: string }): RemovedApi | undefined {
  return REMOVED_APIS.find((each) => each.apiVersion === apiVersion && each.kinds.includes(kind));
}
