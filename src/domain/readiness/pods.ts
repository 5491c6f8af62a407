import type { KubeObject } from '../../api/kube.ts';
import { asString, at, isRecord } from '../../lib/json.ts';
import { conditionHolds } from './conditions.ts';
import { recordsOf, textOf } from './fields.ts';

/** The label selector of a workload as the API takes it in a list; undefined when it has none or a malformed one. */
export function selectorOf(object: KubeObject): string | undefined {
  const selector = at(object, 'spec', 'selector');
  if (!isRecord(selector)) return undefined;
  if (object.kind === 'ReplicationController') return joined(equalities(selector));
  const expressions = recordsOf(selector, 'matchExpressions').map(expression);
  const labels = isRecord(selector.matchLabels) ? equalities(selector.matchLabels) : [];
  return expressions.includes(undefined) ? undefined : joined([...labels, ...expressions]);
}

/** The pods among the related objects that a workload counts as its own, by name; those being deleted left out. */
export function podsOf(object: KubeObject, related: readonly KubeObject[]): readonly KubeObject[] {
  const own = related.filter((item) => item.kind === 'Pod' && item.apiVersion === 'v1' && isSelected(object, item));
  const living = own.filter((pod) => (pod.metadata.deletionTimestamp ?? '') === '');
  return [...living].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

export function isPodReady(pod: KubeObject): boolean {
  return conditionHolds(pod, 'Ready');
}

export function isNodeReady(node: KubeObject): boolean {
  return conditionHolds(node, 'Ready');
}

export function nodeNameOf(pod: KubeObject): string {
  return textOf(pod, 'spec', 'nodeName');
}

function equalities(labels: Readonly<Record<string, unknown>>): readonly (string | undefined)[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${asString(value) ?? ''}`);
}

function joined(terms: readonly (string | undefined)[]): string | undefined {
  return terms.length === 0 ? undefined : terms.join(',');
}

function expression(entry: Readonly<Record<string, unknown>>): string | undefined {
  const key = textOf(entry, 'key');
  const values = Array.isArray(entry.values) ? entry.values.join(',') : '';
  switch (entry.operator) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return undefined;
  }
}

/** The rest of the related objects were selected for others; expressions were applied by the API server. */
function isSelected(object: KubeObject, pod: KubeObject): boolean {
  if (pod.metadata.namespace !== object.metadata.namespace) return false;
  const selector = at(object, 'spec', 'selector');
  const labels = object.kind === 'ReplicationController' ? selector : at(selector, 'matchLabels');
  return Object.entries(isRecord(labels) ? labels : {}).every(([key, value]) => pod.metadata.labels?.[key] === value);
}
