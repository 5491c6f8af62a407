import { describeError, type KubepkgError } from '../../api/errors.ts';
import type { Condition } from '../../api/kube.ts';
import type { ReadyReason } from '../../api/reasons.ts';
import { type ConditionContext, conditionOf } from './conditions.ts';

/** The conditions of a Package that cannot be read as one: what runs is left alone, and so is the word on it. */
export function refusalConditions(error: KubepkgError, context: ConditionContext): Condition[] {
  return besideAvailable({ type: 'Stalled', reason: 'InvalidConfiguration', message: describeError(error) }, context);
}

/** The conditions of a Package whose turn ended with an error that does not pass by itself; it is tried again all the same. */
export function troubleConditions(error: KubepkgError, context: ConditionContext): Condition[] {
  const message = `the next step cannot be taken, and is tried again: ${describeError(error)}`;
  return besideAvailable({ type: 'Reconciling', reason: 'Progressing', message }, context);
}

interface Trouble {
  readonly type: 'Stalled' | 'Reconciling';
  readonly reason: ReadyReason;
  readonly message: string;
}

function besideAvailable({ type, reason, message }: Trouble, context: ConditionContext): Condition[] {
  const kept = context.previous.filter((condition) => condition.type === 'Available');
  return [
    conditionOf({ type: 'Ready', status: 'False', reason, message }, context),
    ...kept,
    conditionOf({ type, status: 'True', reason, message }, context),
  ];
}
