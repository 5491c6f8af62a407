import type { ErrorCode } from '../../api/errors.ts';
import type { ComponentProgress, PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { formatTime } from '../../lib/time.ts';
import { deadlineOf } from './deadline.ts';
import { act, type Decision } from './decision.ts';
import { failureOf } from './explain.ts';
import { judgeRollback } from './safety.ts';
import { isRestoring, labelOf, type Part, targetOf } from './views.ts';
import { draft, type Place, recordAction, statusOf, type Walk } from './walk.ts';
import type { ReleaseTarget } from '../release/observation.ts';

/** A component, or a hook, fails its revision; that a rollback is owed is in the same write. */
export function failPlace(walk: Walk, place: Place): Decision {
  const { view, part } = place;
  const failure = failureOf(view, place.state, place.deadline);
  draft(walk, place, {
    ...view.progress,
    ...grantedTime(walk, view.progress),
    state: 'Failed',
    message: failure.message,
  });
  return failRevision(walk, {
    component: view.component.name,
    part,
    target: targetOf(walk.revision, view.component),
    ...failure,
  });
}

/** What a rollback has to take away does not go in time. */
export function failRemoval(walk: Walk, target: ReleaseTarget, message: string): Decision {
  return failRevision(walk, {
    component: target.component,
    part: 'components',
    target,
    code: 'DeadlineExceeded',
    message,
  });
}

interface RevisionFailure {
  readonly component: string;
  readonly part: Part;
  readonly target: ReleaseTarget;
  readonly code: ErrorCode;
  readonly message: string;
}

export function failRevision(walk: Walk, { component, part, target, code, message: cause }: RevisionFailure): Decision {
  const what = `${part === 'hooks' ? 'hook' : 'component'} ${component} failed: ${cause}`;
  const failed: PackageRevisionStatus = {
    ...statusOf(walk),
    phase: 'Failed',
    failure: { component, code, message: cause },
  };
  const outcome = outcomeOf(walk, { ...walk.revision, status: failed }, part);
  const message = `${what}; ${outcome.message}`;
  const status = { ...failed, message, ...(outcome.rollback === undefined ? {} : { rollback: outcome.rollback }) };
  // The verdict is the Package's once it is in the journal.
  return act(
    { ...recordAction(walk, status), failed: { component, part, target } },
    { reason: 'Progressing', message },
  );
}

interface Outcome {
  readonly message: string;
  readonly rollback?: NonNullable<PackageRevisionStatus['rollback']>;
}

function outcomeOf(walk: Walk, failed: PackageRevision, part: Part): Outcome {
  if (isRestoring(failed)) return { message: 'the rollback is not completed' };
  if (part === 'hooks') return { message: 'nothing else was changed' };
  const verdict = judgeRollback(walk.world, failed);
  if (verdict.kind === 'none') return { message: `it is not rolled back: ${verdict.why}` };
  return {
    message: `it is rolled back to ${labelOf(verdict.to)}`,
    rollback: { to: verdict.to.spec.revision, state: 'Owed' },
  };
}

/** The deadline that it had in the end: only a timeout beyond it is a reason to try again. */
function grantedTime(walk: Walk, progress: ComponentProgress): { readonly deadline?: string } {
  const deadline = deadlineOf(progress, { timeoutMs: walk.timeoutMs, watchingSince: 0 });
  return deadline === undefined ? {} : { deadline: formatTime(deadline) };
}
