export interface GraphNode {
  readonly name: string;
  readonly dependsOn: readonly string[];
}

export type Ordering =
  | { readonly kind: 'ordered'; readonly order: readonly string[] }
  | { readonly kind: 'cycle'; readonly chain: readonly string[] }
  | { readonly kind: 'unknown'; readonly node: string; readonly dependency: string };

/** Order in which every node comes after what it depends on; ties in order of declaration. */
export function orderGraph(nodes: readonly GraphNode[]): Ordering {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  for (const node of nodes) {
    const unknown = node.dependsOn.find((dependency) => !byName.has(dependency));
    if (unknown !== undefined) return { kind: 'unknown', node: node.name, dependency: unknown };
  }
  const placed = new Set<string>();
  const order: string[] = [];
  while (order.length < nodes.length) {
    const next = nodes.find((node) => !placed.has(node.name) && node.dependsOn.every((name) => placed.has(name)));
    if (next === undefined) return { kind: 'cycle', chain: findCycle(nodes, placed) };
    placed.add(next.name);
    order.push(next.name);
  }
  return { kind: 'ordered', order };
}

/** Every unplaced node has an unplaced dependency here, so following one from each must close a cycle. */
function findCycle(nodes: readonly GraphNode[], placed: ReadonlySet<string>): readonly string[] {
  const open = new Map(nodes.filter((node) => !placed.has(node.name)).map((node) => [node.name, node]));
  const path: string[] = [];
  let current = open.values().next().value;
  while (current !== undefined && !path.includes(current.name)) {
    path.push(current.name);
    const next = current.dependsOn.find((name) => open.has(name));
    current = next === undefined ? undefined : open.get(next);
  }
  if (current === undefined) return path;
  return [...path.slice(path.indexOf(current.name)), current.name];
}
