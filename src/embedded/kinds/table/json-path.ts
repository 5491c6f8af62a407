import { asArray, isRecord } from '../../../lib/json.ts';

/** The first value that a simple JSONPath finds, as definitions use them for columns; undefined for none. */
export function firstAt(value: unknown, path: string): unknown {
  return stepsOf(path).reduce<readonly unknown[]>((found, step) => found.flatMap(step), [value])[0];
}

type Step = (value: unknown) => readonly unknown[];

const STEP =
  /\.((?:[^.[\\]|\\.)+)|\[\?\(\s*@((?:\.|\[')[^=!<>]+?)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([^\s)]+))\s*\)\]|\[(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|(-?\d+)|(\*))\]/g;

function stepsOf(path: string): readonly Step[] {
  const inner = path
    .trim()
    .replace(/^\{|\}$/g, '')
    .replace(/^\$/, '');
  const dotted = /^[.[]/.test(inner) ? inner : `.${inner}`;
  return Array.from(dotted.matchAll(STEP), stepOf);
}

function stepOf(match: RegExpMatchArray): Step {
  const [, name, filter, operator, ...rest] = match;
  const [double, single, bare, quoted, otherQuoted, index, star] = rest;
  if (filter !== undefined) {
    return matching({ filter, isEqual: operator === '==', wanted: [double, single, bare].join('') });
  }
  if (index !== undefined) return (value) => present(asArray(value).at(Number(index)));
  if (star !== undefined || name === '*') return everyItem;
  return field([name, quoted, otherQuoted].join('').replace(/\\(.)/g, '$1'));
}

function field(name: string): Step {
  return (value) => (isRecord(value) && Object.hasOwn(value, name) ? present(value[name]) : []);
}

function present(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}

const everyItem: Step = (value) => (isRecord(value) ? Object.values(value) : asArray(value));

function matching({ filter, isEqual, wanted }: { filter: string; isEqual: boolean; wanted: string }): Step {
  return (value) => asArray(value).filter((item) => (String(firstAt(item, filter)) === wanted) === isEqual);
}
