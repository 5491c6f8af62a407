import type { JsonMap } from '../../model/object.ts';
import { mapAt, mapsAt } from '../kit/read.ts';
import { parseQuantity } from '../kit/quantity.ts';

export type Amounts = ReadonlyMap<string, number>;

/** What a pod asks for, or may use at most: the sum of its containers, or its largest init container. */
export function podResources(pod: JsonMap, field: 'requests' | 'limits'): Amounts {
  const sum = new Map<string, number>();
  for (const container of mapsAt(pod, 'spec', 'containers')) {
    for (const [name, amount] of amountsOf(container, field)) sum.set(name, (sum.get(name) ?? 0) + amount);
  }
  for (const container of mapsAt(pod, 'spec', 'initContainers')) {
    for (const [name, amount] of amountsOf(container, field)) sum.set(name, Math.max(sum.get(name) ?? 0, amount));
  }
  return sum;
}

/** A limit without a request is the request, too. */
function amountsOf(container: JsonMap, field: 'requests' | 'limits'): readonly (readonly [string, number])[] {
  const limits = mapAt(container, 'resources', 'limits');
  const given = field === 'limits' ? limits : { ...limits, ...mapAt(container, 'resources', 'requests') };
  return Object.entries(given).map(([name, value]) => [name, parseQuantity(value)]);
}
