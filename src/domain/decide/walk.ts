import type { ComponentProgress, PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { formatTime } from '../../lib/time.ts';
import { classifyComponent, type ComponentState } from '../release/classify-component.ts';
import type { ComponentView } from '../release/component-view.ts';
import { deadlineOf, timeoutOf } from './deadline.ts';
import { act, type Action, type Decision, type Explanation, wait } from './decision.ts';
import { waitingFor, wakeAt } from './explain.ts';
import { endOfRun } from './overrun.ts';
import { type Part, viewsOf } from './views.ts';
import type { World } from './world.ts';

/** One component or hook while the revision is walked: `view.progress` is the draft that will be recorded. */
export interface Place {
  readonly part: Part;
  readonly view: ComponentView;
  readonly index: number;
  readonly state: ComponentState;
  readonly deadline: number | undefined;
}

/** A revision in progress on its way through its parts. Drafts become the journal with the step that the walk ends in. */
export interface Walk {
  readonly world: World;
  readonly revision: PackageRevision;
  readonly views: Readonly<Record<Part, readonly ComponentView[]>>;
  readonly drafts: Readonly<Record<Part | 'removals', ComponentProgress[]>>;
  readonly timeoutMs: number;
  /** Something newer is about to take over: what runs is seen to its end, and nothing is begun. */
  readonly yielding: boolean;
  changed: boolean;
}

export function beginWalk(world: World, revision: PackageRevision, yielding: boolean): Walk {
  const views = { hooks: viewsOf(world, revision, 'hooks'), components: viewsOf(world, revision, 'components') };
  return {
    world,
    revision,
    views,
    drafts: {
      hooks: views.hooks.map((view) => view.progress),
      components: views.components.map((view) => view.progress),
      removals: [...(revision.status?.removals ?? [])],
    },
    timeoutMs: timeoutOf(world.package),
    yielding,
    changed: false,
  };
}

/** `timeless`: where it stands whatever its deadline says. */
export function locate(
  walk: Walk,
  { part, index }: Pick<Place, 'part' | 'index'>,
  { timeless } = { timeless: false },
): Place | undefined {
  const view = walk.views[part][index];
  if (view === undefined) return undefined;
  const progress = walk.drafts[part][index] ?? view.progress;
  const current = { ...view, progress };
  // What was begun before this revision had a clock for it, the removal of a former place say, has one of its own.
  const deadline = deadlineIn(walk, progress) ?? endOfRun(walk.world, view);
  const adopt = walk.revision.spec.adopt ?? false;
  const state = classifyComponent(current, { now: walk.world.now, deadline: timeless ? undefined : deadline, adopt });
  return { part, view: current, index, state, deadline };
}

export function deadlineIn(walk: Walk, progress: ComponentProgress): number | undefined {
  return deadlineOf(progress, { timeoutMs: walk.timeoutMs, watchingSince: walk.world.watchingSince });
}

export function draft(walk: Walk, { part, index }: Pick<Place, 'part' | 'index'>, progress: ComponentProgress): void {
  walk.drafts[part][index] = progress;
  walk.changed = true;
}

export function clockFrom(walk: Walk): { startedAt: string; deadline: string } {
  const { now } = walk.world;
  return { startedAt: formatTime(now), deadline: formatTime(now + walk.timeoutMs) };
}

export function statusOf(walk: Walk, message?: string): PackageRevisionStatus {
  const { message: _former, ...rest } = walk.revision.status ?? {};
  const { hooks, components, removals } = walk.drafts;
  return {
    ...rest,
    ...(message === undefined ? {} : { message }),
    phase: 'Applying',
    components: [...components],
    ...(hooks.length === 0 ? {} : { hooks: [...hooks] }),
    ...(removals.length === 0 ? {} : { removals: [...removals] }),
  };
}

/** The drafts, when there are any: an action that takes them writes them before it is taken. */
export function draftStatus(walk: Walk): { readonly status?: PackageRevisionStatus } {
  return walk.changed ? { status: statusOf(walk) } : {};
}

export function recordAction(walk: Walk, status: PackageRevisionStatus): Extract<Action, { kind: 'record' }> {
  return { kind: 'record', revision: walk.revision.metadata.name, status };
}

/** Nothing to do but wait; what was drafted on the way is written first. */
export function pause(walk: Walk, place: Place): Decision {
  return pauseWith(walk, explain(walk, place), wakeAt(place.view, place.deadline, walk.world.now));
}

export function pauseWith(walk: Walk, explanation: Explanation, until: number | undefined): Decision {
  if (!walk.changed) return wait(explanation, until);
  return act(recordAction(walk, statusOf(walk, explanation.message)), explanation);
}

export function explain(walk: Walk, place: Place): Explanation {
  const where = `${String(place.index + 1)} of ${String(walk.drafts[place.part].length)}`;
  return {
    reason: 'Progressing',
    message: waitingFor(place.view, { where, state: place.state, deadline: place.deadline }),
  };
}
