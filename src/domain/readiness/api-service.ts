import { conditionHolds, describeCondition } from './conditions.ts';
import { type KindRule, progressing, ready } from './verdict.ts';

export const apiService: KindRule = {
  alwaysObserved: false,
  assess(object) {
    if (conditionHolds(object, 'Available')) return ready('available');
    return progressing('NotAvailable', describeCondition(object, 'Available'));
  },
  related: () => [],
};
