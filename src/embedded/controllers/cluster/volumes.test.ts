import { describe, expect, it } from 'vitest';
import { aDeployment } from '../../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { JsonMap } from '../../model/object.ts';
import { textAt } from '../kit/read.ts';

function claim(spec: JsonMap = {}): JsonMap {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  };
}

function lazyClass(scene: EmbeddedScene): void {
  scene.put({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'lazy' },
    provisioner: 'example.org/disks',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
}

const pod = {
  containers: [{ name: 'web', image: 'web:1' }],
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
};
const phase = (scene: EmbeddedScene): string => textAt(scene.get('PersistentVolumeClaim', 'data'), 'status', 'phase');
const scenario = (boundAfter: string): string =>
  `apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: a}\nclaims: [{match: {name: "da*"}, boundAfter: ${boundAfter}}]`;

describe('a PersistentVolumeClaim', () => {
  it('is bound to a volume of its own, which goes with it', async () => {
    const scene = embeddedScene();
    scene.put(claim());
    await scene.clock.advance(100);
    const { uid } = scene.get('PersistentVolumeClaim', 'data').metadata;
    expect(scene.get('PersistentVolumeClaim', 'data')).toMatchObject({
      spec: { volumeName: `pvc-${uid}`, storageClassName: 'standard' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    });
    expect(textAt(scene.get('PersistentVolume', `pvc-${uid}`), 'status', 'phase')).toBe('Bound');
    expect(scene.events('data')).toEqual([`ProvisioningSucceeded: Successfully provisioned volume pvc-${uid}`]);
    scene.remove('PersistentVolumeClaim', 'data');
    await scene.clock.advance(100);
    expect([scene.find('PersistentVolumeClaim', 'data'), scene.list('PersistentVolume')]).toEqual([undefined, []]);
  });

  it('F43 of a class that waits for a consumer is bound when a pod has a node', async () => {
    const scene = embeddedScene();
    lazyClass(scene);
    scene.put(claim({ storageClassName: 'lazy' }));
    await scene.clock.advance(60_000);
    expect([phase(scene), scene.events('data')]).toEqual([
      'Pending',
      ['WaitForFirstConsumer: waiting for first consumer to be created before binding'],
    ]);
    scene.put(aDeployment({ pod }));
    await scene.clock.advance(5000);
    expect([phase(scene), textAt(scene.list('Pod')[0], 'status', 'phase')]).toEqual(['Bound', 'Running']);
  });

  it.each([
    [
      'a class that is not there',
      claim({ storageClassName: 'gone' }),
      undefined,
      'ProvisioningFailed: storageclass.storage.k8s.io "gone" not found',
    ],
    [
      'no class at all',
      claim({ storageClassName: '' }),
      undefined,
      'FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    ['a scenario in which it is never bound', claim(), scenario('never'), undefined],
  ])('stays pending with %s, and its pod does too', async (_case, object, said, event) => {
    const scene = embeddedScene(said);
    scene.put(object);
    scene.put(aDeployment({ pod }));
    await scene.clock.advance(10_000);
    expect([phase(scene), scene.events('data')]).toEqual(['Pending', event === undefined ? [] : [event]]);
    expect(scene.events(scene.list('Pod')[0]?.metadata.name ?? '')[0]).toMatch(
      /^FailedScheduling: 0\/1 nodes are available: pod has unbound immediate PersistentVolumeClaims\. not found$/,
    );
  });

  it('is bound after the time of the scenario', async () => {
    const scene = embeddedScene(scenario('30s'));
    scene.put(claim());
    await scene.clock.advance(29_000);
    expect(phase(scene)).toBe('Pending');
    await scene.clock.advance(2000);
    expect(phase(scene)).toBe('Bound');
  });
});
