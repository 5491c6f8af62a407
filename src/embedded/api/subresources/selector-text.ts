import { asArray, asString, at, isRecord } from '../../../lib/json.ts';

/** A selector of an object as a query writes it. */
export function selectorText(selector: unknown): string {
  if (!isRecord(selector)) return '';
  const isPlain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  const labels = isPlain ? selector : at(selector, 'matchLabels');
  const equalities = Object.entries(isRecord(labels) ? labels : {}).map(([key, value]): [string, string] => [
    key,
    `${key}=${String(value)}`,
  ]);
  const expressions = asArray(at(selector, 'matchExpressions')).map(expressionText);
  return [...equalities, ...expressions]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text)
    .join(',');
}

function expressionText(expression: unknown): [string, string] {
  const key = asString(at(expression, 'key')) ?? '';
  const values = asArray(at(expression, 'values')).map(String).toSorted().join(',');
  switch (at(expression, 'operator')) {
    case 'In':
      return [key, `${key} in (${values})`];
    case 'NotIn':
      return [key, `${key} notin (${values})`];
    case 'DoesNotExist':
      return [key, `!${key}`];
    default:
      return [key, key];
  }
}
