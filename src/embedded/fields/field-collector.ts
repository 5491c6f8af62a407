import type { FieldNode, FieldSet } from './field-set.ts';
import { type Path, type PathElement, printElement } from './path-element.ts';

interface Growing {
  readonly members: Map<string, PathElement>;
  readonly children: Map<string, { readonly element: PathElement; readonly set: Growing }>;
}

/** Gathers paths into a set, in any order. The path of the whole object is no field. */
export function createFieldCollector(): FieldCollector {
  const root: Growing = { members: new Map(), children: new Map() };
  return { add: (path) => insert(root, path), set: () => freeze(root) };
}

export interface FieldCollector {
  add(path: Path): void;
  set(): FieldSet;
}

export function setOf(...paths: readonly Path[]): FieldSet {
  const collector = createFieldCollector();
  for (const path of paths) collector.add(path);
  return collector.set();
}

function insert(root: Growing, path: Path): void {
  let node = root;
  for (const [index, element] of path.entries()) {
    const key = printElement(element);
    if (index === path.length - 1) node.members.set(key, element);
    else node = descend(node, key, element);
  }
}

function descend(node: Growing, key: string, element: PathElement): Growing {
  const child = node.children.get(key) ?? { element, set: { members: new Map(), children: new Map() } };
  node.children.set(key, child);
  return child.set;
}

function freeze(node: Growing): FieldSet {
  const children = new Map<string, FieldNode>();
  for (const [key, { element, set }] of node.children) children.set(key, { element, set: freeze(set) });
  return { members: node.members, children };
}
