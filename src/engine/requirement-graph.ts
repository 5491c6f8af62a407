import type { Package } from '../api/package.ts';
import type { Requirement } from '../api/package-source.ts';
import { isInProgress } from '../domain/decide/views.ts';
import type { RequirementEdge, RequirementGraph } from '../domain/resolve/requirement-cycles.ts';
import { type RequirementFacts, requiredName, unmetRequirement } from '../domain/resolve/requirements.ts';
import type { Journal } from './journal.ts';
import { declaredRequirements, findPackage, type Providers } from './package-facts.ts';

export interface GraphSight {
  readonly journal: Journal;
  readonly providers: Providers;
  readonly judge: (requirement: Requirement) => Promise<RequirementFacts>;
}

/** What a package requires, what that requires, and so on: as far as it reaches. */
export async function requirementGraph(
  sight: GraphSight,
  own: string,
  facts: readonly RequirementFacts[],
): Promise<RequirementGraph> {
  const graph = new Map<string, readonly RequirementEdge[]>([[own, facts.map((each) => edgeOf(sight, each, true))]]);
  const open = targetsOf(graph.get(own));
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (graph.has(name)) continue;
    const pkg = findPackage(sight.journal, name);
    if (pkg === undefined) continue;
    const edges = await edgesOf(sight, pkg);
    graph.set(name, edges);
    open.push(...targetsOf(edges));
  }
  return graph;
}

function targetsOf(edges: readonly RequirementEdge[] = []): string[] {
  return edges.flatMap(({ to }) => to);
}

async function edgesOf(sight: GraphSight, pkg: Package): Promise<readonly RequirementEdge[]> {
  const gated = isGated(sight.journal, pkg);
  const requirements = declaredRequirements(sight.journal, pkg);
  return Promise.all(
    requirements.map(async (requirement) =>
      gated ? edgeOf(sight, await sight.judge(requirement), true) : edgeOf(sight, { requirement }, false),
    ),
  );
}

/** Nothing of it runs yet, or its next revision waits for its requirements. */
function isGated(journal: Journal, pkg: Package): boolean {
  if (pkg.metadata.deletionTimestamp !== undefined) return false;
  const revisions = journal.revisions(pkg);
  if (revisions.some((revision) => isInProgress(revision))) return false;
  const ready = pkg.status?.conditions?.find(({ type }) => type === 'Ready');
  return revisions.length === 0 || ready?.reason === 'RequirementsNotMet';
}

function edgeOf({ providers }: GraphSight, facts: RequirementFacts, gated: boolean): RequirementEdge {
  const { requirement } = facts;
  const { package: name, capability = '', optional = false } = requirement;
  return {
    requires: requiredName(requirement),
    to: name === undefined ? providers(capability) : [name],
    optional,
    blocks: gated && unmetRequirement(facts) !== undefined,
  };
}
