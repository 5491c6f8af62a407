import { at, isRecord } from '../../lib/json.ts';
import { absent, type Draft, type SetDefaults } from './absent.ts';

const CORE = 'io.k8s.api.core.v1.';

export const CORE_DEFAULTS: Readonly<Record<string, SetDefaults>> = {
  [`${CORE}ServiceSpec`]: defaultService,
  [`${CORE}ServicePort`]: (draft) => {
    if (draft['targetPort'] === 0 || draft['targetPort'] === '') delete draft['targetPort'];
    absent({ protocol: 'TCP', targetPort: draft['port'] })(draft);
  },
  [`${CORE}EndpointPort`]: absent({ protocol: 'TCP' }),
  [`${CORE}Secret`]: defaultSecret,
  [`${CORE}PersistentVolumeSpec`]: absent({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
  [`${CORE}PersistentVolumeStatus`]: absent({ phase: 'Pending' }),
  [`${CORE}PersistentVolumeClaimSpec`]: absent({ volumeMode: 'Filesystem' }),
  [`${CORE}PersistentVolumeClaimStatus`]: absent({ phase: 'Pending' }),
  [`${CORE}Namespace`]: (draft) => {
    const metadata = draft['metadata'];
    const name = at(metadata, 'name');
    if (!isRecord(metadata) || typeof name !== 'string' || name === '') return;
    const labels = isRecord(metadata['labels']) ? metadata['labels'] : {};
    draft['metadata'] = { ...metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } };
  },
  [`${CORE}NamespaceStatus`]: absent({ phase: 'Active' }),
  [`${CORE}NodeStatus`]: (draft) => {
    absent({ allocatable: draft['capacity'] })(draft);
  },
  [`${CORE}LimitRangeItem`]: defaultLimits,
};

function defaultService(draft: Draft): void {
  absent({ sessionAffinity: 'None', type: 'ClusterIP' })(draft);
  if (draft['sessionAffinity'] === 'None') delete draft['sessionAffinityConfig'];
  if (draft['sessionAffinity'] === 'ClientIP') defaultAffinity(draft);
  const type = draft['type'];
  const isBalanced = type === 'LoadBalancer';
  const externalIps = draft['externalIPs'];
  const isExternal =
    isBalanced || type === 'NodePort' || (type === 'ClusterIP' && Array.isArray(externalIps) && externalIps.length > 0);
  if (isExternal) absent({ externalTrafficPolicy: 'Cluster' })(draft);
  if (type !== 'ExternalName') absent({ internalTrafficPolicy: 'Cluster' })(draft);
  if (isBalanced) absent({ allocateLoadBalancerNodePorts: true })(draft);
}

function defaultAffinity(draft: Draft): void {
  if (at(draft['sessionAffinityConfig'], 'clientIP', 'timeoutSeconds') !== undefined) return;
  draft['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: 10_800 } };
}

/** `stringData` is only ever written. */
function defaultSecret(draft: Draft): void {
  absent({ type: 'Opaque' })(draft);
  const { stringData, data } = draft;
  if (!isRecord(stringData)) return;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, encode(text)]);
  draft['data'] = { ...(isRecord(data) ? data : {}), ...Object.fromEntries(encoded) };
  delete draft['stringData'];
}

/** Anything but a text stays as it is, for the decoder to refuse. */
function encode(text: unknown): unknown {
  return typeof text === 'string' ? Buffer.from(text).toString('base64') : text;
}

function defaultLimits(draft: Draft): void {
  if (draft['type'] !== 'Container') return;
  const [max, min, limits, requests] = ['max', 'min', 'default', 'defaultRequest'].map((name) => draft[name] ?? {});
  if (![max, min, limits, requests].every(isRecord)) return;
  const byDefault = { ...max, ...limits };
  const byRequest = { ...min, ...byDefault, ...requests };
  if (Object.keys(byDefault).length > 0) draft['default'] = byDefault;
  if (Object.keys(byRequest).length > 0) draft['defaultRequest'] = byRequest;
}
