import { isRecord } from '../../lib/json.ts';

/** One step from a value to one below it, as fieldsV1 names it. */
export type PathElement =
  | { readonly kind: 'field'; readonly name: string }
  /** An item of a list that is a map: the values of its keys, by name. */
  | { readonly kind: 'key'; readonly fields: readonly KeyField[] }
  /** An item of a set. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'index'; readonly index: number };

export interface KeyField {
  readonly name: string;
  readonly value: unknown;
}

export type Path = readonly PathElement[];

const KIND_ORDER: Readonly<Record<PathElement['kind'], number>> = { field: 0, key: 1, value: 2, index: 3 };

export function fieldElement(name: string): PathElement {
  return { kind: 'field', name };
}

export function keyElement(fields: readonly KeyField[]): PathElement {
  return { kind: 'key', fields: [...fields].sort((a, b) => compareText(a.name, b.name)) };
}

/** The key of a path element in fieldsV1: `f:name`, `k:{"name":"a"}`, `v:1`, `i:0`. Equal elements have equal texts. */
export function printElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `f:${element.name}`;
    case 'key':
      return `k:{${element.fields.map(({ name, value }) => `${goJson(name)}:${goJson(value)}`).join(',')}}`;
    case 'value':
      return `v:${goJson(element.value)}`;
    case 'index':
      return `i:${String(element.index)}`;
  }
}

/** Throws on what is no path element; undefined for kinds of a later version, which the API server drops, too. */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new SyntaxError(`key must be 2 characters long: ${text}`);
  if (text[1] !== ':') throw new SyntaxError(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text.slice(0, 1)) {
    case 'f':
      return fieldElement(rest);
    case 'v':
      return { kind: 'value', value: JSON.parse(rest) as unknown };
    case 'k':
      return parseKey(rest);
    case 'i':
      return parseIndex(rest);
    default:
      return undefined;
  }
}

function parseKey(text: string): PathElement {
  const fields: unknown = JSON.parse(text);
  if (!isRecord(fields)) throw new SyntaxError(`not a map of key fields: ${text}`);
  return keyElement(Object.entries(fields).map(([name, value]) => ({ name, value })));
}

function parseIndex(text: string): PathElement {
  if (!/^[+-]?\d+$/.test(text)) throw new SyntaxError(`not an index: ${text}`);
  return { kind: 'index', index: Number(text) };
}

/** As messages name it: `.name`, `[name="a"]`, `[="a"]`, `[0]`. */
export function elementText(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.fields.map(({ name, value }) => `${name}=${valueText(value)}`).join(',')}]`;
    case 'value':
      return `[=${valueText(element.value)}]`;
    case 'index':
      return `[${String(element.index)}]`;
  }
}

export function pathText(path: Path): string {
  return path.map(elementText).join('');
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([name, item]) => `${name}=${valueText(item)}`)
    .join('');
}

/** Go's encoder writes these three as escapes, in keys of fieldsV1, too. */
function goJson(value: unknown): string {
  const text = JSON.stringify(value);
  return !/[<>&]/.test(text) ? text : text.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

/** The order in which fieldsV1 is written and fields are listed. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.kind === 'field' && b.kind === 'field') return compareText(a.name, b.name);
  if (a.kind === 'key' && b.kind === 'key') return compareKeys(a.fields, b.fields);
  if (a.kind === 'value' && b.kind === 'value') return compareValues(a.value, b.value);
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index;
  return KIND_ORDER[a.kind] - KIND_ORDER[b.kind];
}

function compareKeys(a: readonly KeyField[], b: readonly KeyField[]): number {
  for (const [index, field] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareText(field.name, other.name) || compareValues(field.value, other.value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers first, then strings, booleans and the rest. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return rank(a) - rank(b) || compareText(JSON.stringify(a), JSON.stringify(b));
}

function rank(value: unknown): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  const order = ['number', 'string', 'boolean'].indexOf(typeof value);
  return order === -1 ? 4 : order;
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
