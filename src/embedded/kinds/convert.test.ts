import { describe, expect, it } from 'vitest';
import type { Resource } from '../model/resource.ts';
import { builtInResources, convertBuiltIn, defaultBuiltIn, storedAs } from './index.ts';

const resources = builtInResources();

function resource(group: string, version: string, plural: string): Resource {
  const found = resources.find((one) => one.group === group && one.version === version && one.plural === plural);
  if (found === undefined) throw new Error(`${plural} is not served.`);
  return found;
}

describe('an object of a kind with several versions', () => {
  it('is kept once, whatever version it is written in', () => {
    expect(storedAs(resource('autoscaling', 'v1', 'horizontalpodautoscalers'))).toMatchObject({ version: 'v2' });
    expect(storedAs(resource('events.k8s.io', 'v1', 'events'))).toEqual({ group: '', version: 'v1', plural: 'events' });
    expect(storedAs(resource('apps', 'v1', 'deployments'))).toMatchObject({ group: 'apps', version: 'v1' });
  });

  it('has metrics in autoscaling/v2 and annotations in autoscaling/v1', () => {
    const [v1, v2] = ['v1', 'v2'].map((version) => resource('autoscaling', version, 'horizontalpodautoscalers'));
    if (v1 === undefined || v2 === undefined) throw new Error('A version is missing.');
    const metric = (type: string, field: string, source: object) => ({ type, [field]: source });
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const scaler = defaultBuiltIn(v2, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a' },
      spec: {
        scaleTargetRef: target,
        maxReplicas: 3,
        metrics: [
          metric('Pods', 'pods', { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '1' } }),
          metric('External', 'external', {
            metric: { name: 'queue', selector: { matchLabels: { a: 'b' } } },
            target: { type: 'Value', value: '10' },
          }),
          metric('Resource', 'resource', { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } }),
        ],
      },
    });
    const older = convertBuiltIn(scaler, v1);
    expect(older).toMatchObject({
      apiVersion: 'autoscaling/v1',
      metadata: {
        annotations: {
          'autoscaling.alpha.kubernetes.io/metrics':
            '[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"1"}},{"type":"External","external":{"metricName":"queue","metricSelector":{"matchLabels":{"a":"b"}},"targetValue":"10"}}]',
        },
      },
      spec: { targetCPUUtilizationPercentage: 50 },
    });
    const again = defaultBuiltIn(v2, convertBuiltIn(older, v2));
    expect(again).toEqual(scaler);
  });

  it('has other names for its fields as an Event of events.k8s.io', () => {
    const core = resource('', 'v1', 'events');
    const own = resource('events.k8s.io', 'v1', 'events');
    const event = defaultBuiltIn(core, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'a', namespace: 'b' },
      involvedObject: { kind: 'Pod', name: 'p' },
      message: 'It started.',
      count: 2,
      firstTimestamp: '2026-01-02T03:04:05Z',
      source: { component: 'test' },
    });
    const other = convertBuiltIn(event, own);
    expect(defaultBuiltIn(own, other)).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'Pod', name: 'p' },
      note: 'It started.',
      deprecatedCount: 2,
      deprecatedSource: { component: 'test' },
    });
    expect(defaultBuiltIn(core, convertBuiltIn(other, core))).toEqual(event);
  });
});
