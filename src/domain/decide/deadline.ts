import type { Package } from '../../api/package.ts';
import { DEFAULT_TIMEOUT } from '../../api/package.ts';
import type { ComponentProgress } from '../../api/package-revision.ts';
import { parseDuration } from '../../lib/duration.ts';
import { parseTime } from '../../lib/time.ts';

/** After an outage of the operator every wait has this much fresh observation before it can fail. */
export const FRESH_OBSERVATION_MS = 60_000;

/** Ten years: beyond it a deadline could not be written as a time. */
const LONGEST_MS = 87_600 * 3_600_000;

/** How long each component has, in milliseconds. */
export function timeoutOf(pkg: Package): number {
  const wanted = parseDuration(pkg.spec.upgrade?.timeout ?? DEFAULT_TIMEOUT) ?? 600_000;
  return Math.min(wanted, LONGEST_MS);
}

export interface DeadlineContext {
  readonly timeoutMs: number;
  readonly watchingSince: number;
}

/** Since when its time counts; undefined: it has no clock yet. */
export function countedFrom({ awaitedSince, startedAt }: ComponentProgress): string | undefined {
  return startedAt === undefined ? undefined : (awaitedSince ?? startedAt);
}

/** P9: from the component's own start; a raised timeout extends it, a lowered one does not shorten it. */
export function deadlineOf(progress: ComponentProgress, context: DeadlineContext): number | undefined {
  const since = countedFrom(progress);
  if (since === undefined) return undefined;
  const started = parseTime(since);
  const recorded = progress.deadline === undefined ? started : parseTime(progress.deadline);
  const deadline = Math.max(recorded, started + context.timeoutMs);
  return started < context.watchingSince ? Math.max(deadline, context.watchingSince + FRESH_OBSERVATION_MS) : deadline;
}
