import type { JsonMap, StoredObject } from '../../model/object.ts';
import { parseQuantity } from '../kit/quantity.ts';
import { type Labels, labelsAt, mapAt, mapsAt, textAt } from '../kit/read.ts';
import { holds, includesLabels } from '../kit/selector.ts';
import { type Amounts, podResources } from './resources.ts';

export interface Usage {
  readonly pods: number;
  readonly amounts: Amounts;
}

/** Why a pod cannot run on a node, in the scheduler's words; undefined when it can. */
export function misfit(pod: JsonMap, node: StoredObject, used: Usage): string | undefined {
  return unfit(pod, node) ?? shortage(pod, node, used);
}

/** Whether it may go there, however full the node is. */
export function fitsNode(pod: JsonMap, node: StoredObject): boolean {
  return unfit(pod, node) === undefined;
}

/** Whether it may stay there: taints that only keep new pods away do not count. */
export function mayStay(pod: JsonMap, node: StoredObject): boolean {
  return (
    isWanted(pod, node) &&
    mapsAt(node, 'spec', 'taints').every((taint) => taint.effect !== 'NoExecute' || tolerates(pod, taint))
  );
}

function unfit(pod: JsonMap, node: StoredObject): string | undefined {
  if (mapAt(node, 'spec').unschedulable === true && !tolerates(pod, UNSCHEDULABLE)) return 'node(s) were unschedulable';
  const taint = mapsAt(node, 'spec', 'taints').find(
    (each) => each.effect !== 'PreferNoSchedule' && !tolerates(pod, each),
  );
  if (taint !== undefined) return `node(s) had untolerated taint {${taintText(taint)}}`;
  return isWanted(pod, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

const UNSCHEDULABLE: JsonMap = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

function taintText(taint: JsonMap): string {
  const value = textAt(taint, 'value');
  return value === '' ? `${textAt(taint, 'key')}: ` : `${textAt(taint, 'key')}: ${value}`;
}

function tolerates(pod: JsonMap, taint: JsonMap): boolean {
  return mapsAt(pod, 'spec', 'tolerations').some((toleration) => {
    const { key, operator, value, effect } = toleration;
    if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
    if (key === undefined || key === '') return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || (value ?? '') === (taint.value ?? ''));
  });
}

function isWanted(pod: JsonMap, node: StoredObject): boolean {
  const labels = node.metadata.labels ?? {};
  if (!includesLabels(labels, labelsAt(pod, 'spec', 'nodeSelector'))) return false;
  const required = mapAt(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  const terms = mapsAt(required, 'nodeSelectorTerms');
  return terms.length === 0 || terms.some((term) => holdsTerm(term, labels, node.metadata.name));
}

function holdsTerm(term: JsonMap, labels: Labels, name: string): boolean {
  return (
    mapsAt(term, 'matchExpressions').every((expression) => holds(expression, labels)) &&
    mapsAt(term, 'matchFields').every((expression) => holds(expression, { 'metadata.name': name }))
  );
}

function shortage(pod: JsonMap, node: StoredObject, used: Usage): string | undefined {
  const allocatable = mapAt(node, 'status', 'allocatable');
  if (used.pods + 1 > parseQuantity(allocatable.pods ?? 0)) return 'Too many pods';
  for (const [name, amount] of podResources(pod, 'requests')) {
    if (amount > 0 && (used.amounts.get(name) ?? 0) + amount > parseQuantity(allocatable[name] ?? 0)) {
      return `Insufficient ${name}`;
    }
  }
  return undefined;
}
