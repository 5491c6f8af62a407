import { earliest } from '../../lib/earliest.ts';
import type { ComponentProgress } from '../../api/package-revision.ts';
import { formatTime } from '../../lib/time.ts';
import { goingOutside } from '../release/classify-component.ts';
import type { ReleaseTarget } from '../release/observation.ts';
import { act, type Decision } from './decision.ts';
import { accept, note } from './drafts.ts';
import { failRemoval } from './fail-revision.ts';
import { STEPS, type Step } from './steps.ts';
import { removeRelease } from './tidy.ts';
import { componentsOf, targetOf } from './views.ts';
import { clockFrom, deadlineIn, draft, draftStatus, locate, pauseWith, type Place, type Walk } from './walk.ts';
import { releaseKey, type ReleaseView } from './world.ts';

/** A step that the walk of the components knows how to take. */
export type Take = (place: Place, step: Exclude<Step, 'next' | 'mark-ready' | 'accept'>) => Decision;

type Item =
  | { readonly kind: 'remove'; readonly target: ReleaseTarget }
  | { readonly kind: 'deliver'; readonly index: number };

/**
 * A rollback undoes what was changed last first, and each step waits for the delivery of the one before only: an old
 * component may need an old dependency that comes later. What it has begun has a clock and is seen to its end first;
 * then what goes on, whatever has become of those before it: two are never under way, and nothing is when the rollback
 * fails. Undefined: every release is as it was.
 */
export function restoreReleases(walk: Walk, take: Take): Decision | undefined {
  const ranked = itemsOf(walk).map((item) => ({ item, rank: rankOf(walk, item) }));
  for (const { item } of ranked.sort((one, other) => one.rank - other.rank)) {
    const decision = item.kind === 'remove' ? removeNew(walk, item.target) : putBack(walk, item.index, take);
    if (decision !== undefined) return decision;
  }
  return undefined;
}

/** What the revisions since the restored one had, newest first and in reverse order; then what only the old one has. */
function itemsOf({ world, revision }: Walk): readonly Item[] {
  const { restoredFrom = 0, revision: number } = revision.spec;
  const indexes = new Map(componentsOf(revision).map((component, index) => [releaseKey(component), index]));
  const since = world.revisions.filter(({ spec }) => spec.revision > restoredFrom && spec.revision < number);
  const items = new Map<string, Item>();
  for (const each of [...since.toReversed(), revision]) {
    for (const component of componentsOf(each).toReversed()) {
      const key = releaseKey(component);
      const index = indexes.get(key);
      const item: Item =
        index === undefined ? { kind: 'remove', target: targetOf(each, component) } : { kind: 'deliver', index };
      if (!items.has(key)) items.set(key, item);
    }
  }
  return [...items.values()];
}

function rankOf(walk: Walk, item: Item): number {
  return (isBegun(walk, item) ? 0 : 2) + (goesOn(walk, item) ? 0 : 1);
}

/** By this revision, and not noted as done: somebody may set something else going meanwhile. */
function isBegun({ drafts }: Walk, item: Item): boolean {
  if (item.kind === 'remove') return removalIn(drafts, item.target)?.state === 'Submitted';
  const { state, attempt = 0, backendRevision } = drafts.components[item.index] ?? {};
  return state === 'Submitted' && attempt > 0 && backendRevision === undefined;
}

/** In this process, or by a controller. */
function goesOn(walk: Walk, item: Item): boolean {
  if (item.kind === 'remove') return walk.world.releases[releaseKey(item.target)]?.delivery.kind === 'running';
  const place = locate(walk, { part: 'components', index: item.index }, { timeless: true });
  if (place === undefined) return false;
  const { view, state } = place;
  return state === 'executing' || state === 'settling' || goingOutside(view, walk.world.now) !== 'nothing';
}

function putBack(walk: Walk, index: number, take: Take): Decision | undefined {
  const at = { part: 'components', index } as const;
  const place = locate(walk, at, { timeless: true });
  if (place === undefined) return undefined;
  const { restore } = STEPS[place.state];
  if (restore === undefined) return putBackInTime(walk, index, take);
  if (restore === 'accept') draft(walk, at, accept(walk, place));
  else if (restore === 'note' || isUnnoted(place)) draft(walk, at, note(place));
  return undefined;
}

/** However soon it is ready or fails, that it was delivered is in the journal while the others are put back and judged. */
function isUnnoted({ view: { progress } }: Place): boolean {
  return progress.state === 'Submitted' && progress.backendRevision === undefined;
}

/** Not delivered yet: now its deadline counts. */
function putBackInTime(walk: Walk, index: number, take: Take): Decision | undefined {
  const place = locate(walk, { part: 'components', index });
  if (place === undefined) return undefined;
  const { step } = STEPS[place.state];
  if (step === 'next' || step === 'mark-ready' || step === 'accept') return undefined;
  return take(place, step);
}

/** A component that only the newer revisions had: its uninstall is done and in the journal, what remains of it goes later. */
function removeNew(walk: Walk, target: ReleaseTarget): Decision | undefined {
  const release = walk.world.releases[releaseKey(target)];
  const decision = release === undefined || isGoing(release) ? undefined : removeRelease(walk.world, release, target);
  const progress = removalIn(walk.drafts, target);
  if (decision === undefined) {
    if (progress?.state === 'Submitted') {
      noteRemoval(walk, { ...progress, state: 'Ready', readyAt: formatTime(walk.world.now) });
    }
    return undefined;
  }
  return overdueRemoval(walk, target, decision) ?? awaitRemoval(walk, target, decision);
}

function isGoing({ observation, delivery }: ReleaseView): boolean {
  if (observation.state !== 'present' || observation.delivery !== 'draining') return false;
  return observation.uninstalling !== true && delivery.kind !== 'running';
}

function deadlineOfRemoval(walk: Walk, target: ReleaseTarget): number | undefined {
  const progress = removalIn(walk.drafts, target);
  return progress === undefined ? undefined : deadlineIn(walk, progress);
}

function removalIn({ removals }: Walk['drafts'], target: ReleaseTarget): ComponentProgress | undefined {
  return removals.find(({ name }) => name === releaseKey(target));
}

function overdueRemoval(walk: Walk, target: ReleaseTarget, decision: Decision): Decision | undefined {
  const deadline = deadlineOfRemoval(walk, target);
  if (deadline === undefined || walk.world.now < deadline) return undefined;
  const isRunning = walk.world.releases[releaseKey(target)]?.delivery.kind === 'running';
  return isRunning ? act({ kind: 'stop', target }, decision) : failRemoval(walk, target, decision.message);
}

function awaitRemoval(walk: Walk, target: ReleaseTarget, decision: Decision): Decision {
  if (decision.kind === 'act' || isDraining(walk, target)) startRemoval(walk, target);
  if (decision.kind !== 'act') {
    const until = decision.kind === 'wait' ? decision.until : undefined;
    return pauseWith(walk, decision, earliest(until, deadlineOfRemoval(walk, target)));
  }
  const { name: revision } = walk.revision.metadata;
  return act({ kind: 'uninstall', target, keepData: true, revision, ...draftStatus(walk) }, decision);
}

/** By whomever its uninstall was begun. */
function isDraining(walk: Walk, target: ReleaseTarget): boolean {
  const observation = walk.world.releases[releaseKey(target)]?.observation;
  return observation?.state === 'present' && observation.delivery === 'draining';
}

function startRemoval(walk: Walk, target: ReleaseTarget): void {
  if (deadlineOfRemoval(walk, target) !== undefined) return;
  noteRemoval(walk, { name: releaseKey(target), state: 'Submitted', attempt: 1, ...clockFrom(walk) });
}

function noteRemoval(walk: Walk, progress: ComponentProgress): void {
  const { removals } = walk.drafts;
  const index = removals.findIndex(({ name }) => name === progress.name);
  removals[index === -1 ? removals.length : index] = progress;
  walk.changed = true;
}
