import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { expectCode, namespaceObject, type World } from './cluster-world.ts';
import { WatchRecorder } from './watch-recorder.ts';

export function discoveryCases(world: World): void {
  it.each([
    ['v1', 'ConfigMap', { plural: 'configmaps', namespaced: true }],
    ['v1', 'Namespace', { plural: 'namespaces', namespaced: false }],
    ['apps/v1', 'Deployment', { plural: 'deployments', namespaced: true }],
    ['networking.k8s.io/v1', 'Ingress', { plural: 'ingresses', namespaced: true }],
    ['v1', 'Nothing', undefined],
    ['nowhere.example.com/v1', 'Nothing', undefined],
  ])('knows where %s %s is served', async (apiVersion, kind, served) => {
    expect(await world.cluster.served(apiVersion, kind)).toEqual(served);
  });

  it('notices a kind whose CustomResourceDefinition comes later, reads, writes and watches it', async () => {
    const group = `g${randomUUID().slice(0, 8)}.kubepkg.test`;
    const apiVersion = `${group}/v1`;
    const widget = {
      apiVersion,
      kind: 'Widget',
      metadata: { name: 'w', namespace: world.namespace },
      spec: { size: 1 },
    };
    expect(await world.cluster.served(apiVersion, 'Widget')).toBeUndefined();
    const recorder = new WatchRecorder(world.cluster, { apiVersion, kind: 'Widget' });
    await recorder.until((events) => events.some((event) => event.type === 'disturbed'));
    await world.create(widgetDefinition(group));
    await recorder.synced();
    expect(await world.cluster.served(apiVersion, 'Widget')).toEqual({ plural: 'widgets', namespaced: true });
    await world.create(widget);
    expect(await recorder.saw('set', 'w')).toMatchObject({ apiVersion, kind: 'Widget', spec: { size: 1 } });
    recorder.stop();
    const first = recorder.events[0];
    expect(first?.type === 'disturbed' ? first.error.code : first?.type).toBe('KindNotServed');
  });
}

function widgetDefinition(group: string): KubeObject {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

export function namespaceCases(world: World): void {
  it('refuses to create in a namespace that is being deleted', async () => {
    const namespace = `closing-${randomUUID().slice(0, 8)}`;
    const inside = (name: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, finalizers: ['test.kubepkg.dev/hold'] },
    });
    await world.create(namespaceObject(namespace));
    await world.create(inside('holder'));
    await world.cluster.write({ verb: 'delete', ref: { apiVersion: 'v1', kind: 'Namespace', name: namespace } });
    await expectCode(world.create(inside('late')), 'NamespaceTerminating');
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'holder' };
    await world.cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { finalizers: null } } });
  });
}

export function authorizationCases(world: World): void {
  it('refuses what the user may not do, and names verb and resource', async () => {
    const { powerless } = world.harness;
    const read = powerless?.read(world.ref('secret-place'));
    await expect(read).rejects.toMatchObject({
      code: 'ApiForbidden',
      message: expect.stringMatching(/cannot get resource "configmaps"/) as string,
    });
    const list = powerless?.list({ apiVersion: 'v1', kind: 'Secret' });
    await expect(list).rejects.toMatchObject({
      code: 'ApiForbidden',
      message: expect.stringMatching(/cannot list resource "secrets"/) as string,
    });
  });

  it('tells a watcher that it may not watch, and goes on trying', async () => {
    const { powerless } = world.harness;
    if (powerless === undefined) throw new Error('the harness has no user without rights');
    const recorder = new WatchRecorder(powerless, world.configMaps());
    await recorder.until((events) => events.filter((event) => event.type === 'disturbed').length > 1);
    recorder.stop();
    expect(recorder.events.map((event) => (event.type === 'disturbed' ? event.error.code : event.type))).toEqual([
      'ApiForbidden',
      'ApiForbidden',
    ]);
  });
}

export function validationCases(world: World): void {
  it('refuses an invalid object, and names the field', async () => {
    const object = world.configMap('Not_A_Name');
    await expect(world.create(object)).rejects.toMatchObject({
      code: 'ApiInvalid',
      message: expect.stringMatching(/metadata\.name/) as string,
    });
  });

  it('never repeats a value of a Secret that it refuses', async () => {
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'wrong', namespace: world.namespace },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from('hunter2').toString('base64') },
    };
    await expect(world.create(object)).rejects.toMatchObject({
      code: 'ApiInvalid',
      message: expect.not.stringMatching(/hunter2|aHVudGVyMg/) as string,
    });
  });
}
