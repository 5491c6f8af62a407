import type { JsonMap, StoredObject } from '../../model/object.ts';
import { isPodFinished } from '../kit/pod-state.ts';
import { parseQuantity } from '../kit/quantity.ts';
import { mapAt, mapsAt, textAt } from '../kit/read.ts';
import { podResources } from '../pods/resources.ts';

/** What one object takes of a quota, by the names that quotas use. */
export function usageOf(
  kind: { readonly group: string; readonly plural: string },
  object: JsonMap,
): ReadonlyMap<string, number> {
  const usage = new Map<string, number>([[countName(kind), 1]]);
  if (kind.group !== '') return usage;
  if (SHORT_NAMES.has(kind.plural)) usage.set(kind.plural, 1);
  if (kind.plural === 'pods') addPod(usage, object);
  if (kind.plural === 'services') addService(usage, object);
  if (kind.plural === 'persistentvolumeclaims') {
    usage.set('requests.storage', parseQuantity(mapAt(object, 'spec', 'resources', 'requests').storage));
  }
  return usage;
}

const SHORT_NAMES: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
]);

function countName({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

function addPod(usage: Map<string, number>, pod: JsonMap): void {
  for (const [name, amount] of podResources(pod, 'requests')) {
    usage.set(`requests.${name}`, amount);
    usage.set(name, amount);
  }
  for (const [name, amount] of podResources(pod, 'limits')) usage.set(`limits.${name}`, amount);
}

function addService(usage: Map<string, number>, service: JsonMap): void {
  const type = textAt(service, 'spec', 'type');
  const ports = mapsAt(service, 'spec', 'ports').length;
  if (type === 'LoadBalancer') usage.set('services.loadbalancers', 1);
  if (type === 'LoadBalancer' || type === 'NodePort') usage.set('services.nodeports', ports);
}

/** Pods that have ended take nothing. */
export function counts(object: StoredObject): boolean {
  return object.kind !== 'Pod' || !isPodFinished(object);
}

/** Which containers do not say what the quota limits. */
export function unspecified(pod: JsonMap, hard: readonly string[]): readonly string[] {
  const names = hard.filter((name) => /^(requests\.|limits\.)?(cpu|memory)$/.test(name));
  return names.sort().flatMap((name) => {
    const field = name.startsWith('limits.') ? 'limits' : 'requests';
    const resource = name.slice(name.indexOf('.') + 1);
    const lacking = mapsAt(pod, 'spec', 'containers').filter((container) => {
      const limits = mapAt(container, 'resources', 'limits');
      const requests = mapAt(container, 'resources', 'requests');
      return (field === 'limits' ? limits : { ...limits, ...requests })[resource] === undefined;
    });
    return lacking.length === 0 ? [] : [`${name} for: ${lacking.map((each) => textAt(each, 'name')).join(',')}`];
  });
}

/** As Kubernetes writes an amount of that kind. */
export function amountText(name: string, amount: number): string {
  if (name.endsWith('cpu') && !Number.isInteger(amount)) return `${String(Math.round(amount * 1000))}m`;
  for (const [unit, size] of [
    ['Gi', 2 ** 30],
    ['Mi', 2 ** 20],
    ['Ki', 2 ** 10],
  ] as const) {
    if (/memory|storage/.test(name) && amount > 0 && amount % size === 0) return `${String(amount / size)}${unit}`;
  }
  return String(amount);
}
