import { compareElements, type Path, type PathElement, printElement } from './path-element.ts';

/**
 * A set of fields as a tree, never changed once it is made. A field may be a member while fields below it are not, and
 * the other way round. Keys are the printed elements.
 */
export interface FieldSet {
  readonly members: ReadonlyMap<string, PathElement>;
  readonly children: ReadonlyMap<string, FieldNode>;
}

export interface FieldNode {
  readonly element: PathElement;
  readonly set: FieldSet;
}

export const EMPTY_SET: FieldSet = { members: new Map(), children: new Map() };

export function isEmptySet(set: FieldSet): boolean {
  return set.members.size === 0 && [...set.children.values()].every((node) => isEmptySet(node.set));
}

export function hasPath(set: FieldSet, path: Path): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return false;
  const key = printElement(first);
  if (rest.length === 0) return set.members.has(key);
  const child = set.children.get(key);
  return child !== undefined && hasPath(child.set, rest);
}

/** What is below an element. */
export function below(set: FieldSet, element: PathElement): FieldSet {
  return set.children.get(printElement(element))?.set ?? EMPTY_SET;
}

/** One of the two itself, where it holds the other. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (includes(b, a)) return b;
  if (includes(a, b)) return a;
  const children = new Map(a.children);
  for (const [key, node] of b.children) {
    const mine = children.get(key);
    children.set(key, mine === undefined ? node : { element: mine.element, set: union(mine.set, node.set) });
  }
  return { members: new Map([...a.members, ...b.members]), children };
}

function includes(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  for (const key of b.members.keys()) if (!a.members.has(key)) return false;
  for (const [key, { set }] of b.children) {
    const mine = a.children.get(key);
    if (mine === undefined || !includes(mine.set, set)) return false;
  }
  return true;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a) || isBare(b)) return EMPTY_SET;
  return {
    members: filterMap(a.members, (key) => b.members.has(key)),
    children: mapChildren(a.children, (key, set) => {
      const other = b.children.get(key);
      return other === undefined ? EMPTY_SET : intersection(set, other.set);
    }),
  };
}

/** The members of `a` that are no members of `b`; `a` itself where it loses none. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a) || isBare(b)) return a;
  const members = filterMap(a.members, (key) => !b.members.has(key));
  const children = mapChildren(a.children, (key, set) => {
    const other = b.children.get(key);
    return other === undefined ? set : difference(set, other.set);
  });
  return members === a.members && children === a.children ? a : { members, children };
}

function isBare({ members, children }: FieldSet): boolean {
  return members.size === 0 && children.size === 0;
}

/** The members of `a` that neither are members of `b` nor lie below one. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a) || isBare(b)) return a;
  return {
    members: filterMap(a.members, (key) => !b.members.has(key)),
    children: mapChildren(a.children, (key, set) => {
      if (b.members.has(key)) return EMPTY_SET;
      const other = b.children.get(key);
      return other === undefined ? set : recursiveDifference(set, other.set);
    }),
  };
}

/** The members below which there is nothing. */
export function leaves(set: FieldSet): FieldSet {
  return {
    members: filterMap(set.members, (key) => !set.children.has(key)),
    children: mapChildren(set.children, (_key, below) => leaves(below)),
  };
}

export function sameSet(a: FieldSet, b: FieldSet): boolean {
  return isEmptySet(difference(a, b)) && isEmptySet(difference(b, a));
}

/** In order: the members of a node before what lies below it. */
export function pathsOf(set: FieldSet, prefix: Path = []): readonly Path[] {
  return [
    ...sortedMembers(set).map((element) => [...prefix, element]),
    ...sortedChildren(set).flatMap((node) => pathsOf(node.set, [...prefix, node.element])),
  ];
}

export function sortedMembers(set: FieldSet): readonly PathElement[] {
  return [...set.members.values()].sort(compareElements);
}

export function sortedChildren(set: FieldSet): readonly FieldNode[] {
  return [...set.children.values()].sort((a, b) => compareElements(a.element, b.element));
}

/** The same map where nothing goes. */
function filterMap<T>(map: ReadonlyMap<string, T>, keep: (key: string) => boolean): ReadonlyMap<string, T> {
  const kept = new Map<string, T>();
  for (const [key, value] of map) if (keep(key)) kept.set(key, value);
  return kept.size === map.size ? map : kept;
}

/** The same map where nothing changes. */
function mapChildren(
  children: ReadonlyMap<string, FieldNode>,
  change: (key: string, set: FieldSet) => FieldSet,
): ReadonlyMap<string, FieldNode> {
  const changed = new Map<string, FieldNode>();
  let isSame = true;
  for (const [key, node] of children) {
    const set = change(key, node.set);
    isSame &&= set === node.set;
    if (!isEmptySet(set)) changed.set(key, set === node.set ? node : { element: node.element, set });
  }
  return isSame && changed.size === children.size ? children : changed;
}
