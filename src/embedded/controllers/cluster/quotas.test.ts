import { describe, expect, it } from 'vitest';
import { aDeployment, aJob } from '../../../../test/build/embedded-workloads.ts';
import { embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { JsonMap } from '../../model/object.ts';

function quota(hard: Readonly<Record<string, string>>): JsonMap {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'small', namespace: 'default' }, spec: { hard } };
}

function pod(resources: JsonMap): JsonMap {
  return { containers: [{ name: 'web', image: 'web:1', resources }] };
}

describe('a ResourceQuota', () => {
  it.each([
    [{ pods: '1' }, {}, 'exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1'],
    [
      { 'count/pods': '1' },
      {},
      'exceeded quota: small, requested: count/pods=1, used: count/pods=1, limited: count/pods=1',
    ],
    [
      { 'requests.cpu': '1' },
      { requests: { cpu: '600m' } },
      'exceeded quota: small, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    ],
    [
      { 'limits.memory': '1Gi' },
      { limits: { memory: '768Mi' } },
      'exceeded quota: small, requested: limits.memory=768Mi, used: limits.memory=768Mi, limited: limits.memory=1Gi',
    ],
  ])('%j refuses the second pod with %j', async (hard, resources, message) => {
    const scene = embeddedScene();
    scene.put(quota(hard));
    scene.put(aDeployment({ pod: pod(resources), spec: { replicas: 2 } }));
    await scene.clock.advance(5000);
    expect(scene.list('Pod')).toHaveLength(1);
    const [set] = scene.list('ReplicaSet');
    expect(scene.events(set?.metadata.name ?? '').some((event) => event.includes(` is forbidden: ${message}`))).toBe(
      true,
    );
  });

  it('refuses a pod that does not say what is limited', async () => {
    const scene = embeddedScene();
    scene.put(quota({ 'limits.cpu': '1', 'requests.memory': '1Gi' }));
    scene.put(aDeployment());
    await scene.clock.advance(1000);
    const [set] = scene.list('ReplicaSet');
    expect(scene.events(set?.metadata.name ?? '')[0]).toMatch(
      /is forbidden: failed quota: small: must specify limits\.cpu for: web; requests\.memory for: web$/,
    );
  });

  it('tells how much is used, and has room again when a pod has ended', async () => {
    const scene = embeddedScene();
    scene.put(quota({ pods: '1', services: '5' }));
    scene.put(aJob({ name: 'one' }));
    scene.put(aJob({ name: 'two' }));
    await scene.clock.advance(500);
    expect(scene.get('ResourceQuota', 'small').status).toEqual({
      hard: { pods: '1', services: '5' },
      used: { pods: '1', services: '0' },
    });
    await scene.clock.advance(60_000);
    expect(scene.list('Job').map(({ status }) => (status as JsonMap).succeeded)).toEqual([1, 1]);
    expect(scene.get('ResourceQuota', 'small').status).toMatchObject({ used: { pods: '0' } });
  });

  it.each([
    [{ 'count/configmaps': '3' }, 'configmaps "c" is forbidden: exceeded quota: small, requested: count/configmaps=1'],
    [{ configmaps: '3' }, 'configmaps "c" is forbidden: exceeded quota: small, requested: configmaps=1'],
  ])('%j counts objects', async (hard, message) => {
    const scene = embeddedScene();
    const create = (name: string) =>
      scene.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
    await scene.clock.advance(100);
    scene.put(quota(hard));
    create('a');
    create('b');
    expect(() => create('c')).toThrow(message);
  });

  it('counts kinds of all groups', () => {
    const scene = embeddedScene();
    scene.put(quota({ 'count/deployments.apps': '0' }));
    expect(() => scene.put(aDeployment())).toThrow(
      'deployments.apps "web" is forbidden: exceeded quota: small, requested: count/deployments.apps=1',
    );
  });

  it('of the scenario holds pods back for a while', async () => {
    const scene = embeddedScene(
      'apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: a}\nworkloads: [{match: {kind: Deployment, name: web}, behaviour: quota, until: 30s}]',
    );
    scene.put(aDeployment());
    await scene.clock.advance(20_000);
    expect(scene.list('Pod')).toEqual([]);
    const [set] = scene.list('ReplicaSet');
    expect(scene.events(set?.metadata.name ?? '')[0]).toMatch(
      /^FailedCreate: Error creating: pods "web-.*" is forbidden: exceeded quota: rehearse,/,
    );
    await scene.clock.advance(60_000);
    expect(scene.get('Deployment', 'web').status).toMatchObject({ availableReplicas: 1 });
  });
});
