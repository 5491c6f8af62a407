import { asKubepkgError } from '../api/errors.ts';
import { ANNOTATION } from '../api/names.ts';
import type { Requirement } from '../api/package-source.ts';
import { isInProgress, isRestoring } from '../domain/decide/views.ts';
import type { World } from '../domain/decide/world.ts';
import type { Resolution } from '../domain/resolve/desired.ts';
import { closingEdges, describeDeadlock, findDeadlock } from '../domain/resolve/requirement-cycles.ts';
import {
  apiVersionOf,
  requiredName,
  type RequirementFacts,
  type ServedApi,
  unmetRequirement,
} from '../domain/resolve/requirements.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Journal } from './journal.ts';
import { describeProvider, findPackage, indexProviders, requiredPackage } from './package-facts.ts';
import { type GraphSight, requirementGraph } from './requirement-graph.ts';
import { conflictsOf, leavingDependentsOf } from './rivals.ts';

export interface RequirementSight {
  readonly journal: Journal;
  readonly deps: { readonly cluster: Cluster };
}

/** The parts of the world that other packages have a hand in. */
export type Neighbours = Pick<
  World,
  'resolution' | 'unmetRequirements' | 'conflicts' | 'leavingDependents' | 'dependencies'
>;

type Known = Pick<World, 'package' | 'resolution' | 'revisions'>;

/** How other packages, and the APIs of the server, stand to one package. */
export async function gatherNeighbours(sight: RequirementSight, known: Known): Promise<Neighbours> {
  const { package: pkg, resolution } = known;
  const leaving = leavingDependentsOf(sight.journal, pkg);
  if (pkg.metadata.deletionTimestamp !== undefined || resolution?.kind !== 'resolved') {
    return { resolution, unmetRequirements: [], conflicts: [], leavingDependents: leaving, dependencies: {} };
  }
  const mayStart = mayStartOne(known);
  const view = await judgeAll(sight, known, mayStart);
  return {
    resolution: withNotes(resolution, view.notes),
    unmetRequirements: view.unmet,
    conflicts: mayStart ? conflictsOf(sight.journal, pkg).map(({ message }) => message) : [],
    leavingDependents: leaving,
    dependencies: dependenciesOf(view.facts),
  };
}

/** Whether what other packages have a hand in is not what it was when it was gathered. */
export async function haveNeighboursChanged(sight: RequirementSight, world: World): Promise<boolean> {
  const { resolution: _now, ...now } = await gatherNeighbours(sight, world);
  const { unmetRequirements, conflicts, leavingDependents: leaving, dependencies } = world;
  return stableJson(now) !== stableJson({ unmetRequirements, conflicts, leavingDependents: leaving, dependencies });
}

export function requiresOf({ resolution }: Pick<World, 'resolution'>): readonly Requirement[] {
  return resolution?.kind === 'resolved' ? resolution.desired.requires : [];
}

/** False only where the newest revision carries out, or has carried out, just what is wanted. */
export function mayStartOne({ resolution, revisions }: Pick<World, 'resolution' | 'revisions'>): boolean {
  const newest = revisions.at(-1);
  if (resolution?.kind !== 'resolved') return false;
  if (newest === undefined || isRestoring(newest)) return true;
  return (
    newest.status?.phase === 'Failed' ||
    newest.metadata.annotations?.[ANNOTATION.desiredDigest] !== resolution.desired.digest
  );
}

interface Judgement {
  readonly facts: readonly RequirementFacts[];
  readonly unmet: readonly string[];
  readonly notes: readonly string[];
}

async function judgeAll(sight: RequirementSight, known: Known, mayStart: boolean): Promise<Judgement> {
  const requires = requiresOf(known);
  const isRunning = known.revisions.some((revision) => isInProgress(revision));
  const view = viewOf(sight, mayStart ? lookUp(sight.deps.cluster, isRunning) : undefined);
  const facts = await Promise.all(requires.map(view.judge));
  const isHeldUp = mayStart && facts.some((each) => unmetRequirement(each) !== undefined);
  if (!isHeldUp && requires.every(({ optional }) => optional !== true)) return { facts, ...judge(facts, []) };
  const { name } = known.package.metadata;
  const graph = await requirementGraph(view, name, facts);
  const closing = closingEdges(graph);
  const ignored = (graph.get(name) ?? []).map((edge) => closing.has(edge));
  const { unmet, notes } = judge(facts, ignored);
  const deadlock = isHeldUp && !isRunning ? findDeadlock(graph, name, closing) : undefined;
  return { facts, notes, unmet: deadlock === undefined ? unmet : [...unmet, describeDeadlock(deadlock)] };
}

/** `ignored`: by place, the optional ones that would close a circle. */
function judge(facts: readonly RequirementFacts[], ignored: readonly boolean[]): Omit<Judgement, 'facts'> {
  const unmet = facts.flatMap((each, index) => (ignored[index] === true ? [] : (unmetRequirement(each) ?? [])));
  const notes = facts
    .filter((_each, index) => ignored[index])
    .map(({ requirement }) => {
      const wanted = requiredName(requirement);
      return `the optional requirement of ${wanted} would close a circle between packages and is ignored`;
    });
  return { unmet, notes };
}

function viewOf({ journal }: RequirementSight, look: LookUp = () => Promise.resolve(true)): GraphSight {
  const providers = indexProviders(journal);
  return {
    journal,
    providers,
    judge: async (requirement) => {
      const { package: name, capability = '' } = requirement;
      if (name !== undefined) return packageFacts(journal, requirement, name);
      const found = providers(capability).flatMap((each) => describeProvider(journal, each));
      const apiVersion = apiVersionOf(capability);
      if (apiVersion === undefined) return { requirement, providers: found };
      return { requirement, providers: found, served: await look(apiVersion) };
    },
  };
}

function packageFacts(journal: Journal, requirement: Requirement, name: string): RequirementFacts {
  const pkg = findPackage(journal, name);
  return pkg === undefined ? { requirement } : { requirement, package: requiredPackage(journal, pkg) };
}

type LookUp = (apiVersion: string) => Promise<ServedApi>;

/** That the server does not answer is no reason to stop a revision that is under way. */
function lookUp(cluster: Cluster, isRunning: boolean): LookUp {
  return async (apiVersion) => {
    try {
      return (await cluster.served(apiVersion)) !== undefined;
    } catch (error) {
      if (isRunning) return { unknown: asKubepkgError(error).code };
      throw error;
    }
  };
}

function withNotes(resolution: Extract<Resolution, { kind: 'resolved' }>, notes: readonly string[]): Resolution {
  if (notes.length === 0) return resolution;
  const { desired } = resolution;
  return { ...resolution, desired: { ...desired, notes: [...desired.notes, ...notes] } };
}

/** A package that is required more than once is ready when all of that is met. */
function dependenciesOf(facts: readonly RequirementFacts[]): World['dependencies'] {
  const dependencies: Record<string, { readonly ready: boolean }> = {};
  for (const each of facts) {
    const name = each.requirement.package;
    if (name === undefined) continue;
    dependencies[name] = { ready: dependencies[name]?.ready !== false && unmetRequirement(each) === undefined };
  }
  return dependencies;
}

/** Whether a required package is ready at this moment. */
export function isReady(journal: Journal, requires: readonly Requirement[], name: string): boolean | undefined {
  const facts = requires
    .filter((requirement) => requirement.package === name)
    .map((requirement) => packageFacts(journal, requirement, name));
  return dependenciesOf(facts)[name]?.ready;
}
