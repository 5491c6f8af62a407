import { countOf, outOf } from './fields.ts';
import { findCondition } from './conditions.ts';
import { podQueries } from './pod-queries.ts';
import { type KindRule, progressing, ready } from './verdict.ts';

/** ReplicaSet and ReplicationController, which say the same in the same fields. */
export const replicaSet: KindRule = {
  alwaysObserved: true,
  assess(object) {
    const failure = findCondition(object, 'ReplicaFailure');
    if (failure !== undefined) return progressing('ReplicaFailure', failure.message);
    const wanted = countOf(object, ['spec', 'replicas'], 1);
    const total = countOf(object, ['status', 'replicas']);
    if (total > wanted)
      return progressing('ScalingDown', `${String(total)} pods are still there, ${String(wanted)} wanted`);
    const usable = Math.min(
      countOf(object, ['status', 'fullyLabeledReplicas']),
      countOf(object, ['status', 'readyReplicas']),
      countOf(object, ['status', 'availableReplicas']),
    );
    if (usable < wanted) return progressing('Unavailable', outOf(usable, wanted, 'replicas available'));
    return ready(outOf(usable, wanted, 'replicas available'));
  },
  related: podQueries,
};
