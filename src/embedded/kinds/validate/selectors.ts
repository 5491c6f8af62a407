import { asArray, isRecord } from '../../../lib/json.ts';
import { forbidden, invalidValue, required } from '../../model/causes.ts';
import { isLabelKey, isLabelValue } from '../../schema/names.ts';
import { labelProblems } from '../../schema/object-meta-problems.ts';
import { type Causes, each, mapAt, named, need } from './kit.ts';

/** Of a LabelSelector. */
export function validateSelector(selector: unknown, path: string): Causes {
  if (!isRecord(selector)) return [];
  return [
    ...labelProblems(selector['matchLabels'], `${path}.matchLabels`),
    ...each(selector['matchExpressions'], `${path}.matchExpressions`, ({ key, operator, values }, place) => [
      ...operatorProblems(operator, values, place),
      ...named(key, `${place}.key`, isLabelKey),
      ...asArray(values).flatMap((value, index) => named(value, `${place}.values[${String(index)}]`, isLabelValue)),
    ]),
  ];
}

/** Of selectors of labels; those of nodes know `Gt` and `Lt`, too. */
export function operatorProblems(operator: unknown, values: unknown, path: string): Causes {
  const count = asArray(values).length;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return [];
      return [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalidValue(`${path}.operator`, operator ?? '', 'not a valid selector operator')];
  }
}

export function isEmptySelector(selector: unknown): boolean {
  const { matchLabels, matchExpressions } = mapAt(selector);
  return Object.keys(mapAt(matchLabels)).length === 0 && asArray(matchExpressions).length === 0;
}

/** Whether labels are what a LabelSelector looks for. */
export function selects(selector: unknown, labels: unknown): boolean {
  const { matchLabels, matchExpressions } = mapAt(selector);
  const own = mapAt(labels);
  return (
    Object.entries(mapAt(matchLabels)).every(([key, value]) => own[key] === value) &&
    asArray(matchExpressions).every((expression) => meets(own, mapAt(expression)))
  );
}

function meets(labels: Readonly<Record<string, unknown>>, expression: Readonly<Record<string, unknown>>): boolean {
  const value = labels[String(expression['key'])];
  const values = asArray(expression['values']);
  switch (expression['operator']) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}

/** A workload's selector has to find the pods of its template. */
export function validateTemplateLabels(selector: unknown, template: unknown, path: string): Causes {
  const labels = mapAt(mapAt(template, 'metadata'))['labels'];
  if (selector !== undefined && selector !== null && selects(selector, labels)) return [];
  const detail = '`selector` does not match template `labels`';
  return [invalidValue(`${path}.metadata.labels`, labels ?? null, detail)];
}

export function needSelector(selector: unknown, path: string): Causes {
  return [...need(selector, path), ...validateSelector(selector, path)];
}
