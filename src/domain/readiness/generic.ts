import { conditionHolds, conditionsOf, describeCondition } from './conditions.ts';
import { isCustomKind } from './custom-kinds.ts';
import { warningQueries } from './pod-queries.ts';
import { type KindRule, progressing, ready } from './verdict.ts';

/** kstatus' rule for kinds that nobody knows: the Ready condition, where there is one. */
export const generic: KindRule = {
  alwaysObserved: false,
  assess(object) {
    if (conditionHolds(object, 'Ready')) return ready('condition Ready is True');
    if (conditionsOf(object).some((condition) => condition.type === 'Ready')) {
      return progressing('NotReady', describeCondition(object, 'Ready'));
    }
    return isCustomKind(object)
      ? ready('exists', 'has no Ready condition, so that it exists is all that is known')
      : ready('exists');
  },
  related: warningQueries,
};
