import { ANNOTATION } from '../../api/names.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { act, type Decision } from './decision.ts';
import { isIncomplete, whyLost } from './former-revision.ts';
import { restoringRevision } from './restoring-revision.ts';
import { howToForce, isForced, unsafeSince, whyUnsafe } from './safety.ts';
import { completeRevision } from './takeover.ts';
import { isInProgress, isRequested, labelOf } from './views.ts';
import type { World } from './world.ts';

/** P19: a rollback that is asked for by annotation. Undefined: none is. Whatever the answer, the request is dropped. */
export function decideRequest(world: World, current: PackageRevision | undefined): Decision | undefined {
  const wanted = world.package.metadata.annotations?.[ANNOTATION.rollbackTo];
  if (wanted === undefined) return undefined;
  if (isAnswered(world, wanted)) return drop('the requested rollback has begun');
  const target = world.revisions.find(({ spec }) => String(spec.revision) === wanted.trim());
  return completionOf(world, target) ?? answer(world, { target, wanted, current });
}

/** What runs is completed in its own time, with what its source says of it. */
function completionOf({ revisions }: World, target: PackageRevision | undefined): Decision | undefined {
  if (target?.status?.appliedAt === undefined || target === revisions.at(-1)) return undefined;
  return isIncomplete(target) ? completeRevision(target) : undefined;
}

interface Request {
  readonly target: PackageRevision | undefined;
  readonly wanted: string;
  readonly current: PackageRevision | undefined;
}

function answer(world: World, { target, wanted, current }: Request): Decision {
  const refusal = refusalOf(world, target, wanted);
  if (refusal !== undefined || target === undefined) {
    return drop(`rollback to revision ${wanted} refused: ${refusal ?? ''}`, 'RollbackFailed');
  }
  const isRunning = current === undefined && target === world.revisions.at(-1);
  if (isRunning) return drop(`${labelOf(target)} runs already: there is nothing to roll back`);
  return restoringRevision(world, target, {});
}

/** The revision that carries it out is there, and the process died before it dropped the request. */
function isAnswered(world: World, wanted: string): boolean {
  const newest = world.revisions.at(-1);
  return newest !== undefined && isAnswer(newest, wanted);
}

function isAnswer(revision: PackageRevision, wanted: string): boolean {
  return isRequested(revision) && isInProgress(revision) && String(revision.spec.restoredFrom) === wanted.trim();
}

function refusalOf(world: World, target: PackageRevision | undefined, wanted: string): string | undefined {
  if (target?.status?.appliedAt === undefined) {
    const numbers = world.revisions.filter(({ status }) => status?.appliedAt !== undefined);
    const known = numbers.map(({ spec }) => String(spec.revision)).join(', ');
    const what = /^\s*\d+\s*$/.test(wanted)
      ? 'it is not a revision that was applied'
      : 'it is not the number of a revision';
    return `${what}; these were: ${known === '' ? 'none' : known}`;
  }
  const unsafe = unsafeSince(world, target);
  if (unsafe.length > 0 && !isForced(world, unsafe))
    return `${whyUnsafe(world, unsafe, target)}; ${howToForce(unsafe)}`;
  return whyLost(target);
}

function drop(message: string, reason: 'Progressing' | 'RollbackFailed' = 'Progressing'): Decision {
  const annotations = [ANNOTATION.rollbackTo, ANNOTATION.forceRollback];
  return act({ kind: 'drop-annotations', annotations }, { reason, message });
}
