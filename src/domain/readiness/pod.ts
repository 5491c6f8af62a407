import { conditionHolds, describeCondition } from './conditions.ts';
import { textOf } from './fields.ts';
import { warningQueries } from './pod-queries.ts';
import { failed, type KindRule, progressing, ready } from './verdict.ts';

/** A Pod of its own. One that crashes and is restarted is not failed yet; one whose phase is `Failed` never comes back. */
export const pod: KindRule = {
  alwaysObserved: false,
  assess(object) {
    const phase = textOf(object, 'status', 'phase');
    switch (phase) {
      case 'Succeeded':
        return ready('completed');
      case 'Failed':
        return failed(
          textOf(object, 'status', 'reason') || 'PodFailed',
          failureText(textOf(object, 'status', 'message')),
        );
      case '':
      case 'Pending':
      case 'Running':
        if (conditionHolds(object, 'Ready')) return ready('ready');
        return progressing('NotReady', `phase ${phase || 'not set'}, ${describeCondition(object, 'Ready')}`);
      default:
        return { status: 'unknown', reason: 'UnknownPhase', message: `phase ${phase} is not known` };
    }
  },
  related: warningQueries,
};

function failureText(message: string): string {
  return message === '' ? 'failed' : `failed: ${message}`;
}
