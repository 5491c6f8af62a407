import { isRecord } from '../../../lib/json.ts';
import type { JsonMap } from '../../model/object.ts';
import { type Labels, labelsAt, mapsAt, textAt, textsAt } from './read.ts';

/** Whether labels satisfy a `metav1.LabelSelector`; none selects nothing, an empty one everything. */
export function selects(selector: unknown, labels: Labels): boolean {
  if (!isRecord(selector)) return false;
  const wanted = Object.entries(labelsAt(selector, 'matchLabels'));
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    mapsAt(selector, 'matchExpressions').every((expression) => holds(expression, labels))
  );
}

/** A plain map of labels, as a Service selects by. */
export function includesLabels(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

/** One entry of `matchExpressions`, of a selector or of a node affinity. */
export function holds(expression: JsonMap, labels: Labels): boolean {
  const value = labels[textAt(expression, 'key')];
  const values = textsAt(expression, 'values');
  switch (expression.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
