import { asArray, asNumber, asString, at, isRecord } from '../../../lib/json.ts';
import type { DeleteOptions, Target } from '../../model/api.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { StatusError } from '../../model/status-error.ts';
import { type Core, requireLive, type Write } from '../core.ts';
import { deleteObject } from '../delete.ts';
import { parseLabelSelector } from '../label-selector.ts';
import { badRequest } from '../refusals.ts';
import { childOf } from '../rules/kind-rules.ts';
import { selectorText } from './selector-text.ts';

const PODS = { group: '', version: 'v1', plural: 'pods' };
const BUDGETS = { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' };
const BUDGET_KEY = 'policy/poddisruptionbudgets';

/** Deletes a pod, when its disruption budget allows it. */
export function evictPod(core: Core, { target, body, options }: Write): void {
  const name = asString(at(body, 'metadata', 'name')) ?? '';
  if (name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
  const place: Target = { ...PODS, namespace: target.namespace, name };
  const pod = requireLive(core, core.kinds.require(PODS), place);
  const dryRun = options.dryRun ?? false;
  if (!hasEnded(pod)) useBudget(core, pod, dryRun);
  deleteObject(core, place, { ...deleteOptionsOf(body), dryRun });
}

function deleteOptionsOf(body: JsonMap): DeleteOptions {
  const options = childOf(body, 'deleteOptions');
  const grace = asNumber(options['gracePeriodSeconds']);
  const { uid, resourceVersion } = childOf(options, 'preconditions');
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    preconditions: {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    },
  };
}

function hasEnded({ metadata, status }: StoredObject): boolean {
  const phase = at(status, 'phase');
  return metadata.deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
}

function useBudget(core: Core, pod: StoredObject, dryRun: boolean): void {
  const budgets = core.store.all(BUDGET_KEY, pod.metadata.namespace).filter((budget) => covers(budget, pod));
  if (budgets.length > 1) {
    throw new StatusError(
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (budget === undefined || isUnhealthyAllowed(budget, pod)) return;
  const allowed = asNumber(at(budget, 'status', 'disruptionsAllowed')) ?? 0;
  if (allowed <= 0) throw tooManyDisruptions(budget);
  if (dryRun) return;
  const { name, namespace } = budget.metadata;
  const status = { ...childOf(budget, 'status'), disruptionsAllowed: allowed - 1 };
  const target: Target = { ...BUDGETS, name, namespace, subresource: 'status' };
  core.api.update(target, { ...budget, status }, { fieldManager: 'kube-apiserver' });
}

function covers(budget: StoredObject, { metadata }: StoredObject): boolean {
  const selector = at(budget, 'spec', 'selector');
  return isRecord(selector) && parseLabelSelector(selectorText(selector))(metadata.labels);
}

/** A pod that is not ready does not count for the budget. */
function isUnhealthyAllowed(budget: StoredObject, pod: StoredObject): boolean {
  const conditions = asArray(at(pod, 'status', 'conditions'));
  if (conditions.some((own) => at(own, 'type') === 'Ready' && at(own, 'status') === 'True')) return false;
  if (at(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const current = asNumber(at(budget, 'status', 'currentHealthy')) ?? 0;
  const desired = asNumber(at(budget, 'status', 'desiredHealthy')) ?? 0;
  return current >= desired && desired > 0;
}

function tooManyDisruptions(budget: StoredObject): StatusError {
  const { name } = budget.metadata;
  const needed = asNumber(at(budget, 'status', 'desiredHealthy')) ?? 0;
  const current = asNumber(at(budget, 'status', 'currentHealthy')) ?? 0;
  return new StatusError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${name} needs ${String(needed)} healthy pods and has ${String(current)} currently`,
      },
    ],
  });
}
