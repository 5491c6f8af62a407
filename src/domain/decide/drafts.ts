import type { ComponentProgress } from '../../api/package-revision.ts';
import { formatTime } from '../../lib/time.ts';
import { SEEN } from '../release/classify-component.ts';
import { clockFrom, type Place, type Walk } from './walk.ts';

export function awaitedFrom(walk: Walk): Pick<ComponentProgress, 'awaitedSince' | 'deadline'> {
  const { startedAt: awaitedSince, deadline } = clockFrom(walk);
  return { awaitedSince, deadline };
}

export function markReady(walk: Walk, { view }: Place): ComponentProgress {
  const { release, progress } = view;
  const { message: _waited, ...rest } = progress;
  const revision = release.state === 'present' ? { backendRevision: release.revision } : {};
  return { ...rest, ...revision, state: 'Ready', readyAt: formatTime(walk.world.now) };
}

export function accept(walk: Walk, { view }: Place): ComponentProgress {
  const revision = view.knownRevision === undefined ? {} : { backendRevision: view.knownRevision };
  return { name: view.component.name, state: 'Submitted', attempt: 0, ...clockFrom(walk), ...revision };
}

export function note({ view }: Place): ComponentProgress {
  const revision = view.release.state === 'present' ? { backendRevision: view.release.revision } : {};
  return { ...view.progress, ...revision, message: view.health.message };
}

/** The release of a hook is there: from here on that it is gone does not mean that it never was. */
export function noteSight({ view }: Pick<Place, 'view'>): ComponentProgress {
  return { ...view.progress, backendRevision: SEEN };
}

/** One fresh deadline, however often it flaps afterwards. */
export function rewait(walk: Walk, { view }: Place): ComponentProgress {
  const { readyAt: _lost, awaitedSince, ...rest } = view.progress;
  const rewaits = rest.rewaits ?? 0;
  const judged = awaitedSince === undefined ? {} : { awaitedSince };
  const clock = rewaits > 0 ? judged : { ...clockFrom(walk), ...(awaitedSince === undefined ? {} : awaitedFrom(walk)) };
  return { ...rest, ...clock, state: 'Submitted', rewaits: rewaits + 1, message: view.health.message };
}

/** The first attempt once more, which nothing has come of: its time begins with the place that it gets. */
export function begunAnew(walk: Walk, { view }: Place): ComponentProgress {
  const { progress } = view;
  // What is told of the start of a hook tells its own Jobs from those of a former run.
  if (view.hook) return { ...progress, ...awaitedFrom(walk) };
  return { ...progress, ...clockFrom(walk), ...(progress.awaitedSince === undefined ? {} : awaitedFrom(walk)) };
}

/** A retry goes on within the deadline that its first attempt, or the making of way for it, began. */
export function submitted(walk: Walk, { view }: Place, attempt: number): ComponentProgress {
  const { message, backendRevision: _stale, ...rest } = view.progress;
  const isBegun = rest.state === 'Submitted' ? (rest.attempt ?? 0) > 0 : rest.startedAt !== undefined;
  // Why the attempt before failed is still the best that is known when this one is cut off.
  const cause = isBegun && message !== undefined ? { message } : {};
  return { ...rest, ...cause, ...(isBegun ? {} : clockFrom(walk)), state: 'Submitted', attempt };
}
