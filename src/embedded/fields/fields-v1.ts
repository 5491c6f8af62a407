import { isRecord } from '../../lib/json.ts';
import { memoize } from '../../lib/memoize.ts';
import type { JsonMap } from '../model/object.ts';
import { EMPTY_SET, type FieldNode, type FieldSet } from './field-set.ts';
import { compareElements, type PathElement, parseElement, printElement } from './path-element.ts';

/** What is printed is read as the very set that it was printed from, and printed no second time. */
function createNotation(): {
  readonly print: (set: FieldSet) => JsonMap;
  readonly parse: (fields: object) => FieldSet;
} {
  const sets = new WeakMap<object, FieldSet>();
  return {
    print: memoize((set: FieldSet) => {
      const fields = print(set);
      sets.set(fields, set);
      return fields;
    }),
    parse: (fields) => sets.get(fields) ?? parseNode(fields).set ?? EMPTY_SET,
  };
}

const NOTATION = createNotation();

export function printFieldsV1(set: FieldSet): JsonMap {
  return NOTATION.print(set);
}

/** Throws a SyntaxError on keys that name nothing. */
export function parseFieldsV1(fields: unknown): FieldSet {
  if (!isRecord(fields)) throw new SyntaxError('fieldsV1 is not a map');
  return NOTATION.parse(fields);
}

function print(set: FieldSet): JsonMap {
  const elements = new Map(set.members);
  for (const [key, { element }] of set.children) elements.set(key, element);
  const ordered = [...elements].sort(([, a], [, b]) => compareElements(a, b));
  return Object.fromEntries(ordered.map(([key]) => [key, printNode(set, key)]));
}

function printNode(set: FieldSet, key: string): JsonMap {
  const child = set.children.get(key);
  if (child === undefined) return {};
  const below = print(child.set);
  return set.members.has(key) ? { '.': {}, ...below } : below;
}

/** A node without anything below it is a member of the one above, also without a `.`. */
function parseNode(fields: unknown): { readonly set: FieldSet | undefined; readonly isMember: boolean } {
  if (!isRecord(fields)) throw new SyntaxError('fieldsV1 is not a map');
  const members = new Map<string, PathElement>();
  const children = new Map<string, FieldNode>();
  for (const [text, value] of Object.entries(fields)) {
    const element = text === '.' ? undefined : parseElement(text);
    if (element === undefined) continue;
    const key = printElement(element);
    const node = parseNode(value);
    if (node.isMember) members.set(key, element);
    if (node.set !== undefined) children.set(key, { element, set: node.set });
  }
  const isEmpty = members.size + children.size === 0;
  return { set: isEmpty ? undefined : { members, children }, isMember: isEmpty || Object.hasOwn(fields, '.') };
}
