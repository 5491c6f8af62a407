import { asArray } from '../../../lib/json.ts';
import { forbidden, invalidValue, notSupported, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { atLeast, type Causes, each, mapAt, need, oneOf, textOf } from './kit.ts';
import { validateSelector } from './selectors.ts';
import { countProblems, overHundred } from './workloads.ts';

const METRICS: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

/** Of a HorizontalPodAutoscaler as autoscaling/v2 has it. */
export function validateAutoscaler(spec: JsonMap): Causes {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics } = spec;
  const max = typeof maxReplicas === 'number' ? maxReplicas : 0;
  const isBelow = typeof minReplicas === 'number' && max < minReplicas;
  return [
    ...(minReplicas === 0 ? [] : atLeast(minReplicas, 'spec.minReplicas', 1)),
    ...(max < 1 ? [required('spec.maxReplicas', 'must be set and greater than 0')] : []),
    ...(isBelow ? [invalidValue('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')] : []),
    ...targetProblems(mapAt(scaleTargetRef), 'spec.scaleTargetRef'),
    ...each(metrics, 'spec.metrics', metricProblems),
    ...zeroProblems(minReplicas, metrics),
  ];
}

/** Nothing that runs can be measured at zero. */
function zeroProblems(minReplicas: unknown, metrics: unknown): Causes {
  if (minReplicas !== 0) return [];
  const measurable = asArray(metrics).some((metric) => ['Object', 'External'].includes(textOf(mapAt(metric)['type'])));
  if (measurable) return [];
  return [
    ...atLeast(0, 'spec.minReplicas', 1),
    forbidden(
      'spec.metrics',
      'must specify at least one Object or External metric to support scaling to zero replicas',
    ),
  ];
}

function targetProblems({ kind, name, apiVersion }: JsonMap, path: string): Causes {
  const group = textOf(apiVersion).includes('/');
  const isCore = kind === 'ReplicationController' && apiVersion === 'v1';
  return [
    ...need(kind, `${path}.kind`),
    ...need(name, `${path}.name`),
    ...(group || isCore
      ? []
      : [invalidValue(`${path}.apiVersion`, textOf(apiVersion), 'apiVersion must specify API group')]),
  ];
}

function metricProblems(metric: JsonMap, path: string): Causes {
  const type = textOf(metric['type']);
  if (type === '') return [required(`${path}.type`, 'must specify a metric source type')];
  const source = METRICS[type];
  if (source === undefined) {
    const unknown = notSupported(`${path}.type`, type, Object.keys(METRICS));
    return [unknown, unknown];
  }
  if (metric[source] === undefined) {
    return [required(`${path}.${source}`, 'must populate information for the given metric source')];
  }
  return type === 'Resource' ? resourceTarget(mapAt(mapAt(metric, source), 'target'), `${path}.${source}.target`) : [];
}

function resourceTarget({ averageUtilization, averageValue }: JsonMap, path: string): Causes {
  const place = `${path}.averageUtilization`;
  if (averageUtilization === undefined && averageValue === undefined) {
    return [required(place, 'must set either a target raw value or a target utilization')];
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    return [forbidden(`${path}.averageValue`, 'may not set both a target raw value and a target utilization')];
  }
  return typeof averageUtilization === 'number' && averageUtilization < 1
    ? [invalidValue(place, averageUtilization, 'must be greater than 0')]
    : [];
}

export function validateBudget(spec: JsonMap): Causes {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const shown = {
    MinAvailable: minAvailable ?? null,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: policy ?? null,
  };
  const both = minAvailable !== undefined && maxUnavailable !== undefined;
  return [
    ...(both ? [invalidValue('spec', shown, 'minAvailable and maxUnavailable cannot be both set')] : []),
    ...countProblems(minAvailable, 'spec.minAvailable'),
    ...overHundred(minAvailable, 'spec.minAvailable'),
    ...countProblems(maxUnavailable, 'spec.maxUnavailable'),
    ...overHundred(maxUnavailable, 'spec.maxUnavailable'),
    ...validateSelector(selector, 'spec.selector'),
    ...oneOf(policy, 'spec.unhealthyPodEvictionPolicy', ['AlwaysAllow', 'IfHealthyBudget']),
  ];
}
