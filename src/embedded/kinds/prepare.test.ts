import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../model/object.ts';
import { builtInResources, defaultBuiltIn, keepBuiltIn, prepareBuiltIn } from './index.ts';

const resources = builtInResources();
const allotment = { uid: 'u', time: '2026-01-02T03:04:05Z', clusterIp: () => '10.0.0.9', nodePort: () => 30_009 };

function made(kind: string, spec: JsonMap, metadata: JsonMap = {}): JsonMap {
  const resource = resources.find((one) => one.kind === kind);
  if (resource === undefined) throw new Error(`${kind} is not served.`);
  const object = { apiVersion: 'v1', kind, metadata: { name: 'a', ...metadata }, spec };
  return prepareBuiltIn(resource, defaultBuiltIn(resource, object), allotment);
}

function changed(kind: string, spec: JsonMap, old: JsonMap): JsonMap {
  const resource = resources.find((one) => one.kind === kind);
  if (resource === undefined) throw new Error(`${kind} is not served.`);
  const object = defaultBuiltIn(resource, { apiVersion: 'v1', kind, metadata: { name: 'a' }, spec });
  return keepBuiltIn(resource, object, { old, allotment: { ...allotment, clusterIp: () => '10.0.0.10' } });
}

const PORTS = [{ port: 80 }, { name: 'b', port: 81 }];

describe('an update of a Service that does not say otherwise', () => {
  it('keeps its address and its ports on nodes', () => {
    const old = made('Service', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] });
    expect(changed('Service', { type: 'NodePort', ports: PORTS }, old)['spec']).toMatchObject({
      clusterIP: '10.0.0.9',
      clusterIPs: ['10.0.0.9'],
      ports: [
        { port: 80, nodePort: 30_001 },
        { port: 81, nodePort: 30_009 },
      ],
    });
  });

  it('gets an address when it had none, and loses it with its type', () => {
    const external = made('Service', { type: 'ExternalName', externalName: 'example.org' });
    expect(changed('Service', { ports: PORTS }, external)['spec']).toMatchObject({ clusterIP: '10.0.0.10' });
    const old = made('Service', { ports: PORTS });
    const next = changed('Service', { type: 'ExternalName', externalName: 'example.org' }, old);
    expect(next['spec']).not.toHaveProperty('clusterIP');
  });
});

describe('a Service that is no longer on nodes', () => {
  it('loses the ports and the policy that it had there', () => {
    const old = made('Service', { type: 'NodePort', ports: [{ port: 80 }] });
    const spec = { type: 'ClusterIP', externalTrafficPolicy: 'Cluster', ports: [{ port: 80, nodePort: 30_009 }] };
    const next = changed('Service', spec, old)['spec'];
    expect(next).toMatchObject({ clusterIP: '10.0.0.9', ports: [{ port: 80 }] });
    expect(next).not.toHaveProperty('externalTrafficPolicy');
    expect(next).not.toHaveProperty('ports.0.nodePort');
  });
});

describe('a DaemonSet', () => {
  const template = (image: string) => ({ metadata: {}, spec: { containers: [{ name: 'a', image }] } });
  const generationOf = ({ metadata }: JsonMap) => (metadata as { annotations: JsonMap }).annotations;

  it('counts the changes of its template', () => {
    const old = made('DaemonSet', { template: template('a:1') });
    const key = 'deprecated.daemonset.template.generation';
    expect(generationOf(old)).toEqual({ [key]: '1' });
    expect(generationOf(changed('DaemonSet', { template: template('a:1') }, old))).toEqual({ [key]: '1' });
    expect(generationOf(changed('DaemonSet', { template: template('a:2') }, old))).toEqual({ [key]: '2' });
  });
});

describe('the quality of a pod', () => {
  const container = (resources: JsonMap) => ({ name: 'a', image: 'a', resources });
  const amounts = { cpu: '1', memory: '1Gi' };

  it.each([
    ['BestEffort', [{}]],
    ['Guaranteed', [{ limits: amounts }, { limits: amounts, requests: amounts }]],
    ['Burstable', [{ limits: amounts }, {}]],
    ['Burstable', [{ requests: amounts }]],
    ['Burstable', [{ limits: { cpu: '1' } }]],
  ])('is %s with %j', (quality, resourcesOfAll) => {
    const pod = made('Pod', { containers: resourcesOfAll.map(container) });
    expect(pod['status']).toEqual({ phase: 'Pending', qosClass: quality });
  });
});

describe('a pod', () => {
  it('is told of Services in its environment, unless it says otherwise', () => {
    const containers = [{ name: 'a', image: 'a' }];
    expect(made('Pod', { containers })['spec']).toMatchObject({ enableServiceLinks: true });
    expect(made('Pod', { containers, enableServiceLinks: false })['spec']).toMatchObject({ enableServiceLinks: false });
  });
});

describe('a claim', () => {
  it('has its source by both names', () => {
    const ref = { apiGroup: 'example.org', kind: 'Populator', name: 'p' };
    expect(made('PersistentVolumeClaim', { dataSourceRef: ref })['spec']).toMatchObject({ dataSource: ref });
  });
});
