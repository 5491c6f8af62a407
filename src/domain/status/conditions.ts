import type { Condition } from '../../api/kube.ts';
import type { ConditionType } from '../../api/reasons.ts';
import { formatSeconds } from '../../lib/time.ts';

export interface Aspect {
  readonly type: ConditionType;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

export interface ConditionContext {
  readonly previous: readonly Condition[];
  readonly generation: number | undefined;
  readonly now: number;
}

/** The transition time moves only when the status does. */
export function conditionOf(aspect: Aspect, context: ConditionContext): Condition {
  const former = context.previous.find((condition) => condition.type === aspect.type);
  const unchanged = former?.status === aspect.status;
  return {
    type: aspect.type,
    status: aspect.status,
    ...(context.generation === undefined ? {} : { observedGeneration: context.generation }),
    lastTransitionTime: unchanged ? former.lastTransitionTime : formatSeconds(context.now),
    reason: aspect.reason,
    message: aspect.message,
  };
}
