import { asArray, isRecord } from '../../../lib/json.ts';
import { stableJson } from '../../../lib/stable-json.ts';
import { forbidden, invalidValue } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { crdChanges } from '../../schema/crd-problems.ts';
import { type Causes, mapAt, textOf } from './kit.ts';
import { nanosOf } from './resources.ts';
import { volumeSourceOf } from './storage.ts';

type Judge = (object: JsonMap, old: JsonMap) => Causes;

/** What an update may not change, by `GROUP/PLURAL`. */
export const UPDATES: Readonly<Record<string, Judge>> = {
  '/configmaps': frozenData(['data', 'binaryData']),
  '/secrets': (object, old) => [...fixed(object['type'], old['type'], 'type'), ...frozenData(['data'])(object, old)],
  '/services': serviceChanges,
  '/pods': podChanges,
  '/persistentvolumeclaims': claimChanges,
  '/persistentvolumes': (object, old) => {
    const [source, before] = [volumeSourceOf(mapAt(object, 'spec')), volumeSourceOf(mapAt(old, 'spec'))];
    if (isSame(source, before)) return [];
    return [forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')];
  },
  'apiextensions.k8s.io/customresourcedefinitions': crdChanges,
  'apps/deployments': fixedSelector,
  'apps/daemonsets': fixedSelector,
  'apps/replicasets': fixedSelector,
  'apps/statefulsets': statefulChanges,
  'apps/controllerrevisions': (object, old) => fixed(object['data'], old['data'], 'data'),
  'batch/jobs': jobChanges,
  'networking.k8s.io/ingressclasses': (object, old) =>
    fixed(mapAt(object, 'spec')['controller'], mapAt(old, 'spec')['controller'], 'spec.controller'),
  'rbac.authorization.k8s.io/rolebindings': fixedRole,
  'rbac.authorization.k8s.io/clusterrolebindings': fixedRole,
  'scheduling.k8s.io/priorityclasses': (object, old) => [
    ...(isSame(object['value'], old['value']) ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...fixed(object['preemptionPolicy'], old['preemptionPolicy'], 'preemptionPolicy'),
  ],
  'storage.k8s.io/storageclasses': (object, old) =>
    ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((name) =>
      fixed(object[name], old[name], name),
    ),
};

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && stableJson(a) === stableJson(b));
}

function fixed(value: unknown, old: unknown, path: string): Causes {
  return isSame(value, old) ? [] : [invalidValue(path, value, 'field is immutable')];
}

function fixedSelector(object: JsonMap, old: JsonMap): Causes {
  return fixed(mapAt(object, 'spec')['selector'], mapAt(old, 'spec')['selector'], 'spec.selector');
}

function fixedRole(object: JsonMap, old: JsonMap): Causes {
  if (isSame(object['roleRef'], old['roleRef'])) return [];
  const { apiGroup, kind, name } = mapAt(object, 'roleRef');
  return [invalidValue('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')];
}

function frozenData(fields: readonly string[]): Judge {
  return (object, old) => {
    if (old['immutable'] !== true) return [];
    const detail = 'field is immutable when `immutable` is set';
    return [
      ...(object['immutable'] === true ? [] : [forbidden('immutable', detail)]),
      ...fields.filter((name) => !isSame(object[name], old[name])).map((name) => forbidden(name, detail)),
    ];
  };
}

function serviceChanges(object: JsonMap, old: JsonMap): Causes {
  const [spec, before] = [mapAt(object, 'spec'), mapAt(old, 'spec')];
  const [address, was] = [textOf(spec['clusterIP']), textOf(before['clusterIP'])];
  const isFree = was === '' || spec['type'] === 'ExternalName' || before['type'] === 'ExternalName' || address === '';
  if (isFree || address === was) return [];
  return [invalidValue('spec.clusterIPs[0]', [address], 'may not change once set')];
}

const POD_DETAIL =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function podChanges(object: JsonMap, old: JsonMap): Causes {
  const [spec, before] = [mapAt(object, 'spec'), mapAt(old, 'spec')];
  if (isSame(changeless(spec), changeless(before))) return [];
  return [forbidden('spec', POD_DETAIL)];
}

/** Without what an update of a pod may change; the node is given by a binding. */
function changeless(spec: JsonMap): JsonMap {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, nodeName: _node, ...rest } = spec;
  const images = (list: unknown): unknown => asArray(list).map((container) => ({ ...mapAt(container), image: '' }));
  return {
    ...rest,
    containers: images(spec['containers']),
    initContainers: images(spec['initContainers']),
    ephemeralContainers: [],
    schedulingGates: [],
  };
}

const CLAIM_DETAIL =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

function claimChanges(object: JsonMap, old: JsonMap): Causes {
  const [spec, before] = [mapAt(object, 'spec'), mapAt(old, 'spec')];
  const isBound = mapAt(old, 'status')['phase'] === 'Bound';
  const volumeIsNew = before['volumeName'] === undefined;
  const rest = (claim: JsonMap): JsonMap => ({
    ...claim,
    ...(isBound ? { resources: {}, volumeAttributesClassName: '' } : {}),
    ...(volumeIsNew ? { volumeName: '' } : {}),
    ...(before['storageClassName'] === undefined ? { storageClassName: '' } : {}),
  });
  return [
    ...(isSame(rest(spec), rest(before)) ? [] : [forbidden('spec', CLAIM_DETAIL)]),
    ...(isBound ? shrinking(spec, before) : []),
  ];
}

function shrinking(spec: JsonMap, before: JsonMap): Causes {
  const [size, was] = [spec, before].map((claim) => mapAt(mapAt(claim, 'resources'), 'requests')['storage']);
  if (nanosOf(size) >= nanosOf(was)) return [];
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

const STATEFUL_MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const STATEFUL_DETAIL =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function statefulChanges(object: JsonMap, old: JsonMap): Causes {
  const rest = (spec: JsonMap): JsonMap => {
    return Object.fromEntries(Object.entries(spec).filter(([name]) => !STATEFUL_MUTABLE.includes(name)));
  };
  const [spec, before] = [rest(mapAt(object, 'spec')), rest(mapAt(old, 'spec'))];
  return isSame(spec, before) ? [] : [forbidden('spec', STATEFUL_DETAIL)];
}

function jobChanges(object: JsonMap, old: JsonMap): Causes {
  const [spec, before] = [mapAt(object, 'spec'), mapAt(old, 'spec')];
  const isElastic = spec['completionMode'] === 'Indexed' && spec['completions'] === spec['parallelism'];
  return [
    ...(isElastic ? [] : fixed(spec['completions'], before['completions'], 'spec.completions')),
    ...fixed(spec['selector'], before['selector'], 'spec.selector'),
    ...(isSame(ofJob(spec, before), ofJob(before, before))
      ? []
      : [invalidValue('spec.template', spec['template'], 'field is immutable')]),
    ...fixed(spec['completionMode'], before['completionMode'], 'spec.completionMode'),
    ...fixed(spec['podFailurePolicy'], before['podFailurePolicy'], 'spec.podFailurePolicy'),
    ...fixed(spec['backoffLimitPerIndex'], before['backoffLimitPerIndex'], 'spec.backoffLimitPerIndex'),
  ];
}

/** While a Job is suspended, where its pods run may change. */
function ofJob({ template }: JsonMap, { suspend }: JsonMap): unknown {
  if (suspend !== true || !isRecord(template)) return template;
  const {
    nodeSelector: _selector,
    affinity: _affinity,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...pod
  } = mapAt(template, 'spec');
  return { spec: pod };
}
