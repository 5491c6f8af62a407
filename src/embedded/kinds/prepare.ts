import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { prepareJob } from './prepare-job.ts';
import { preparePod } from './prepare-pod.ts';
import { keepAllocated, prepareService } from './prepare-service.ts';

/** What the API server gives to new objects beside their defaults. */
export interface Allotment {
  /** Of the object that is made. */
  readonly uid: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  /** An address or a port that no Service has. */
  clusterIp(): string;
  nodePort(): number;
}

type Prepare = (object: JsonMap, allotment: Allotment) => JsonMap;

/** What the API server and its admission plugins add to a new object with defaults, kind by kind. */
export function prepareBuiltIn(resource: Resource, object: JsonMap, allotment: Allotment): JsonMap {
  return CREATED[`${resource.group}/${resource.plural}`]?.(object, allotment) ?? object;
}

/** What an update that does not say otherwise keeps of what was allotted to the object. */
export function keepBuiltIn(resource: Resource, object: JsonMap, change: Change): JsonMap {
  return UPDATED[`${resource.group}/${resource.plural}`]?.(object, change) ?? object;
}

interface Change {
  readonly old: JsonMap;
  /** For a Service that had no address before. */
  readonly allotment: Allotment;
}

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const CREATED: Readonly<Record<string, Prepare>> = {
  '/namespaces': (object) => ({
    ...object,
    spec: { ...spec(object), finalizers: [...new Set(['kubernetes', ...finalizersOf(object['spec'])])] },
  }),
  '/nodes': (object) => {
    const taints = asArray(at(object, 'spec', 'taints'));
    const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    return { ...object, spec: { ...spec(object), taints: [...taints, taint] } };
  },
  '/persistentvolumeclaims': (object) =>
    withFinalizer({ ...object, spec: withSources(spec(object)) }, 'kubernetes.io/pvc-protection'),
  '/persistentvolumes': (object, { time }) => {
    const status = isRecord(object['status']) ? object['status'] : {};
    const known = { ...object, status: { ...status, lastPhaseTransitionTime: time } };
    return withFinalizer(known, 'kubernetes.io/pv-protection');
  },
  '/pods': preparePod,
  '/services': prepareService,
  'apps/daemonsets': (object) => withTemplateGeneration(object, 1),
  'batch/jobs': prepareJob,
  'rbac.authorization.k8s.io/clusterroles': withoutAggregatedRules,
};

const UPDATED: Readonly<Record<string, (object: JsonMap, change: Change) => JsonMap>> = {
  '/namespaces': (object, { old }) => ({ ...object, spec: { ...spec(object), finalizers: finalizersOf(old['spec']) } }),
  '/services': (object, { old, allotment }) => prepareService(keepAllocated(object, old), allotment),
  'apps/daemonsets': (object, { old }) => {
    const before = Number(at(old, 'metadata', 'annotations', TEMPLATE_GENERATION) ?? 1);
    const changed = JSON.stringify(at(object, 'spec', 'template')) !== JSON.stringify(at(old, 'spec', 'template'));
    return withTemplateGeneration(object, changed ? before + 1 : before);
  },
};

function spec(object: JsonMap): JsonMap {
  return isRecord(object['spec']) ? object['spec'] : {};
}

function metadata(object: JsonMap): JsonMap {
  return isRecord(object['metadata']) ? object['metadata'] : {};
}

function finalizersOf(part: unknown): readonly unknown[] {
  return asArray(at(part, 'finalizers'));
}

function withFinalizer(object: JsonMap, finalizer: string): JsonMap {
  const finalizers = [...new Set([...finalizersOf(object['metadata']), finalizer])];
  return { ...object, metadata: { ...metadata(object), finalizers } };
}

/** The two fields for where data comes from say the same. */
function withSources(claim: JsonMap): JsonMap {
  const { dataSource, dataSourceRef } = claim;
  if (isRecord(dataSource) && dataSourceRef === undefined) {
    return { ...claim, dataSourceRef: { apiGroup: null, ...dataSource } };
  }
  if (!isRecord(dataSourceRef) || dataSource !== undefined || asString(dataSourceRef['namespace']) !== undefined) {
    return claim;
  }
  return { ...claim, dataSource: dataSourceRef };
}

function withTemplateGeneration(object: JsonMap, generation: number): JsonMap {
  const own = metadata(object);
  const annotations = isRecord(own['annotations']) ? own['annotations'] : {};
  return {
    ...object,
    metadata: { ...own, annotations: { ...annotations, [TEMPLATE_GENERATION]: String(generation) } },
  };
}

/** A controller writes the rules of such a role. */
function withoutAggregatedRules(object: JsonMap): JsonMap {
  return object['aggregationRule'] === undefined ? object : { ...object, rules: null };
}
