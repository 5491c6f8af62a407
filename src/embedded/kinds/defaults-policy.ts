import { asArray, at, isRecord } from '../../lib/json.ts';
import { absent, type Draft, type SetDefaults } from './absent.ts';

const ADMISSION = 'io.k8s.api.admissionregistration.v1.';
const CRD = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';
const RBAC_GROUP = 'rbac.authorization.k8s.io';

const WEBHOOK = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

/** Of kinds about networks, rights, storage, scheduling and admission. */
export const POLICY_DEFAULTS: Readonly<Record<string, SetDefaults>> = {
  'io.k8s.api.networking.v1.NetworkPolicyPort': absent({ protocol: 'TCP' }),
  'io.k8s.api.networking.v1.NetworkPolicySpec': (draft) => {
    const hasEgress = asArray(draft['egress']).length > 0;
    absent({ policyTypes: hasEgress ? ['Ingress', 'Egress'] : ['Ingress'] })(draft);
  },
  'io.k8s.api.networking.v1.IngressClassParametersReference': absent({ scope: 'Cluster' }),
  'io.k8s.api.discovery.v1.EndpointPort': absent({ name: '', protocol: 'TCP' }),
  'io.k8s.api.rbac.v1.ClusterRoleBinding': defaultRoleRef,
  'io.k8s.api.rbac.v1.RoleBinding': defaultRoleRef,
  'io.k8s.api.rbac.v1.Subject': (draft) => {
    if (draft['kind'] === 'User' || draft['kind'] === 'Group') absent({ apiGroup: RBAC_GROUP })(draft);
  },
  'io.k8s.api.storage.v1.StorageClass': absent({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'io.k8s.api.storage.v1.CSIDriverSpec': absent({
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  }),
  'io.k8s.api.scheduling.v1.PriorityClass': absent({ preemptionPolicy: 'PreemptLowerPriority' }),
  'io.k8s.api.authentication.v1.TokenRequestSpec': absent({ expirationSeconds: 3600 }),
  [`${ADMISSION}ValidatingWebhook`]: absent(WEBHOOK),
  [`${ADMISSION}MutatingWebhook`]: absent({ ...WEBHOOK, reinvocationPolicy: 'Never' }),
  [`${ADMISSION}RuleWithOperations`]: absent({ scope: '*' }),
  [`${ADMISSION}NamedRuleWithOperations`]: absent({ scope: '*' }),
  [`${ADMISSION}ServiceReference`]: absent({ port: 443 }),
  [`${ADMISSION}ValidatingAdmissionPolicySpec`]: absent({ failurePolicy: 'Fail' }),
  [`${ADMISSION}MutatingAdmissionPolicySpec`]: absent({ failurePolicy: 'Fail' }),
  [`${ADMISSION}MatchResources`]: absent({ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }),
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference': absent({ port: 443 }),
  [`${CRD}ServiceReference`]: absent({ port: 443 }),
  [`${CRD}CustomResourceDefinition`]: defaultStoredVersions,
  [`${CRD}CustomResourceDefinitionSpec`]: absent({ conversion: { strategy: 'None' } }),
  [`${CRD}CustomResourceDefinitionNames`]: (draft) => {
    const { kind } = draft;
    if (typeof kind === 'string' && kind !== '')
      absent({ singular: kind.toLowerCase(), listKind: `${kind}List` })(draft);
  },
};

function defaultRoleRef(draft: Draft): void {
  const { roleRef } = draft;
  if (isRecord(roleRef)) draft['roleRef'] = { ...roleRef, apiGroup: roleRef['apiGroup'] || RBAC_GROUP };
}

function defaultStoredVersions(draft: Draft): void {
  const { status } = draft;
  if (asArray(at(status, 'storedVersions')).length > 0) return;
  const stored = asArray(at(draft['spec'], 'versions')).filter((version) => at(version, 'storage') === true);
  const names = stored.slice(0, 1).map((version) => at(version, 'name'));
  draft['status'] = { ...(isRecord(status) ? status : {}), storedVersions: names };
}
