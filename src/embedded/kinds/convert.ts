import { asArray, at, isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { METRICS_ANNOTATION } from './defaults-scaling.ts';

/** The same built-in object as another version of its kind has it. */
export function convertBuiltIn(object: JsonMap, to: Resource): JsonMap {
  const apiVersion = to.group === '' ? to.version : `${to.group}/${to.version}`;
  if (object['apiVersion'] === apiVersion) return object;
  const convert = CONVERSIONS[`${String(object['apiVersion'])} ${apiVersion} ${to.kind}`];
  return { ...(convert?.(object) ?? object), apiVersion };
}

const CONVERSIONS: Readonly<Record<string, (object: JsonMap) => JsonMap>> = {
  'v1 events.k8s.io/v1 Event': (event) => renamed(event, EVENT_NAMES),
  'events.k8s.io/v1 v1 Event': (event) => renamed(event, CORE_EVENT_NAMES),
  'autoscaling/v1 autoscaling/v2 HorizontalPodAutoscaler': scalerWithMetrics,
  'autoscaling/v2 autoscaling/v1 HorizontalPodAutoscaler': toPercentage,
};

const EVENT_NAMES: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};

const CORE_EVENT_NAMES = Object.fromEntries(Object.entries(EVENT_NAMES).map(([core, own]) => [own, core]));

/** Of these, each version leaves out or writes the empty ones in its own way. */
function renamed(event: JsonMap, names: Readonly<Record<string, string>>): JsonMap {
  const fields = Object.entries(event).map(([name, value]) => [names[name] ?? name, value] as const);
  const isCore = names === CORE_EVENT_NAMES;
  const all: JsonMap = Object.fromEntries(fields);
  if (!isCore) {
    const { reportingController, reportingInstance, ...rest } = all;
    return {
      ...rest,
      ...(reportingController === '' ? {} : { reportingController }),
      ...(reportingInstance === '' ? {} : { reportingInstance }),
    };
  }
  return { reportingComponent: '', reportingInstance: '', ...all };
}

/** As autoscaling/v2 has it. */
export function scalerWithMetrics(scaler: JsonMap): JsonMap {
  const { targetCPUUtilizationPercentage: percent, ...spec } = mapOf(scaler['spec']);
  const { annotations, ...metadata } = mapOf(scaler['metadata']);
  const { [METRICS_ANNOTATION]: kept, ...others } = mapOf(annotations);
  const { currentCPUUtilizationPercentage: current, currentReplicas, ...status } = mapOf(scaler['status']);
  const target = { type: 'Utilization', averageUtilization: percent };
  const cpu = percent === undefined ? [] : [{ type: 'Resource', resource: { name: 'cpu', target } }];
  const measured = { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } };
  return {
    ...scaler,
    metadata: { ...metadata, ...(Object.keys(others).length === 0 ? {} : { annotations: others }) },
    spec: { ...spec, metrics: [...metricsIn(kept), ...cpu] },
    status: {
      ...status,
      ...(currentReplicas === 0 || currentReplicas === undefined ? {} : { currentReplicas }),
      currentMetrics: current === undefined ? null : [measured],
    },
  };
}

/** The annotation is written by `toPercentage` alone, or by people; what cannot be read is nothing. */
function metricsIn(annotation: unknown): readonly unknown[] {
  if (typeof annotation !== 'string') return [];
  try {
    return asArray(JSON.parse(annotation)).map(newMetric);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function toPercentage(scaler: JsonMap): JsonMap {
  const { metrics, behavior: _behavior, ...spec } = mapOf(scaler['spec']);
  const { conditions: _conditions, currentMetrics, ...status } = mapOf(scaler['status']);
  const isCpu = (metric: unknown): boolean => percentOf(metric, 'target') !== undefined;
  const cpu = asArray(metrics).find(isCpu);
  const others = asArray(metrics).filter((metric) => metric !== cpu);
  const measured = asArray(currentMetrics)
    .map((metric) => percentOf(metric, 'current'))
    .find((one) => one !== undefined);
  const metadata = mapOf(scaler['metadata']);
  const annotations = {
    ...mapOf(metadata['annotations']),
    [METRICS_ANNOTATION]: JSON.stringify(others.map(oldMetric)),
  };
  return {
    ...scaler,
    metadata: others.length === 0 ? metadata : { ...metadata, annotations },
    spec: { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: percentOf(cpu, 'target') }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(measured === undefined ? {} : { currentCPUUtilizationPercentage: measured }),
    },
  };
}

/** Metrics of the annotation, which still has the fields that they had at first. */
function newMetric(metric: unknown): JsonMap {
  const type = textAt(metric, 'type');
  const field = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const old = mapOf(at(metric, field));
  const { metricName, metricSelector, selector = metricSelector, targetValue, target, averageValue } = old;
  const { targetAverageValue = averageValue, targetAverageUtilization, ...rest } = old;
  const wanted = withoutAbsent({
    type: targetAverageUtilization !== undefined ? 'Utilization' : targetValue === undefined ? 'AverageValue' : 'Value',
    value: targetValue,
    averageValue: targetAverageValue,
    averageUtilization: targetAverageUtilization,
  });
  const measured =
    metricName === undefined
      ? rest
      : withoutAbsent({ describedObject: target, metric: withoutAbsent({ name: metricName, selector }) });
  return { type, [field]: { ...measured, target: wanted } };
}

function oldMetric(metric: unknown): JsonMap {
  const type = textAt(metric, 'type');
  const field = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const { metric: named, target, describedObject, ...rest } = mapOf(at(metric, field));
  const { name, selector } = mapOf(named);
  const { value, averageValue, averageUtilization } = mapOf(target);
  const old = withoutAbsent({
    ...rest,
    target: describedObject,
    metricName: name,
    [type === 'External' ? 'metricSelector' : 'selector']: selector,
    targetValue: value,
    [type === 'Object' ? 'averageValue' : 'targetAverageValue']: averageValue,
    targetAverageUtilization: averageUtilization,
  });
  return { type, [field]: old };
}

function withoutAbsent(map: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));
}

function textAt(value: unknown, name: string): string {
  const text = at(value, name);
  return typeof text === 'string' ? text : '';
}

function percentOf(metric: unknown, place: 'target' | 'current'): unknown {
  const resource = at(metric, 'resource');
  return at(resource, 'name') === 'cpu' ? at(resource, place, 'averageUtilization') : undefined;
}

function mapOf(value: unknown): JsonMap {
  return isRecord(value) ? value : {};
}
