import { asArray, asNumber, asString, at } from '../../../lib/json.ts';
import { parseTime } from '../../../lib/time.ts';
import type { JsonMap } from '../../model/object.ts';
import { mapAt } from '../validate/kit.ts';
import { humanDuration } from './human-duration.ts';

/** What a column shows of an object; `now` is what ages are counted to, in milliseconds. */
export type Cell = (object: JsonMap, now: number) => unknown;

export type Cells = Readonly<Record<string, Cell>>;

export const NONE = '<none>';
export const UNSET = '<unset>';

/** A text at a path, or what stands for none. */
export function text(...path: readonly string[]): (otherwise?: string) => Cell {
  return (otherwise = '') =>
    (object) =>
      asString(at(object, ...path)) ?? otherwise;
}

export function textAt(object: JsonMap, ...path: readonly string[]): string {
  return asString(at(object, ...path)) ?? '';
}

export function count(...path: readonly string[]): Cell {
  return (object) => numberAt(object, ...path);
}

export function numberAt(object: JsonMap, ...path: readonly string[]): number {
  return asNumber(at(object, ...path)) ?? 0;
}

export function flag(...path: readonly string[]): Cell {
  return (object) => at(object, ...path) === true;
}

export function sizeOf(...paths: readonly (readonly string[])[]): Cell {
  return (object) => paths.reduce((sum, path) => sum + lengthOf(at(object, ...path)), 0);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : Object.keys(mapAt(value)).length;
}

/** How long ago a time was. */
export function since(time: unknown, now: number): string {
  return typeof time === 'string' ? humanDuration(now - parseTime(time)) : '<unknown>';
}

export const age: Cell = (object, now) => since(at(object, 'metadata', 'creationTimestamp'), now);

/** Names and images of the containers of a pod spec. */
export function containers(...path: readonly string[]): Cells {
  const list = (object: JsonMap, field: string): string =>
    asArray(at(object, ...path, 'containers'))
      .map((container) => asString(at(container, field)) ?? '')
      .join(',');
  return { Containers: (object) => list(object, 'name'), Images: (object) => list(object, 'image') };
}

/** As `labels.FormatLabels`: of a plain map. */
export function labels(...path: readonly string[]): Cell {
  return (object) => formatLabels(mapAt(at(object, ...path)));
}

function formatLabels(map: JsonMap): string {
  const shown = Object.entries(map).map(([key, value]) => `${key}=${String(value)}`);
  return shown.length === 0 ? NONE : shown.sort().join(',');
}

/** As `metav1.FormatLabelSelector`. */
export function selector(...path: readonly string[]): Cell {
  return (object) => {
    const { matchLabels, matchExpressions } = mapAt(at(object, ...path));
    const own = Object.entries(mapAt(matchLabels)).map(([key, value]) => [key, `${key}=${String(value)}`] as const);
    const more = asArray(matchExpressions).map((expression) => requirement(mapAt(expression)));
    const all = [...own, ...more].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, shown]) => shown);
    return all.length === 0 ? NONE : all.join(',');
  };
}

function requirement({ key, operator, values }: JsonMap): readonly [string, string] {
  const name = String(key);
  const list = `(${[...asArray(values)].map(String).sort().join(',')})`;
  switch (operator) {
    case 'In':
      return [name, `${name} in ${list}`];
    case 'NotIn':
      return [name, `${name} notin ${list}`];
    default:
      return [name, operator === 'Exists' ? name : `!${name}`];
  }
}
