import { asArray, asString, at, isRecord } from '../../../lib/json.ts';
import type { Target } from '../../model/api.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { type Core, requireLive, timeNow, type Write } from '../core.ts';
import { badRequest, conflict } from '../refusals.ts';
import { childOf } from '../rules/kind-rules.ts';
import { replace } from '../update.ts';

const PODS = { group: '', version: 'v1', plural: 'pods' };

/** Puts a pod on a node, once. */
export function bindPod(core: Core, { target, body, options }: Write): void {
  const resource = core.kinds.require(PODS);
  const name = asString(at(body, 'metadata', 'name')) ?? '';
  if (target.name !== undefined && name !== target.name)
    throw badRequest('name in URL does not match name in Binding object');
  const node = asString(at(body, 'target', 'name')) ?? '';
  if (node === '') throw badRequest('target.name: Required value');
  const place: Target = { ...PODS, namespace: target.namespace, name };
  const live = requireLive(core, resource, place);
  const problem = problemOf(live);
  if (problem !== undefined) throw conflict({ group: '', plural: 'pods/binding' }, name, problem);
  const object = bound(core, live, { node, metadata: childOf(body, 'metadata') });
  // A binding writes spec and status, and nobody owns what it writes.
  const managedFields = live.metadata.managedFields ?? [];
  replace(core, resource, { target: { ...place, subresource: 'binding' }, live, object, options, managedFields });
}

function problemOf(pod: StoredObject): string | undefined {
  const { name, deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  const node = asString(at(pod, 'spec', 'nodeName')) ?? '';
  if (node !== '') return `pod ${name} is already assigned to node ${JSON.stringify(node)}`;
  return asArray(at(pod, 'spec', 'schedulingGates')).length === 0
    ? undefined
    : `pod ${name} has non-empty .spec.schedulingGates`;
}

function bound(
  core: Core,
  pod: StoredObject,
  { node, metadata }: { readonly node: string; readonly metadata: JsonMap },
): JsonMap {
  const annotations = { ...pod.metadata.annotations, ...childOf(metadata, 'annotations') };
  const labels = { ...pod.metadata.labels, ...childOf(metadata, 'labels') };
  const status = childOf(pod, 'status');
  const others = asArray(status['conditions']).filter((own) => at(own, 'type') !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: timeNow(core) };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(isRecord(annotations) && Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
    },
    spec: { ...childOf(pod, 'spec'), nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  };
}
