import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { asNumber, at } from '../../lib/json.ts';
import { conditionOf, packageState } from '../report/package-state.ts';
import type { Followed } from './package-follower.ts';

/** What our own write asked for: only a status that is newer is believed. */
export interface Awaited {
  readonly name: string;
  /** Of the Package, as our write left it. */
  readonly generation: number;
  /** Set when the source was changed as well, which the Package's generation does not show. */
  readonly source?: AwaitedSource | undefined;
  /** Set where something else than readiness after an edit is awaited; it decides alone. */
  readonly judge?: Judge | undefined;
  /** What stands in the way and does not go by itself; while there is none, the verdict counts. */
  readonly obstacle?: ((followed: Followed) => Problem | undefined) | undefined;
}

export interface Problem {
  readonly error: string;
  readonly hint?: string | undefined;
}

export type Judge = (followed: Followed, now: number) => Verdict;

export interface AwaitedSource {
  readonly generation: number;
  readonly version: string;
  /** Newest revision before the write. */
  readonly revisionBefore: number;
  readonly writtenAt: number;
}

export type Verdict = 'pending' | 'waiting' | 'ready' | 'failed' | 'gone';

/** How long an operator that does not report the source's generation has to react to a change of it. */
export const SETTLE_MS = 5000;

/** What the newest status says about the awaited change; `pending` as long as it may still be about the one before. */
export function verdictOf(awaited: Awaited, followed: Followed, now: number): Verdict {
  const { package: pkg } = followed;
  if (awaited.judge !== undefined) return awaited.judge(followed, now);
  if (pkg === undefined) return 'gone';
  return isStale(awaited, followed, now) ? 'pending' : stateVerdict(pkg);
}

export function stateVerdict(pkg: Package): Verdict {
  switch (packageState(pkg)) {
    case 'Ready':
      return 'ready';
    case 'Failed':
      return 'failed';
    case 'Waiting':
      return 'waiting';
    case 'Progressing':
    case 'Unknown':
      return 'pending';
  }
}

/** Whether the status may still be about what was there before our write. */
export function isStale(awaited: Awaited, { package: pkg, revisions }: Followed, now: number): boolean {
  if (awaited.judge !== undefined) return false;
  const ready = pkg === undefined ? undefined : conditionOf(pkg, 'Ready');
  if (pkg === undefined || ready === undefined) return true;
  if ((ready.observedGeneration ?? 0) < awaited.generation) return true;
  return awaited.source !== undefined && !hasSeenSource(awaited.source, { pkg, revisions, now });
}

/** The operator reports the generation that it looked at, or has started a revision, or lets the change be. */
function hasSeenSource(
  source: AwaitedSource,
  seen: { readonly pkg: Package; readonly revisions: readonly PackageRevision[]; readonly now: number },
): boolean {
  const { pkg, revisions, now } = seen;
  const observed = asNumber(at(pkg.status, 'observedSourceGeneration'));
  if (observed !== undefined) return observed >= source.generation;
  // The conditions are of the same write as this number, while a revision is there a moment before them.
  if ((pkg.status?.currentRevision ?? 0) > source.revisionBefore) return true;
  if (revisions.some(({ spec }) => spec.revision > source.revisionBefore)) return false;
  const isThere = packageState(pkg) !== 'Ready' || pkg.status?.version === source.version;
  return isThere && now - source.writtenAt >= SETTLE_MS;
}
