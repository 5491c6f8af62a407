import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';

/** What the API server and its admission plugins give a pod: a priority, tolerations and its quality. */
export function preparePod(object: JsonMap): JsonMap {
  const spec = isRecord(object['spec']) ? object['spec'] : {};
  return {
    ...object,
    spec: {
      preemptionPolicy: 'PreemptLowerPriority',
      priority: 0,
      ...spec,
      tolerations: withTolerations(asArray(spec['tolerations'])),
    },
    status: { phase: 'Pending', qosClass: qualityOf(spec) },
  };
}

const FIVE_MINUTES = 300;

function withTolerations(tolerations: readonly unknown[]): readonly unknown[] {
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter((key) => {
    return !tolerations.some((toleration) => toleratesLoss(toleration, key));
  });
  return [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: FIVE_MINUTES })),
  ];
}

function toleratesLoss(toleration: unknown, key: string): boolean {
  const [own, effect] = [asString(at(toleration, 'key')) ?? '', asString(at(toleration, 'effect')) ?? ''];
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '');
}

/** Of cpu and memory alone: Guaranteed when all containers have limits and request as much. */
function qualityOf(spec: JsonMap): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...asArray(spec['containers']), ...asArray(spec['initContainers'])];
  const all = containers.map((container) => at(container, 'resources'));
  const amounts = all.flatMap((resources) => [amountsOf(resources, 'limits'), amountsOf(resources, 'requests')]);
  if (amounts.every((amount) => Object.keys(amount).length === 0)) return 'BestEffort';
  return all.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

function isGuaranteed(resources: unknown): boolean {
  const limits = amountsOf(resources, 'limits');
  const requests = amountsOf(resources, 'requests');
  return ['cpu', 'memory'].every(
    (name) => limits[name] !== undefined && limits[name] === (requests[name] ?? limits[name]),
  );
}

function amountsOf(resources: unknown, which: 'limits' | 'requests'): Readonly<Record<string, unknown>> {
  const amounts = at(resources, which);
  const entries = Object.entries(isRecord(amounts) ? amounts : {});
  return Object.fromEntries(entries.filter(([name, amount]) => ['cpu', 'memory'].includes(name) && amount !== '0'));
}
