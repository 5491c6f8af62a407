import type { KubeObject } from '../../api/kube.ts';
import { conditionHolds } from './conditions.ts';
import { job } from './job.ts';
import { failed, type ReadinessContext, ready, type Verdict } from './verdict.ts';

const UNSEEN = 'finished and removed before its end was observed';

export interface VanishedJob {
  /** The Job as it was last seen, if it was the one that is asked about. */
  readonly last: KubeObject | undefined;
  readonly isHook: boolean;
}

/**
 * A Job that removes itself once it has finished, and is not there: the end that was seen counts. Of a hook whose end
 * nobody saw the worse is assumed, since a failed migration must not look like one that was done.
 */
export function judgeVanishedJob({ last, isHook }: VanishedJob, context: ReadinessContext): Verdict {
  if (last !== undefined && hasEnded(last)) return job.assess(last, context);
  if (!isHook) return ready(UNSEEN, UNSEEN);
  return { ...failed('OutcomeUnknown', `${UNSEEN}, and a hook counts only when it was seen to succeed`), final: true };
}

/** Its end is decided, and its pods still go. */
export function isEnding(object: KubeObject): boolean {
  const holds = (types: readonly string[]): boolean => types.some((type) => conditionHolds(object, type));
  return holds(['SuccessCriteriaMet', 'FailureTarget']) && !holds(['Complete', 'Failed']);
}

export function hasEnded(object: KubeObject): boolean {
  return ['Complete', 'Failed', 'FailureTarget'].some((type) => conditionHolds(object, type));
}
