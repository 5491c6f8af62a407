/** One requirement of a package, as an edge between packages. */
export interface RequirementEdge {
  /** The package or capability that is required. */
  readonly requires: string;
  /** Packages of which any one can meet it; several only for a capability, none where it must come from elsewhere. */
  readonly to: readonly string[];
  readonly optional: boolean;
  /** It is not met, and its package starts nothing before it is. */
  readonly blocks: boolean;
}

/** By package; what is not in it stands in nobody's way. */
export type RequirementGraph = ReadonlyMap<string, readonly RequirementEdge[]>;

export interface Deadlock {
  /** `a, b, a`. */
  readonly chain: readonly string[];
  /** What the first package requires of the second. */
  readonly requires: string;
}

/**
 * P4: the optional edges that would close a cycle. All others come first, then the optional ones one by one, by name
 * of their package and in order of declaration, so that whoever asks gets the same answer.
 */
export function closingEdges(graph: RequirementGraph): ReadonlySet<RequirementEdge> {
  const closing = new Set<RequirementEdge>();
  const accepted = new Map<string, Set<string>>();
  const accept = (from: string, edge: RequirementEdge): void => {
    accepted.set(from, new Set([...(accepted.get(from) ?? []), ...edge.to]));
  };
  const edges = [...graph]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([from, list]) => list.map((edge) => ({ from, edge })));
  for (const { from, edge } of edges) if (!edge.optional) accept(from, edge);
  for (const { from, edge } of edges) {
    if (!edge.optional) continue;
    if (reaches(accepted, edge.to, from)) closing.add(edge);
    else accept(from, edge);
  }
  return closing;
}

function reaches(edges: ReadonlyMap<string, ReadonlySet<string>>, starts: readonly string[], goal: string): boolean {
  const open = [...starts];
  const seen = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === goal) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...(edges.get(name) ?? []));
  }
  return false;
}

/** Packages that wait for each other for ever, as seen from one that waits for them; undefined: something can move. */
export function findDeadlock(
  graph: RequirementGraph,
  from: string,
  ignored: ReadonlySet<RequirementEdge>,
): Deadlock | undefined {
  const blocking = new Map(
    [...graph].map(([name, edges]) => [name, edges.filter((edge) => edge.blocks && !ignored.has(edge))]),
  );
  const stuck = stuckOf(blocking);
  const path: { readonly name: string; readonly requires: string }[] = [];
  let current: string | undefined = from;
  while (current !== undefined && stuck.has(current)) {
    const name: string = current;
    const start = path.findIndex((step) => step.name === name);
    if (start >= 0) {
      const circle = path.slice(start);
      return { chain: [...circle.map((step) => step.name), name], requires: circle[0]?.requires ?? '' };
    }
    const edge = (blocking.get(name) ?? []).find((each) => isStuck(each, stuck));
    path.push({ name, requires: edge?.requires ?? '' });
    current = edge?.to[0];
  }
  return undefined;
}

/** All of them, but those that can start, or that wait only for what can: found from the outside in. */
function stuckOf(blocking: RequirementGraph): ReadonlySet<string> {
  const stuck = new Set(blocking.keys());
  for (let before = -1; before !== stuck.size; ) {
    before = stuck.size;
    for (const name of [...stuck]) {
      if (!(blocking.get(name) ?? []).some((edge) => isStuck(edge, stuck))) stuck.delete(name);
    }
  }
  return stuck;
}

function isStuck({ to }: RequirementEdge, stuck: ReadonlySet<string>): boolean {
  return to.length > 0 && to.every((name) => stuck.has(name));
}

export function describeDeadlock({ chain, requires }: Deadlock): string {
  const [first = ''] = chain;
  return (
    `packages require each other in a circle: ${chain.join(' → ')}, so none of them can start; ` +
    `to break it, list ${requires} in spec.ignoreDependencies of Package ${first}`
  );
}
