import { isRecord } from '../../lib/json.ts';
import { type KeyField, keyElement, type PathElement } from './path-element.ts';
import { keyDefault, type ListShape, type Scalar, type Shape, shapeOf, type Type } from './type.ts';

/** What a walker does at each of the three forms; `undefined` stands for a value that is not there, `null` for null. */
export interface FormHandler<T> {
  scalar(scalar: Scalar): T;
  list(list: ListShape): T;
  map(map: NonNullable<Shape['map']>): T;
}

/** Of the forms that a type allows, the one that the value has; all of them for null and for what is not there. */
export function formsFor(type: Type, value: unknown): Shape {
  const shape = shapeOf(type);
  if (value === undefined || value === null || Object.keys(shape).length === 1) return shape;
  if (Array.isArray(value)) return shape.list === undefined ? shape : { list: shape.list };
  if (isRecord(value)) return shape.map === undefined ? shape : { map: shape.map };
  return shape.scalar === undefined ? shape : { scalar: shape.scalar };
}

export function sameForms(a: Shape, b: Shape): boolean {
  return (
    (a.scalar === undefined) === (b.scalar === undefined) &&
    (a.list === undefined) === (b.list === undefined) &&
    (a.map === undefined) === (b.map === undefined)
  );
}

export function handleForm<T>(shape: Shape, handler: FormHandler<T>): T {
  if (shape.map !== undefined) return handler.map(shape.map);
  if (shape.list !== undefined && shape.scalar === undefined) return handler.list(shape.list);
  return handler.scalar(shape.scalar ?? 'untyped');
}

export type ItemElement = { readonly element: PathElement } | { readonly problem: string };

/** How an item of an associative list is named. */
export function itemElement(list: ListShape, item: unknown): ItemElement {
  return list.keys.length > 0 ? keyedItem(list, item) : setItem(item);
}

/** The items of an associative list with their names; those that have none are left out. */
export function namedItems(list: ListShape, items: readonly unknown[]): readonly NamedItem[] {
  return items.flatMap((item) => {
    const named = itemElement(list, item);
    return 'element' in named ? [{ element: named.element, item }] : [];
  });
}

export interface NamedItem {
  readonly element: PathElement;
  readonly item: unknown;
}

function keyedItem(list: ListShape, item: unknown): ItemElement {
  if (item === null) return { problem: 'associative list with keys may not have a null element' };
  if (!isRecord(item)) return { problem: 'associative list with keys may not have non-map elements' };
  const fields: KeyField[] = [];
  for (const name of list.keys) {
    const value = Object.hasOwn(item, name) ? item[name] : keyDefault(list, name);
    if (value !== undefined) fields.push({ name, value });
  }
  if (fields.length > 0) return { element: keyElement(fields) };
  const keys = list.keys.map((key) => JSON.stringify(key)).join(' ');
  const problem = `associative list with keys has an element that omits all key fields [${keys}]`;
  return { problem: `${problem} (and doesn't have default values for any key fields)` };
}

function setItem(item: unknown): ItemElement {
  if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
  if (Array.isArray(item)) return { problem: 'not supported: associative list with lists as elements' };
  if (isRecord(item)) return { problem: "associative list without keys has an element that's a map type" };
  return { element: { kind: 'value', value: item } };
}

export function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function mapOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined;
}

/** Nothing, null or empty: such lists and maps are fields themselves, since they have none below. */
export function isBare(container: readonly unknown[] | Readonly<Record<string, unknown>> | undefined): boolean {
  return container === undefined || Object.keys(container).length === 0;
}
