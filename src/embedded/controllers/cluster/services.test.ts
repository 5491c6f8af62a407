import { describe, expect, it } from 'vitest';
import { aDeployment, behaviour } from '../../../../test/build/embedded-workloads.ts';
import { embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import { at } from '../../../lib/json.ts';
import type { JsonMap } from '../../model/object.ts';
import { mapsAt, textAt, textsAt } from '../kit/read.ts';

function service(spec: JsonMap = {}): JsonMap {
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { app: 'web' }, ports, ...spec },
  };
}

const pod = { containers: [{ name: 'web', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] }] };
const NEVER =
  'apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: a}\nloadBalancers: {readyAfter: never}';

describe('a Service', () => {
  it('knows where its ready pods are', async () => {
    const scene = embeddedScene();
    scene.put(service());
    scene.put(aDeployment({ pod, spec: { replicas: 2 } }));
    await scene.clock.advance(500);
    expect(mapsAt(scene.get('Endpoints', 'web'), 'subsets')).toMatchObject([{ notReadyAddresses: [{}, {}] }]);
    await scene.clock.advance(3000);
    const ips = scene
      .list('Pod')
      .map((each) => textAt(each, 'status', 'podIP'))
      .toSorted();
    const [subset] = mapsAt(scene.get('Endpoints', 'web'), 'subsets');
    const addresses = mapsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
    expect(addresses.toSorted()).toEqual(ips);
    expect(mapsAt(subset, 'ports')).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }]);
    const [slice] = scene.list('EndpointSlice', 'default').filter(({ metadata }) => metadata.generateName === 'web-');
    const endpoints = mapsAt(slice, 'endpoints').map((each) => [...textsAt(each, 'addresses'), each.conditions]);
    expect(endpoints.toSorted()).toEqual(ips.map((ip) => [ip, { ready: true, serving: true, terminating: false }]));
  });

  it('forgets pods that turn unready or go, and its endpoints when it goes itself', async () => {
    const scene = embeddedScene();
    scene.put(service());
    scene.put(aDeployment({ pod, podAnnotations: behaviour({ behaviour: 'never-ready', after: '10s' }) }));
    await scene.clock.advance(5000);
    expect(mapsAt(scene.get('Endpoints', 'web'), 'subsets')).toMatchObject([{ addresses: [{}] }]);
    await scene.clock.advance(10_000);
    expect(mapsAt(scene.get('Endpoints', 'web'), 'subsets')).toMatchObject([{ notReadyAddresses: [{}] }]);
    scene.remove('Deployment', 'web', { propagationPolicy: 'Background' });
    await scene.clock.advance(3000);
    expect(mapsAt(scene.get('Endpoints', 'web'), 'subsets')).toEqual([]);
    scene.remove('Service', 'web');
    await scene.clock.advance(100);
    expect([
      scene.find('Endpoints', 'web'),
      scene.list('EndpointSlice').filter(({ metadata }) => metadata.generateName === 'web-'),
    ]).toEqual([undefined, []]);
  });

  it.each([
    ['gets an address after a while', undefined, 1],
    ['F44 never gets one where the scenario says so', NEVER, 0],
  ])('of type LoadBalancer %s', async (_case, scenario, count) => {
    const scene = embeddedScene(scenario);
    scene.put(service({ type: 'LoadBalancer' }));
    await scene.clock.advance(500);
    expect(at(scene.get('Service', 'web'), 'status', 'loadBalancer', 'ingress')).toBeUndefined();
    await scene.clock.advance(60_000);
    expect(mapsAt(scene.get('Service', 'web'), 'status', 'loadBalancer', 'ingress')).toHaveLength(count);
  });

  it('without a selector is left to whoever made it', async () => {
    const scene = embeddedScene();
    scene.put(service({ selector: undefined }));
    await scene.clock.advance(1000);
    expect(scene.find('Endpoints', 'web')).toBeUndefined();
  });
});
