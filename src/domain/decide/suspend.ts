import type { ComponentProgress, PackageRevision } from '../../api/package-revision.ts';
import { formatTime, parseTime } from '../../lib/time.ts';
import { isFirstSeen } from '../release/classify-component.ts';
import { act, type Decision, wait } from './decision.ts';
import { noteSight } from './drafts.ts';
import { isRestoring, viewsOf } from './views.ts';
import type { World } from './world.ts';

const SUSPENDED = { reason: 'Suspended', message: 'spec.suspend is set: no further step is taken' } as const;

/** Takes no step; that the clocks of a revision in progress stand still is in its journal (P9), and what is there of its hooks. */
export function suspend(world: World, current: PackageRevision | undefined): Decision {
  if (current === undefined) return wait(SUSPENDED);
  if (current.status?.suspendedAt !== undefined) return noteSights(world, current) ?? wait(SUSPENDED);
  const status = { ...current.status, suspendedAt: formatTime(world.now) };
  return act({ kind: 'record', revision: current.metadata.name, status }, SUSPENDED);
}

function noteSights(world: World, current: PackageRevision): Decision | undefined {
  const views = viewsOf(world, current, 'hooks');
  if (!views.some((view) => isFirstSeen(view))) return undefined;
  const hooks = views.map((view) => (isFirstSeen(view) ? noteSight({ view }) : view.progress));
  const status = { ...current.status, hooks };
  return act({ kind: 'record', revision: current.metadata.name, status }, SUSPENDED);
}

/** What was awaited has as much time left as when the package was suspended. */
export function resumeClocks(world: World, current: PackageRevision): Decision | undefined {
  const { suspendedAt, ...status } = current.status ?? {};
  if (suspendedAt === undefined) return undefined;
  const pauseMs = Math.max(0, world.now - parseTime(suspendedAt));
  const isRollback = isRestoring(current);
  const shift = (list: readonly ComponentProgress[]): ComponentProgress[] =>
    list.map((each) => later(each, pauseMs, isRollback));
  const { components, hooks, removals } = status;
  const resumed = {
    ...status,
    ...(components === undefined ? {} : { components: shift(components) }),
    ...(hooks === undefined ? {} : { hooks: shift(hooks) }),
    ...(removals === undefined ? {} : { removals: shift(removals) }),
  };
  const explanation = { reason: 'Progressing', message: 'the package is resumed' } as const;
  return act({ kind: 'record', revision: current.metadata.name, status: resumed }, explanation);
}

/** Its time is moved as a whole, so that a timeout raised or lowered later counts as if there had been no pause. */
function later(progress: ComponentProgress, byMs: number, isRollback: boolean): ComponentProgress {
  const { deadline, state, startedAt, awaitedSince } = progress;
  if (deadline === undefined || state === 'Ready' || state === 'Failed') return progress;
  const since = awaitedSince ?? (isRollback ? undefined : startedAt);
  return {
    ...progress,
    ...(since === undefined ? {} : { awaitedSince: formatTime(parseTime(since) + byMs) }),
    deadline: formatTime(parseTime(deadline) + byMs),
  };
}
