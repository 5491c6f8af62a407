import { isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import { EMPTY_SET, type FieldNode, type FieldSet, sortedChildren, sortedMembers } from './field-set.ts';
import { compareElements, type PathElement, parseElement, printElement } from './path-element.ts';

export function printFieldsV1(set: FieldSet): JsonMap {
  const elements = new Map<string, PathElement>();
  for (const element of sortedMembers(set)) elements.set(printElement(element), element);
  for (const { element } of sortedChildren(set)) elements.set(printElement(element), element);
  const ordered = [...elements].sort(([, a], [, b]) => compareElements(a, b));
  return Object.fromEntries(ordered.map(([key]) => [key, printNode(set, key)]));
}

function printNode(set: FieldSet, key: string): JsonMap {
  const child = set.children.get(key);
  if (child === undefined) return {};
  const below = printFieldsV1(child.set);
  return set.members.has(key) ? { '.': {}, ...below } : below;
}

/** Throws a SyntaxError on keys that name nothing. */
export function parseFieldsV1(fields: unknown): FieldSet {
  return parseNode(fields).set ?? EMPTY_SET;
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
