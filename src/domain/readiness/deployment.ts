import type { KubeObject } from '../../api/kube.ts';
import { asNumber, at } from '../../lib/json.ts';
import { conditionHolds, conditionsOf, describeCondition, findCondition } from './conditions.ts';
import { countOf, outOf } from './fields.ts';
import { podQueries } from './pod-queries.ts';
import { failed, type KindRule, progressing, ready, type Verdict } from './verdict.ts';

/** What the API server stores for "no deadline". */
const NO_DEADLINE = 2_147_483_647;

interface Counts {
  readonly wanted: number;
  readonly total: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
}

/** The wanted replicas are updated and available and no old one is left, whatever `maxUnavailable` allows. */
export const deployment: KindRule = {
  alwaysObserved: true,
  assess(object) {
    const counts = countsOf(object);
    if (at(object, 'spec', 'paused') === true) return paused(counts);
    const expired = findCondition(object, 'Progressing', 'False');
    if (expired?.reason === 'ProgressDeadlineExceeded')
      return failed(expired.reason, describe(expired.message, counts));
    if (counts.wanted === 0) return scaledToZero(object, counts);
    return lacking(counts) ?? unsettled(object) ?? ready(outOf(counts.available, counts.wanted, 'replicas available'));
  },
  related: podQueries,
};

function countsOf(object: KubeObject): Counts {
  return {
    wanted: countOf(object, ['spec', 'replicas'], 1),
    total: countOf(object, ['status', 'replicas']),
    updated: countOf(object, ['status', 'updatedReplicas']),
    ready: countOf(object, ['status', 'readyReplicas']),
    available: countOf(object, ['status', 'availableReplicas']),
  };
}

function paused(counts: Counts): Verdict {
  const state = `paused, ${outOf(counts.updated, counts.wanted, 'replicas updated')}, ${String(counts.available)} available`;
  return ready(state, state);
}

function scaledToZero(object: KubeObject, counts: Counts): Verdict {
  const left = counts.total + countOf(object, ['status', 'terminatingReplicas']);
  if (left > 0) return progressing('ScalingDown', `${String(left)} pods are still there, 0 wanted`);
  return ready('scaled to 0, no pods left');
}

function lacking(counts: Counts): Verdict | undefined {
  if (counts.updated < counts.wanted) {
    return progressing('Updating', outOf(counts.updated, counts.wanted, 'replicas updated'));
  }
  if (counts.total > counts.wanted) {
    return progressing('OldReplicasLeft', `${String(counts.total - counts.wanted)} surplus replicas still run`);
  }
  const usable = Math.min(counts.available, counts.ready);
  if (usable < counts.wanted || counts.total < counts.wanted) {
    return progressing('Unavailable', outOf(usable, counts.wanted, 'replicas available'));
  }
  return undefined;
}

/** The controller's own conclusion from the counts, which it writes in the same status. */
function unsettled(object: KubeObject): Verdict | undefined {
  if (!conditionHolds(object, 'Available')) return progressing('Unavailable', describeCondition(object, 'Available'));
  const deadline = asNumber(at(object, 'spec', 'progressDeadlineSeconds')) ?? NO_DEADLINE;
  if (deadline >= NO_DEADLINE) return undefined;
  const entries = conditionsOf(object).filter((condition) => condition.type === 'Progressing');
  const complete = entries.length > 0 && entries.every((condition) => condition.reason === 'NewReplicaSetAvailable');
  if (complete && conditionHolds(object, 'Progressing')) return undefined;
  return progressing('RolloutNotComplete', describeCondition(object, 'Progressing'));
}

function describe(message: string, counts: Counts): string {
  const state = outOf(counts.available, counts.wanted, 'replicas available');
  return message === '' ? state : `${message}, ${state}`;
}
