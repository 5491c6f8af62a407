import { asArray, asString, at, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';

/** Kinds of Kubernetes that are in no namespace, each with its group. */
const CLUSTER_SCOPED: readonly string[] = [
  ...['Namespace', 'Node', 'PersistentVolume'].map((kind) => `/${kind}`),
  ...[
    'ValidatingWebhookConfiguration',
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
  ].map((kind) => `admissionregistration.k8s.io/${kind}`),
  'apiextensions.k8s.io/CustomResourceDefinition',
  'apiregistration.k8s.io/APIService',
  'certificates.k8s.io/CertificateSigningRequest',
  'certificates.k8s.io/ClusterTrustBundle',
  'flowcontrol.apiserver.k8s.io/FlowSchema',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
  'networking.k8s.io/IngressClass',
  'networking.k8s.io/IPAddress',
  'networking.k8s.io/ServiceCIDR',
  'node.k8s.io/RuntimeClass',
  'policy/PodSecurityPolicy',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'resource.k8s.io/DeviceClass',
  'resource.k8s.io/ResourceSlice',
  'scheduling.k8s.io/PriorityClass',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/CSINode',
  'storage.k8s.io/StorageClass',
  'storage.k8s.io/VolumeAttachment',
  'storage.k8s.io/VolumeAttributesClass',
];

/** All kinds that are known to be in no namespace: those of Kubernetes, and of the CRDs among the objects. */
export function clusterKinds(objects: readonly JsonValue[]): ReadonlySet<string> {
  const defined = objects.flatMap((object) => {
    if (at(object, 'kind') !== 'CustomResourceDefinition' || at(object, 'spec', 'scope') !== 'Cluster') return [];
    return [`${asString(at(object, 'spec', 'group')) ?? ''}/${asString(at(object, 'spec', 'names', 'kind')) ?? ''}`];
  });
  return new Set([...CLUSTER_SCOPED, ...defined]);
}

/**
 * An object with the namespace that helm would put it into; the same one where it has a namespace, or can have none.
 * A kind that nobody knows gets one: the API server leaves it away where it has no place.
 */
export function placedIn(namespace: string, object: JsonValue, kinds: ReadonlySet<string>): JsonValue {
  if (!isJsonObject(object)) return object;
  if (asString(object['kind'])?.endsWith('List') === true && Array.isArray(object['items'])) {
    const items = asArray(object['items']) as readonly JsonValue[];
    const placed = items.map((item) => placedIn(namespace, item, kinds));
    return placed.every((item, index) => item === items[index]) ? object : { ...object, items: placed };
  }
  const { metadata } = object;
  if (kinds.has(groupKind(object)) || !isJsonObject(metadata)) return object;
  return (asString(metadata['namespace']) ?? '') === '' ? { ...object, metadata: { ...metadata, namespace } } : object;
}

function groupKind(object: JsonObject): string {
  const [group = '', version] = (asString(object['apiVersion']) ?? '').split('/');
  return `${version === undefined ? '' : group}/${asString(object['kind']) ?? ''}`;
}
