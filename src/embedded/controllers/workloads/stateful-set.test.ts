import { describe, expect, it } from 'vitest';
import { aStatefulSet, behaviour, type WorkloadParts } from '../../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { JsonMap } from '../../model/object.ts';
import { mapsAt, textAt } from '../kit/read.ts';

function pods(scene: EmbeddedScene): readonly string[] {
  return scene
    .list('Pod')
    .map((pod) => `${pod.metadata.name}=${textAt(mapsAt(pod, 'spec', 'containers')[0], 'image')}`)
    .toSorted();
}

function status(scene: EmbeddedScene): JsonMap {
  return scene.get('StatefulSet', 'web').status as JsonMap;
}

function change(scene: EmbeddedScene, parts: WorkloadParts): void {
  scene.put({ ...scene.get('StatefulSet', 'web'), spec: aStatefulSet(parts).spec });
}

async function started(parts: WorkloadParts): Promise<EmbeddedScene> {
  const scene = embeddedScene();
  scene.put(aStatefulSet(parts));
  await scene.clock.advance(10_000);
  return scene;
}

describe('a StatefulSet', () => {
  it('makes its pods one after the other, each when the one before is ready', async () => {
    const scene = embeddedScene();
    scene.put(aStatefulSet({ spec: { replicas: 3 } }));
    await scene.clock.advance(500);
    expect(pods(scene)).toEqual(['web-0=web:1']);
    await scene.clock.advance(1000);
    expect(pods(scene)).toEqual(['web-0=web:1', 'web-1=web:1']);
    await scene.clock.advance(5000);
    const { currentRevision, updateRevision, ...counts } = status(scene);
    expect(counts).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      collisionCount: 0,
    });
    expect(currentRevision).toBe(updateRevision);
  });

  it('makes them all at once with the policy Parallel', async () => {
    const scene = embeddedScene();
    scene.put(aStatefulSet({ spec: { replicas: 3, podManagementPolicy: 'Parallel' } }));
    await scene.clock.advance(500);
    expect(pods(scene)).toHaveLength(3);
  });

  it('replaces the last pod first, and each after the one before is ready again', async () => {
    const scene = await started({ spec: { replicas: 3 } });
    change(scene, { image: 'web:2', spec: { replicas: 3 } });
    await scene.clock.advance(700);
    expect(pods(scene)).toEqual(['web-0=web:1', 'web-1=web:1', 'web-2=web:2']);
    await scene.clock.advance(10_000);
    expect(pods(scene)).toEqual(['web-0=web:2', 'web-1=web:2', 'web-2=web:2']);
    expect(status(scene).currentRevision).toBe(status(scene).updateRevision);
    expect(scene.events('web').at(-1)).toBe('SuccessfulCreate: Create Pod web-0 in StatefulSet web successful (x2)');
  });

  it.each([
    [3, { updatedReplicas: undefined, currentReplicas: 3 }, ['web-0=web:1', 'web-1=web:1', 'web-2=web:1']],
    [2, { updatedReplicas: 1, currentReplicas: 2 }, ['web-0=web:1', 'web-1=web:1', 'web-2=web:2']],
    [9, { updatedReplicas: undefined, currentReplicas: 3 }, ['web-0=web:1', 'web-1=web:1', 'web-2=web:1']],
  ])('F35 with partition %d keeps the pods below it', async (partition, counts, expected) => {
    const spec = { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } };
    const scene = await started({ spec });
    change(scene, { image: 'web:2', spec });
    await scene.clock.advance(20_000);
    expect(pods(scene)).toEqual(expected);
    const { updatedReplicas, currentReplicas } = status(scene);
    expect({ updatedReplicas, currentReplicas }).toEqual(counts);
    scene.remove('Pod', 'web-0');
    await scene.clock.advance(5000);
    expect(pods(scene)[0]).toBe('web-0=web:1');
  });

  it('with OnDelete replaces a pod when somebody deletes it', async () => {
    const spec = { replicas: 2, updateStrategy: { type: 'OnDelete' } };
    const scene = await started({ spec });
    change(scene, { image: 'web:2', spec });
    await scene.clock.advance(20_000);
    expect(pods(scene)).toEqual(['web-0=web:1', 'web-1=web:1']);
    scene.remove('Pod', 'web-0');
    await scene.clock.advance(5000);
    expect(pods(scene)).toEqual(['web-0=web:2', 'web-1=web:1']);
  });

  it('is scaled down from the last pod on, one at a time', async () => {
    const scene = await started({ spec: { replicas: 3 } });
    change(scene, { spec: { replicas: 1 } });
    await scene.clock.advance(100);
    expect(scene.list('Pod').filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toHaveLength(1);
    await scene.clock.advance(2000);
    expect(pods(scene)).toEqual(['web-0=web:1']);
  });

  it('F41 whose newest pod does not get ready stays where it is, even when the template goes back', async () => {
    const scene = await started({ spec: { replicas: 2 } });
    change(scene, { image: 'web:2', podAnnotations: behaviour({ behaviour: 'never-ready' }), spec: { replicas: 2 } });
    await scene.clock.advance(60_000);
    expect(pods(scene)).toEqual(['web-0=web:1', 'web-1=web:2']);
    change(scene, { spec: { replicas: 2 } });
    await scene.clock.advance(60_000);
    expect(pods(scene)).toEqual(['web-0=web:1', 'web-1=web:2']);
    scene.remove('Pod', 'web-1');
    await scene.clock.advance(5000);
    expect(pods(scene)).toEqual(['web-0=web:1', 'web-1=web:1']);
  });

  it('has a claim for each pod, which is bound and stays when the pod goes', async () => {
    const volumeClaimTemplates = [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ];
    const scene = await started({ spec: { replicas: 2, volumeClaimTemplates } });
    expect(pods(scene)).toHaveLength(2);
    expect(
      scene.list('PersistentVolumeClaim').map(({ metadata, status }) => [metadata.name, (status as JsonMap).phase]),
    ).toEqual([
      ['data-web-0', 'Bound'],
      ['data-web-1', 'Bound'],
    ]);
    expect(scene.events('web')).toContain(
      'SuccessfulCreate: Create Claim data-web-0 Pod web-0 in StatefulSet web success',
    );
    scene.remove('StatefulSet', 'web', { propagationPolicy: 'Background' });
    await scene.clock.advance(2000);
    expect([scene.list('Pod').length, scene.list('PersistentVolumeClaim').length]).toEqual([0, 2]);
  });
});
