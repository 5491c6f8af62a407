import { isCode } from '../api/errors.ts';
import type { Package } from '../api/package.ts';
import type { PackageRevision, RevisionComponent } from '../api/package-revision.ts';
import type { Requirement } from '../api/package-source.ts';
import { inProgress, isInProgress } from '../domain/decide/decide.ts';
import { pastTargets } from '../domain/decide/tidy.ts';
import { componentsOf, progressOf } from '../domain/decide/views.ts';
import { releaseKey, type ReleaseView, type World } from '../domain/decide/world.ts';
import { unresolvable, type Resolution } from '../domain/resolve/desired.ts';
import { type RequirementFacts, unmetRequirement } from '../domain/resolve/requirements.ts';
import { resolvePackage } from '../domain/resolve/resolve-package.ts';
import { stableJson } from '../lib/stable-json.ts';
import { parseTime } from '../lib/time.ts';
import type { Backend, ReleaseTarget } from '../ports/backend.ts';
import type { Deliveries } from './deliveries.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { Journal } from './journal.ts';
import type { Preparations } from './preparations.ts';
import type { ReleaseBook } from './release-book.ts';

/** The parts of the engine that a turn reads. */
export interface Sight {
  readonly deps: EngineDeps;
  readonly journal: Journal;
  readonly book: ReleaseBook;
  readonly deliveries: Deliveries;
  readonly preparations: Preparations;
  readonly watchingSince: number;
  /** UIDs of revisions whose values are known to be saved. */
  readonly savedValues: Set<string>;
}

/** All that the decision may look at, read once. */
export async function gather(sight: Sight, pkg: Package): Promise<World> {
  const { journal, deps } = sight;
  const { name } = pkg.metadata;
  const revisions = journal.revisions(pkg);
  const resolution = resolve(sight, pkg);
  const desired = resolution?.kind === 'resolved' ? resolution.desired : undefined;
  const requirements = (desired?.requires ?? []).map((requirement) => requirementFacts(journal, requirement));
  const world: World = {
    now: deps.clock.now(),
    watchingSince: sight.watchingSince,
    package: pkg,
    resolution,
    sourceGeneration: journal.sourceGeneration(name),
    revisions,
    preparation: desired === undefined ? { kind: 'none' } : sight.preparations.view(name, desired.digest),
    valuesSaved: false,
    unmetRequirements: requirements.flatMap((facts) => unmetRequirement(facts) ?? []),
    conflicts: [],
    leavingDependents: [],
    dependencies: dependenciesOf(requirements),
    releases: {},
    valuesNamespace: deps.options.namespace,
  };
  const releases = await observeReleases(sight, world);
  return { ...world, now: deps.clock.now(), releases, valuesSaved: await areValuesSaved(sight, world) };
}

function resolve({ journal, deps }: Sight, pkg: Package): Resolution | undefined {
  const source = journal.source(pkg.metadata.name);
  if (source === undefined) return undefined;
  if (!source.ok) return unresolvable('InvalidConfiguration', source.error.message);
  const resolution = resolvePackage(pkg, source.value, deps.options.defaultBackend);
  if (resolution.kind === 'unresolvable') return resolution;
  const { backend } = resolution.desired;
  if (deps.backends.has(backend)) return resolution;
  const known = [...deps.backends.keys()].join(', ');
  return unresolvable(
    'InvalidConfiguration',
    `spec.backend "${backend}" is not one of this operator's backends (${known})`,
  );
}

/** Whether what stands against a start, from other packages, is not what it was when it was gathered. */
export function haveRequirementsChanged(journal: Journal, { resolution, unmetRequirements }: World): boolean {
  const requires = resolution?.kind === 'resolved' ? resolution.desired.requires : [];
  const unmet = requires.flatMap((requirement) => unmetRequirement(requirementFacts(journal, requirement)) ?? []);
  return stableJson(unmet) !== stableJson(unmetRequirements);
}

function requirementFacts(journal: Journal, requirement: Requirement): RequirementFacts {
  if (requirement.capability !== undefined) {
    return { requirement, provided: isProvided(journal, requirement.capability) };
  }
  const parsed = journal.package(requirement.package ?? '');
  if (parsed?.ok !== true) return { requirement };
  return { requirement, package: requiredPackage(journal, parsed.value) };
}

function requiredPackage(journal: Journal, pkg: Package): NonNullable<RequirementFacts['package']> {
  const revisions = journal.revisions(pkg);
  const applied = revisions.findLast((revision) => revision.status?.appliedAt !== undefined);
  const running = revisions.some((revision) => isInProgress(revision));
  return { available: isAvailable(pkg), inProgress: running, version: applied?.spec.version };
}

function isAvailable(pkg: Package): boolean {
  const conditions = pkg.status?.conditions ?? [];
  return conditions.some((condition) => condition.type === 'Available' && condition.status === 'True');
}

function isProvided(journal: Journal, capability: string): boolean {
  return journal.sources().some((source) => {
    if (source.spec.provides?.includes(capability) !== true && source.metadata.name !== capability) return false;
    const pkg = journal.package(source.metadata.name);
    return pkg?.ok === true && isAvailable(pkg.value);
  });
}

function dependenciesOf(requirements: readonly RequirementFacts[]): World['dependencies'] {
  const packages = requirements.filter(({ requirement }) => requirement.package !== undefined);
  return Object.fromEntries(
    packages.map((facts) => [facts.requirement.package ?? '', { ready: unmetRequirement(facts) === undefined }]),
  );
}

/** While a component that this revision has delivered is not ready: its objects have to answer to that. */
function changedAt(current: PackageRevision | undefined, target: ReleaseTarget): number | undefined {
  if (current === undefined || findComponent(current, target) === undefined) return undefined;
  const { state, attempt = 0, startedAt } = progressOf(current, target.component);
  return state === 'Submitted' && attempt > 0 && startedAt !== undefined ? parseTime(startedAt) : undefined;
}

interface Wanted {
  readonly target: ReleaseTarget;
  readonly component: RevisionComponent | undefined;
  readonly changedAt?: number | undefined;
  readonly backend: string;
}

/** Every release that the decision may ask about: of the retained revisions, and of what is wanted next. */
async function observeReleases(sight: Sight, world: World): Promise<World['releases']> {
  const current = inProgress(world);
  const judges = [
    current,
    world.revisions.findLast((revision) => revision.status?.phase === 'Applied'),
    world.revisions.at(-1),
  ];
  const wanted = new Map<string, Wanted>();
  for (const target of pastTargets(world)) {
    const judge = judges.find((revision) => findComponent(revision, target) !== undefined);
    wanted.set(releaseKey(target), {
      target,
      component: findComponent(judge, target),
      changedAt: changedAt(current, target),
      backend: ownerOf(world, target)?.spec.backend ?? sight.deps.options.defaultBackend,
    });
  }
  for (const next of desiredTargets(world)) {
    if (!wanted.has(releaseKey(next.target))) wanted.set(releaseKey(next.target), next);
  }
  const views = await Promise.all(
    [...wanted.values()].map((entry) => viewRelease(sight, entry, current !== undefined)),
  );
  return Object.fromEntries(views.map((view) => [releaseKey(view.target), view]));
}

/** The newest revision that has the release: its backend is the one that knows it. */
function ownerOf(world: World, target: ReleaseTarget): PackageRevision | undefined {
  return world.revisions.findLast((revision) => findComponent(revision, target) !== undefined);
}

function findComponent(revision: PackageRevision | undefined, target: ReleaseTarget): RevisionComponent | undefined {
  if (revision === undefined) return undefined;
  return componentsOf(revision).find((component) => releaseKey(component) === releaseKey(target));
}

function desiredTargets(world: World): readonly Wanted[] {
  if (world.resolution?.kind !== 'resolved') return [];
  const { desired } = world.resolution;
  return desired.components.map(({ name, releaseName, namespace }) => ({
    target: { package: desired.package, component: name, releaseName, namespace },
    component: undefined,
    backend: desired.backend,
  }));
}

async function viewRelease(
  sight: Sight,
  { target, component, backend, changedAt: changed }: Wanted,
  awaited: boolean,
): Promise<ReleaseView> {
  const delivery = sight.deliveries.view(releaseKey(target));
  const chosen: Backend | undefined = sight.deps.backends.get(backend);
  if (chosen === undefined) {
    const observation = { state: 'unknown', message: `backend ${backend} is not one of this operator's` } as const;
    return {
      target,
      backend,
      observation,
      delivery,
      health: { status: 'unobserved', message: observation.message, notes: [] },
    };
  }
  const answer = await sight.book.ask({ backend: chosen, target, component, awaited, changedAt: changed });
  return { target, backend, delivery, ...answer };
}

/** Asked once for a revision: what is saved stays saved as long as the revision. */
async function areValuesSaved(sight: Sight, world: World): Promise<boolean> {
  const current = inProgress(world);
  const ref =
    current === undefined
      ? undefined
      : componentsOf(current).find(({ valuesRef }) => valuesRef !== undefined)?.valuesRef;
  const uid = current?.metadata.uid;
  if (ref === undefined || uid === undefined || sight.savedValues.has(uid)) return true;
  const secret = await readMetadata(sight, ref);
  const saved = secret?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  if (saved) sight.savedValues.add(uid);
  return saved;
}

async function readMetadata(
  { deps }: Sight,
  ref: { readonly namespace: string; readonly name: string },
): ReturnType<EngineDeps['cluster']['read']> {
  try {
    const { namespace, name } = ref;
    return await deps.cluster.read({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { metadataOnly: true });
  } catch (error) {
    if (isCode(error, 'ApiNotFound')) return undefined;
    throw error;
  }
}
