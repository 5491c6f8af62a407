import type { FieldNode, FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { type Shape, shapeOf, type Type } from './type.ts';

/** The set with every declared field as a member below which there are members. */
export function withNamedFields(set: FieldSet, type: Type | undefined): FieldSet {
  const shape: Shape = type === undefined ? {} : shapeOf(type);
  const members = new Map(set.members);
  const children = new Map<string, FieldNode>();
  for (const [key, { element, set: inner }] of set.children) {
    if (element.kind === 'field' && shape.map?.declared(element.name) !== undefined) members.set(key, element);
    children.set(key, { element, set: withNamedFields(inner, typeAt(shape, element)) });
  }
  return { members, children };
}

/** Undefined: nothing is declared there. */
export function typeAt(shape: Shape, element: PathElement): Type | undefined {
  if (element.kind === 'field') return shape.map?.declared(element.name) ?? shape.map?.other;
  return element.kind === 'key' ? shape.list?.item : undefined;
}
