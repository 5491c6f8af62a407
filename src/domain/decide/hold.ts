import { ANNOTATION } from '../../api/names.ts';
import type { ComponentProgress, PackageRevision } from '../../api/package-revision.ts';
import { parseTime } from '../../lib/time.ts';
import { countedFrom, timeoutOf } from './deadline.ts';
import type { Decision } from './decision.ts';
import { tidy } from './tidy.ts';
import { isRequested, labelOf } from './views.ts';
import type { World } from './world.ts';

/** P12: after a missed deadline, a raised timeout is a reason to try again, also when the attempt was rolled back. */
export function isReleasedByTimeout(world: World, newest: PackageRevision): boolean {
  const failed = newest.status?.phase === 'Failed' ? newest : undoneBy(world, newest);
  const { failure, components = [], hooks = [] } = failed?.status ?? {};
  if (failure?.code !== 'DeadlineExceeded') return false;
  const progress = [...hooks, ...components].find((candidate) => candidate.name === failure.component);
  return progress !== undefined && timeoutOf(world.package) > grantedMs(progress);
}

/** NaN, which nothing is greater than, when it never had a clock. */
function grantedMs(progress: ComponentProgress): number {
  return parseTime(progress.deadline ?? '') - parseTime(countedFrom(progress) ?? '');
}

/** The failed revision whose rollback a restoring one carries out; undefined for one that was asked for. */
function undoneBy(world: World, restoring: PackageRevision): PackageRevision | undefined {
  const { restoredFrom = 0, revision: number } = restoring.spec;
  if (restoredFrom === 0 || isRequested(restoring)) return undefined;
  return world.revisions.findLast(
    ({ spec, status }) => spec.revision < number && status?.rollback?.to === restoredFrom,
  );
}

/** A failed revision is left as it is until something changes. */
export function hold(world: World, failed: PackageRevision): Decision {
  const raise = failed.status?.failure?.code === 'DeadlineExceeded' ? ', raise spec.upgrade.timeout' : '';
  const remedy = `nothing is retried until the package changes: fix it forward${raise}, or set a new value in annotation ${ANNOTATION.retry}`;
  const undone = undoneBy(world, failed);
  const first = undone === undefined ? '' : `${causeOf(undone)}; its rollback failed as well: `;
  return {
    kind: 'stalled',
    reason: isRequested(failed) ? 'RollbackFailed' : 'UpgradeFailed',
    message: `${first}${causeOf(failed)}; ${remedy}`,
  };
}

function causeOf(failed: PackageRevision): string {
  const { failure, message } = failed.status ?? {};
  return `${labelOf(failed)}: ${message ?? failure?.message ?? 'the revision failed'}`;
}

/** What a rollback restored is put in order like any applied revision, and then held. */
export function holdRollback(world: World, applied: PackageRevision): Decision {
  const verdict = tidy(world, applied);
  if (verdict.reason !== 'ReconciliationSucceeded') return verdict;
  const held = isRequested(applied) ? heldByRequest(applied) : heldByFailure(world, applied);
  if (verdict.kind === 'converged') return held;
  // What is still being put away goes on, and is said; the reason is the same.
  return { ...verdict, reason: held.reason, message: `${held.message}; ${verdict.message}` };
}

function heldByRequest(applied: PackageRevision): Decision {
  return {
    kind: 'converged',
    reason: 'RolledBack',
    message: `${runsAgain(applied)} by request; it is held until the package changes`,
  };
}

function runsAgain(applied: PackageRevision): string {
  return `${labelOf(applied)} runs again, restored from revision ${String(applied.spec.restoredFrom)}`;
}

function heldByFailure(world: World, applied: PackageRevision): Decision {
  const undone = undoneBy(world, applied);
  const cause = undone === undefined ? 'the upgrade failed' : causeOf(undone);
  const remedy = `nothing is retried until the package changes, or annotation ${ANNOTATION.retry} gets a new value`;
  return { kind: 'stalled', reason: 'UpgradeRolledBack', message: `${cause}; ${runsAgain(applied)}; ${remedy}` };
}
