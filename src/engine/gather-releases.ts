import type { ComponentProgress, PackageRevision, RevisionComponent } from '../api/package-revision.ts';
import { deadlineOf, timeoutOf } from '../domain/decide/deadline.ts';
import { pastTargets } from '../domain/decide/tidy.ts';
import { everyMember, inProgress, membersOf, type Part, progressOf } from '../domain/decide/views.ts';
import { releaseKey, type ReleaseView, type Stray, type World } from '../domain/decide/world.ts';
import { parseTime } from '../lib/time.ts';
import type { Backend, ReleaseObservation, ReleaseTarget } from '../ports/backend.ts';
import type { ReleaseAnswer, ReleaseQuestion } from './release-book.ts';
import type { Sight } from './sight.ts';
import { findHookJobs } from './hook-jobs.ts';

/** Every release that the decision may ask about: of the retained revisions, and of what is wanted next. */
export async function observeReleases(sight: Sight, world: World): Promise<World['releases']> {
  const { defaultBackend } = sight.deps.options;
  const wanted = new Map<string, Wanted>();
  for (const { backend, ...target } of world.strays) {
    wanted.set(releaseKey(target), { target, component: undefined, backend });
  }
  for (const target of pastTargets(world)) wanted.set(releaseKey(target), wantedOf(world, target, defaultBackend));
  for (const next of desiredTargets(world)) {
    if (!wanted.has(releaseKey(next.target))) wanted.set(releaseKey(next.target), next);
  }
  const awaited = inProgress(world) !== undefined;
  if (!awaited) for (const { target } of desiredTargets(world)) sight.book.markUnlessPresent(releaseKey(target));
  const views = await Promise.all([...wanted.values()].map((entry) => viewRelease(sight, entry, awaited)));
  return Object.fromEntries(views.map((view) => [releaseKey(view.target), view]));
}

/** The backends that have a release of the package, or are to have one; others may not even be there. */
export function backendsOf({ deps }: Sight, { package: pkg, resolution, revisions }: World): readonly string[] {
  const { defaultBackend } = deps.options;
  const wanted = resolution?.kind === 'resolved' ? [resolution.desired.backend] : [];
  const past = revisions.map(({ spec }) => spec.backend ?? defaultBackend);
  return [...new Set([...past, ...wanted, pkg.spec.backend ?? defaultBackend])];
}

/** Removal lists by label as well, so that nothing is orphaned that a lost revision knew. */
export async function findStrays(sight: Sight, world: World): Promise<readonly Stray[]> {
  if (world.package.metadata.deletionTimestamp === undefined) return [];
  const known = new Set(pastTargets(world).map((target) => releaseKey(target)));
  const { name } = world.package.metadata;
  const found = await Promise.all(
    backendsOf(sight, world).map(async (backend) => {
      const targets = (await sight.deps.backends.get(backend)?.releasesOf(name)) ?? [];
      return targets.map((target) => ({ ...target, backend }));
    }),
  );
  return found.flat().filter((target) => !known.has(releaseKey(target)));
}

/** While a component that this revision has delivered is not ready: its objects have to answer to that. */
function changedAt({ state, attempt = 0, startedAt }: ComponentProgress): number | undefined {
  return state === 'Submitted' && attempt > 0 && startedAt !== undefined ? parseTime(startedAt) : undefined;
}

function deadlineFor(world: World, progress: ComponentProgress): number | undefined {
  if (progress.state !== 'Submitted') return undefined;
  return deadlineOf(progress, { timeoutMs: timeoutOf(world.package), watchingSince: world.watchingSince });
}

/** When the newest of the components that it depends on, delivered anew at this revision, was ready. */
function controllerReadyAt(current: PackageRevision, component: RevisionComponent, part: Part): number | undefined {
  // What was found ready stays so until it says otherwise.
  if (progressOf(current, component.name, part).state === 'Ready') return undefined;
  const names = withTransitive(component, membersOf(current, part));
  const times = [...names].flatMap((name) => {
    const { attempt = 0, readyAt } = progressOf(current, name, part);
    return attempt > 0 && readyAt !== undefined ? [parseTime(readyAt)] : [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

function withTransitive(component: RevisionComponent, members: readonly RevisionComponent[]): ReadonlySet<string> {
  const byName = new Map(members.map((member) => [member.name, member]));
  const found = new Set<string>();
  const open = [...(component.dependsOn ?? [])];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...(byName.get(name)?.dependsOn ?? []));
  }
  return found;
}

function partOf(revision: PackageRevision, component: RevisionComponent): Part {
  return membersOf(revision, 'hooks').some(({ name }) => name === component.name) ? 'hooks' : 'components';
}

interface Wanted {
  readonly target: ReleaseTarget;
  readonly component: RevisionComponent | undefined;
  readonly backend: string;
  readonly hook?: boolean;
  readonly changedAt?: number | undefined;
  readonly controllerReadyAt?: number | undefined;
  readonly deadline?: number | undefined;
}

/** What asks about one release of a past or the present revision. */
function wantedOf(world: World, target: ReleaseTarget, defaultBackend: string): Wanted {
  const current = inProgress(world);
  const applied = world.revisions.findLast((revision) => revision.status?.phase === 'Applied');
  const judge = [current, applied, world.revisions.at(-1)].find((each) => findComponent(each, target) !== undefined);
  const owner = ownerOf(world, target);
  const component = findComponent(judge ?? owner, target);
  const wanted = { target, component, backend: owner?.spec.backend ?? defaultBackend };
  if (judge === undefined || component === undefined || judge !== current) return wanted;
  const part = partOf(judge, component);
  const progress = progressOf(judge, component.name, part);
  return {
    ...wanted,
    hook: part === 'hooks',
    changedAt: changedAt(progress),
    controllerReadyAt: controllerReadyAt(judge, component, part),
    deadline: deadlineFor(world, progress),
  };
}

/** The newest revision that has the release: its backend is the one that knows it. */
function ownerOf(world: World, target: ReleaseTarget): PackageRevision | undefined {
  return world.revisions.findLast((revision) => findComponent(revision, target) !== undefined);
}

function findComponent(revision: PackageRevision | undefined, target: ReleaseTarget): RevisionComponent | undefined {
  if (revision === undefined) return undefined;
  return everyMember(revision).find((component) => releaseKey(component) === releaseKey(target));
}

function desiredTargets(world: World): readonly Wanted[] {
  if (world.resolution?.kind !== 'resolved') return [];
  const { desired } = world.resolution;
  return [...desired.hooks, ...desired.components].map(({ name, releaseName, namespace }) => ({
    target: { package: desired.package, component: name, releaseName, namespace },
    component: undefined,
    backend: desired.backend,
  }));
}

async function viewRelease(
  sight: Sight,
  { target, backend, ...asked }: Wanted,
  awaited: boolean,
): Promise<ReleaseView> {
  const chosen: Backend | undefined = sight.deps.backends.get(backend);
  if (chosen === undefined) {
    return unseen(sight, { target, backend }, { message: `backend ${backend} is not one of this operator's` });
  }
  const rival = sight.deliveries.rivalOf(target);
  if (rival !== undefined) return unseen(sight, { target, backend }, heldFor(target, rival));
  const question = { backend: chosen, target, awaited, ...asked };
  const answer = await lookAfterEnds(sight, question);
  learnFailure(sight, target, answer.observation);
  const { deliveries } = sight;
  const view = { target, backend, delivery: deliveries.view(target), stop: deliveries.stopOf(target), ...answer };
  if (asked.hook !== true || !isBegun(view.observation)) return view;
  const jobs = await findHookJobs(sight.deps.cluster, await chosen.inventory(target, 'begun'));
  if (jobs === 'some') return { ...view, jobs, ...(await sight.book.ask({ ...question, judgeBegun: true })) };
  if (jobs === 'unknown') return { ...view, jobs };
  // That there never was any is told by what was begun, which somebody may have been removing since it was looked at.
  sight.book.markRelease(releaseKey(target));
  const again = await sight.book.ask(question);
  return isBegun(again.observation) ? { ...view, ...again, jobs } : { ...view, ...again };
}

function unseen(
  { deliveries }: Sight,
  { target, backend }: Pick<ReleaseView, 'target' | 'backend'>,
  unknown: { readonly message: string; readonly heldFor?: string },
): ReleaseView {
  const health = { status: 'unobserved', message: unknown.message, notes: [] } as const;
  return { target, backend, observation: { state: 'unknown', ...unknown }, delivery: deliveries.view(target), health };
}

/** P21: whose the release is, is told by its record once that package is done with it. */
function heldFor(target: ReleaseTarget, rival: string): { readonly message: string; readonly heldFor: string } {
  const message = `package ${rival} is at work on release ${releaseKey(target)}, and two packages cannot have one`;
  return { message, heldFor: rival };
}

/** A delivery that ends while its release is looked at may not be in what was seen: how it ended goes with a later look. */
async function lookAfterEnds({ deliveries, book }: Sight, question: ReleaseQuestion): Promise<ReleaseAnswer> {
  const { target } = question;
  for (;;) {
    const ends = deliveries.endsOf(target);
    const answer = await book.ask(question);
    if (deliveries.endsOf(target) === ends) return answer;
  }
}

/** What a controller carries out fails on the release alone; from then on it counts as any failed delivery does. */
function learnFailure({ deliveries }: Sight, target: ReleaseTarget, observation: ReleaseObservation): void {
  if (observation.state !== 'present' || observation.delivery !== 'failed') return;
  const { token, failure } = observation;
  if (token !== undefined && failure !== undefined) deliveries.learn(target, token, failure);
}

function isBegun(observation: ReleaseObservation): boolean {
  return observation.state === 'present' && (observation.delivery === 'pending' || observation.delivery === 'failed');
}
