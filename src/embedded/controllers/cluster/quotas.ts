import type { Admission } from '../../model/api.ts';
import type { StoredObject } from '../../model/object.ts';
import { StatusError } from '../../model/status-error.ts';
import { behaviourAt } from '../../scenario/pod-plan.ts';
import type { Judge } from '../hooks.ts';
import { changesOf, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand } from '../kit/hand.ts';
import type { Informers } from '../kit/informers.ts';
import { CONFIG_MAPS, type Kind, PERSISTENT_VOLUME_CLAIMS, PODS, RESOURCE_QUOTAS, SERVICES } from '../kit/kinds.ts';
import { parseQuantity } from '../kit/quantity.ts';
import { controllerOf, keyOf, mapAt } from '../kit/read.ts';
import type { PodPlans } from '../pods/pod-plans.ts';
import { amountText, counts, unspecified, usageOf } from './quota-usage.ts';

const COMPONENT = 'resourcequota-controller';
const COUNTED: readonly Kind[] = [PODS, SERVICES, CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS];

/** Writes into each ResourceQuota how much of it is used. */
export function quotaController({ api, informers }: Surroundings): Controller {
  const hand = createHand(api, 'kube-controller-manager');
  const quotas = informers.of(RESOURCE_QUOTAS);
  return {
    name: COMPONENT,
    sources: [
      changesOf(RESOURCE_QUOTAS),
      ...COUNTED.map((kind) => ({
        kind,
        keys: ({ object }: { readonly object: StoredObject }) =>
          quotas.inNamespace(object.metadata.namespace ?? '').map(keyOf),
      })),
    ],
    reconcile(key) {
      const quota = lookUp(quotas, key);
      if (quota === undefined) return undefined;
      const hard = mapAt(quota, 'spec', 'hard');
      const total = usedIn(informers, quota.metadata.namespace ?? '');
      const used = Object.fromEntries(Object.keys(hard).map((name) => [name, amountText(name, total.get(name) ?? 0)]));
      hand.writeStatus(RESOURCE_QUOTAS, quota, { hard, used });
      return undefined;
    },
  };
}

function usedIn(informers: Informers, namespace: string): ReadonlyMap<string, number> {
  const total = new Map<string, number>();
  for (const kind of COUNTED) {
    for (const object of informers.of(kind).inNamespace(namespace).filter(counts)) {
      for (const [name, amount] of usageOf(kind, object)) total.set(name, (total.get(name) ?? 0) + amount);
    }
  }
  return total;
}

/** Refuses what a ResourceQuota has no room for, and the pods that the scenario wants refused like that. */
export function quotaJudge({ informers, clock }: Surroundings, plans: PodPlans): Judge {
  const firstRefusals = new Map<string, number>();
  return (request) => {
    const { operation, resource, target, object } = request;
    if (operation !== 'CREATE' || object === undefined || target.subresource !== undefined) return;
    const isPod = resource.group === '' && resource.plural === PODS.plural;
    if (isPod) refuseByScenario(object as StoredObject);
    for (const quota of informers.of(RESOURCE_QUOTAS).inNamespace(target.namespace ?? '')) {
      const problem = excess(quota, request, usedIn(informers, target.namespace ?? ''));
      if (problem !== undefined) throw refusal(request, problem);
    }

    function refuseByScenario(pod: StoredObject): void {
      const plan = plans.foresee(pod);
      const owner = controllerOf(pod)?.uid ?? pod.metadata.name;
      if (plan.behaviour !== 'quota') return;
      const first = firstRefusals.get(owner) ?? clock.now();
      firstRefusals.set(owner, first);
      if (behaviourAt(plan, clock.now() - first) !== 'quota') return;
      const problem = plan.message ?? 'exceeded quota: rehearse, requested: pods=1, used: pods=1, limited: pods=1';
      throw refusal(request, problem);
    }
  };
}

/** What is asked for that there is no room for, in the words of the API server. */
function excess(
  quota: StoredObject,
  { resource, object = {} }: Admission,
  used: ReadonlyMap<string, number>,
): string | undefined {
  const hard = mapAt(quota, 'spec', 'hard');
  const { name } = quota.metadata;
  if (resource.group === '' && resource.plural === PODS.plural) {
    const lacking = unspecified(object, Object.keys(hard));
    if (lacking.length > 0) return `failed quota: ${name}: must specify ${lacking.join('; ')}`;
  }
  const asked = [...usageOf(resource, object)].filter(
    ([each, amount]) => hard[each] !== undefined && (used.get(each) ?? 0) + amount > parseQuantity(hard[each]),
  );
  if (asked.length === 0) return undefined;
  asked.sort(([a], [b]) => (a < b ? -1 : 1));
  const list = (text: (each: string, amount: number) => string): string =>
    asked.map(([each, amount]) => `${each}=${text(each, amount)}`).join(',');
  const requested = list((each, amount) => amountText(each, amount));
  const taken = list((each) => amountText(each, used.get(each) ?? 0));
  const limited = list((each) => String(hard[each]));
  return `exceeded quota: ${name}, requested: ${requested}, used: ${taken}, limited: ${limited}`;
}

function refusal({ resource, object = {} }: Admission, problem: string): StatusError {
  const { name = '' } = object.metadata as { readonly name?: string };
  const subject = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  const details = { name, kind: resource.plural, ...(resource.group === '' ? {} : { group: resource.group }) };
  return new StatusError('Forbidden', `${subject} "${name}" is forbidden: ${problem}`, details);
}
