import type { KubepkgError } from '../../api/errors.ts';
import { describeError } from '../../api/errors.ts';
import type { Condition } from '../../api/kube.ts';
import { type ConditionContext, conditionOf } from './conditions.ts';

/** The conditions of a Package that cannot be read as one: what runs is left alone, and so is the word on it. */
export function refusalConditions(error: KubepkgError, context: ConditionContext): Condition[] {
  const refusal = { status: 'True', reason: 'InvalidConfiguration', message: describeError(error) } as const;
  const kept = context.previous.filter((condition) => condition.type === 'Available');
  return [
    conditionOf({ ...refusal, type: 'Ready', status: 'False' }, context),
    ...kept,
    conditionOf({ ...refusal, type: 'Stalled' }, context),
  ];
}
