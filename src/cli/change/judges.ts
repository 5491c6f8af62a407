import { ANNOTATION } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import { isInProgress } from '../../domain/decide/views.ts';
import { conditionOf, isConfigurationReason, packageState } from '../report/package-state.ts';
import { type Awaited, type Judge, SETTLE_MS, stateVerdict, type Verdict, verdictOf } from '../watch/verdict.ts';

/** A rollback is over when its own revision is, and the status speaks of that one. */
export function rollbackJudge(target: number, newestBefore: number): Judge {
  return ({ package: pkg, revisions }) => {
    if (pkg === undefined) return 'gone';
    const restoring = revisions.findLast(
      ({ spec }) => spec.revision > newestBefore && (spec.restoredFrom ?? 0) === target,
    );
    if (restoring === undefined) return unanswered(pkg);
    const isReported = (pkg.status?.currentRevision ?? 0) >= restoring.spec.revision;
    return isInProgress(restoring) || !isReported ? resting(pkg) : stateVerdict(pkg);
  };
}

function unanswered(pkg: Package): Verdict {
  const isAsked = pkg.metadata.annotations?.[ANNOTATION.rollbackTo] !== undefined;
  return !isAsked && conditionOf(pkg, 'Ready')?.reason === 'RollbackFailed' ? 'failed' : resting(pkg);
}

/** Nothing happens to what is suspended. */
function resting(pkg: Package): Verdict {
  return pkg.spec.suspend === true ? 'waiting' : 'pending';
}

/** A retry is over when a revision that answers to its token is; what cannot start yet answers to none. */
export function retryJudge(token: string, writtenAt: number): Judge {
  return ({ package: pkg, revisions }, now) => {
    if (pkg === undefined) return 'gone';
    const answer = revisions.findLast(({ metadata }) => metadata.annotations?.[ANNOTATION.retry] === token);
    if (answer === undefined) return now - writtenAt < SETTLE_MS ? 'pending' : unstarted(pkg);
    const isReported = (pkg.status?.currentRevision ?? 0) >= answer.spec.revision;
    return isInProgress(answer) || !isReported ? resting(pkg) : stateVerdict(pkg);
  };
}

function unstarted(pkg: Package): Verdict {
  const state = packageState(pkg);
  const isObstructed = isConfigurationReason(conditionOf(pkg, 'Ready')?.reason ?? '');
  return state === 'Waiting' || (state === 'Failed' && isObstructed) ? stateVerdict(pkg) : 'pending';
}

export function suspendJudge(generation: number): Judge {
  return ({ package: pkg }) => {
    if (pkg === undefined) return 'gone';
    const ready = conditionOf(pkg, 'Ready');
    const isReported = ready?.reason === 'Suspended' && (ready.observedGeneration ?? 0) >= generation;
    return isReported ? 'ready' : 'pending';
  };
}

/** Gone is what no longer exists, or has made way for another one of its name. */
export function removalJudge(uid: string | undefined): Judge {
  return ({ package: pkg }) => (pkg === undefined || pkg.metadata.uid !== uid ? 'ready' : 'pending');
}

/** That it may take over is no change of the spec: what the status says against it may be from before. */
export function adoptJudge(awaited: Awaited, writtenAt: number): Judge {
  return (followed, now) => {
    const verdict = verdictOf(awaited, followed, now);
    return verdict === 'failed' && now - writtenAt < SETTLE_MS ? 'pending' : verdict;
  };
}
