import { describe, expect, it } from 'vitest';
import { aDeployment, behaviour } from '../../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { JsonMap } from '../../model/object.ts';
import { mapsAt, textAt } from '../kit/read.ts';

function conditions(scene: EmbeddedScene, name = 'web'): Readonly<Record<string, string>> {
  const all = mapsAt(scene.get('Deployment', name), 'status', 'conditions');
  return Object.fromEntries(all.map((each) => [String(each.type), `${String(each.status)} ${String(each.reason)}`]));
}

function counts(scene: EmbeddedScene, name = 'web'): JsonMap {
  const { conditions: _conditions, ...status } = scene.get('Deployment', name).status as JsonMap;
  return status;
}

/** Sizes of its ReplicaSets by image, as `web:1=3`. */
function sizes(scene: EmbeddedScene): readonly string[] {
  const texts = scene.list('ReplicaSet').map((set) => {
    const [container] = mapsAt(set, 'spec', 'template', 'spec', 'containers');
    return `${textAt(container, 'image')}=${String((set.spec as JsonMap).replicas)}`;
  });
  return texts.toSorted();
}

function change(scene: EmbeddedScene, parts: Parameters<typeof aDeployment>[0]): void {
  scene.put({ ...scene.get('Deployment', 'web'), spec: aDeployment(parts).spec });
}

describe('a new Deployment', () => {
  it('gets a ReplicaSet, pods, and the conditions of a finished rollout', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ spec: { replicas: 3 } }));
    await scene.clock.advance(100);
    expect(conditions(scene)).toEqual({
      Available: 'False MinimumReplicasUnavailable',
      Progressing: 'True ReplicaSetUpdated',
    });
    await scene.clock.advance(5000);
    expect(conditions(scene)).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'True NewReplicaSetAvailable',
    });
    expect(counts(scene)).toEqual({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    const [replicaSet] = scene.list('ReplicaSet');
    expect(scene.events('web')).toEqual([
      `ScalingReplicaSet: Scaled up replica set ${String(replicaSet?.metadata.name)} from 0 to 3`,
    ]);
    expect(scene.get('Deployment', 'web').metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
    expect(replicaSet?.metadata.annotations).toEqual({
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
      'deployment.kubernetes.io/revision': '1',
    });
  });

  it('settles: nothing is written once all is well', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment());
    await scene.clock.advance(30_000);
    const { resourceVersion } = scene.api.list({ group: '', version: 'v1', plural: 'pods' });
    await scene.clock.advance(3_600_000);
    expect(scene.api.list({ group: '', version: 'v1', plural: 'pods' }).resourceVersion).toBe(resourceVersion);
  });

  it.each([
    ['never-ready', 'True ReplicaSetUpdated', 605],
    ['crash', 'True ReplicaSetUpdated', 605],
    ['image-pull-error', 'True ReplicaSetUpdated', 605],
    ['unschedulable', 'True ReplicaSetUpdated', 605],
  ])('whose pods are %s misses its progress deadline', async (how, before, seconds) => {
    const scene = embeddedScene();
    scene.put(aDeployment({ podAnnotations: behaviour({ behaviour: how }) }));
    await scene.clock.advance(590_000);
    expect(conditions(scene).Progressing).toBe(before);
    await scene.clock.advance((seconds - 590) * 1000);
    expect(conditions(scene)).toEqual({
      Available: 'False MinimumReplicasUnavailable',
      Progressing: 'False ProgressDeadlineExceeded',
    });
    const [progressing] = mapsAt(scene.get('Deployment', 'web'), 'status', 'conditions').slice(-1);
    expect(progressing?.message).toMatch(/^ReplicaSet "web-[a-z0-9]+" has timed out progressing\.$/);
  });

  it('without a progress deadline has no condition about it', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ spec: { progressDeadlineSeconds: 2_147_483_647 } }));
    await scene.clock.advance(5000);
    expect(Object.keys(conditions(scene))).toEqual(['Available']);
  });

  it('is available only after minReadySeconds', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ spec: { minReadySeconds: 30 } }));
    await scene.clock.advance(10_000);
    expect(counts(scene)).toMatchObject({ readyReplicas: 1, unavailableReplicas: 1 });
    await scene.clock.advance(25_000);
    expect(counts(scene)).toMatchObject({ availableReplicas: 1 });
  });

  it('F38 with no replicas is observed and has no pods', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ spec: { replicas: 0 } }));
    await scene.clock.advance(1000);
    expect(counts(scene)).toEqual({ observedGeneration: 1, terminatingReplicas: 0 });
    expect(conditions(scene).Progressing).toBe('True NewReplicaSetAvailable');
  });
});

describe('a rolling update', () => {
  it.each([
    ['25%', '25%', 4, 5, 3],
    [0, 1, 4, 4, 3],
    [1, 0, 4, 5, 4],
    ['100%', 0, 4, 8, 4],
    [0, 0, 4, 4, 3],
  ])(
    'with maxSurge %s and maxUnavailable %s keeps between its bounds',
    async (maxSurge, maxUnavailable, replicas, most, least) => {
      const scene = embeddedScene();
      const rollingUpdate =
        maxSurge === 0 && maxUnavailable === 0
          ? { maxSurge: '0%', maxUnavailable: '1%' }
          : { maxSurge, maxUnavailable };
      const spec = { replicas, strategy: { type: 'RollingUpdate', rollingUpdate } };
      scene.put(aDeployment({ spec }));
      await scene.clock.advance(5000);
      change(scene, { image: 'web:2', spec });
      const seen = { most: 0, least: Infinity };
      for (let tick = 0; tick < 300; tick += 1) {
        await scene.clock.advance(50);
        const status = counts(scene);
        seen.most = Math.max(seen.most, Number(status.replicas));
        seen.least = Math.min(seen.least, Number(status.availableReplicas));
      }
      expect({ ...counts(scene), ...seen }).toMatchObject({
        updatedReplicas: replicas,
        availableReplicas: replicas,
        most,
        least,
      });
    },
  );

  it('F26 that never gets ready leaves what is allowed of the old pods, and a return finds the old ReplicaSet', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ spec: { replicas: 4 } }));
    await scene.clock.advance(5000);
    change(scene, { image: 'web:2', podAnnotations: behaviour({ behaviour: 'never-ready' }), spec: { replicas: 4 } });
    await scene.clock.advance(700_000);
    expect(sizes(scene)).toEqual(['web:1=3', 'web:2=2']);
    expect(conditions(scene)).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'False ProgressDeadlineExceeded',
    });
    change(scene, { spec: { replicas: 4 } });
    await scene.clock.advance(10_000);
    expect(sizes(scene)).toEqual(['web:1=4', 'web:2=0']);
    expect(scene.get('Deployment', 'web').metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
    expect(conditions(scene).Progressing).toBe('True NewReplicaSetAvailable');
  });

  it('with the strategy Recreate starts when the last old pod is gone', async () => {
    const scene = embeddedScene();
    const spec = { replicas: 2, strategy: { type: 'Recreate' } };
    scene.put(aDeployment({ spec }));
    await scene.clock.advance(5000);
    change(scene, { image: 'web:2', spec });
    await scene.clock.advance(100);
    expect(sizes(scene)).toEqual(['web:1=0']);
    expect(scene.list('Pod')).toHaveLength(2);
    await scene.clock.advance(5000);
    expect(sizes(scene)).toEqual(['web:1=0', 'web:2=2']);
    expect(counts(scene)).toMatchObject({ availableReplicas: 2, updatedReplicas: 2 });
  });

  it('that is scaled on its way shares the change out', async () => {
    const scene = embeddedScene();
    const never = behaviour({ behaviour: 'never-ready' });
    scene.put(aDeployment({ spec: { replicas: 8 } }));
    await scene.clock.advance(5000);
    change(scene, { image: 'web:2', podAnnotations: never, spec: { replicas: 8 } });
    await scene.clock.advance(5000);
    expect(sizes(scene)).toEqual(['web:1=6', 'web:2=4']);
    change(scene, { image: 'web:2', podAnnotations: never, spec: { replicas: 16 } });
    await scene.clock.advance(5000);
    expect(sizes(scene)).toEqual(['web:1=12', 'web:2=8']);
  });

  it('keeps no more old ReplicaSets than revisionHistoryLimit says', async () => {
    const scene = embeddedScene();
    const spec = { revisionHistoryLimit: 1 };
    for (const image of ['web:1', 'web:2', 'web:3', 'web:4']) {
      if (scene.find('Deployment', 'web') === undefined) scene.put(aDeployment({ image, spec }));
      else change(scene, { image, spec });
      await scene.clock.advance(10_000);
    }
    expect(sizes(scene)).toEqual(['web:3=0', 'web:4=1']);
  });
});

describe('a paused Deployment', () => {
  it('F37 says so, does not roll over, and goes on when it is resumed', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment());
    await scene.clock.advance(5000);
    change(scene, { image: 'web:2', spec: { paused: true } });
    await scene.clock.advance(700_000);
    expect(sizes(scene)).toEqual(['web:1=1']);
    expect(conditions(scene).Progressing).toBe('Unknown DeploymentPaused');
    change(scene, { image: 'web:2' });
    await scene.clock.advance(5000);
    expect(sizes(scene)).toEqual(['web:1=0', 'web:2=1']);
    expect(conditions(scene).Progressing).toBe('True NewReplicaSetAvailable');
  });
});

describe('a ReplicaSet', () => {
  it('makes up for a pod that is taken away', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment());
    await scene.clock.advance(5000);
    const [before] = scene.list('Pod');
    scene.remove('Pod', before?.metadata.name ?? '');
    await scene.clock.advance(5000);
    const [after] = scene.list('Pod');
    expect(after?.metadata.name).not.toBe(before?.metadata.name);
    expect(scene.events(before?.metadata.name ?? '').at(-1)).toBe('Killing: Stopping container web');
  });

  it('adopts an orphan that its selector matches', async () => {
    const scene = embeddedScene();
    const deployment = aDeployment();
    scene.put(deployment);
    await scene.clock.advance(5000);
    scene.remove('Deployment', 'web', { propagationPolicy: 'Orphan' });
    await scene.clock.advance(1000);
    expect(scene.list('ReplicaSet')[0]?.metadata.ownerReferences).toBeUndefined();
    const [pod] = scene.list('Pod');
    scene.put(deployment);
    await scene.clock.advance(5000);
    expect(scene.list('ReplicaSet')[0]?.metadata.ownerReferences).toHaveLength(1);
    expect(scene.list('Pod').map(({ metadata }) => metadata.uid)).toEqual([pod?.metadata.uid]);
  });

  it('tells of a pod that is refused, and its Deployment does too', async () => {
    const scene = embeddedScene();
    scene.put({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'small', namespace: 'default' },
      spec: { hard: { pods: '1' } },
    });
    scene.put(aDeployment({ spec: { replicas: 2 } }));
    await scene.clock.advance(5000);
    expect(conditions(scene).ReplicaFailure).toBe('True FailedCreate');
    const [replicaSet] = scene.list('ReplicaSet');
    const told = scene.events(replicaSet?.metadata.name ?? '').find((event) => event.startsWith('FailedCreate'));
    expect(told).toMatch(
      /^FailedCreate: Error creating: pods "web-[^"]+" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1/,
    );
    scene.remove('ResourceQuota', 'small');
    await scene.clock.advance(60_000);
    expect(conditions(scene)).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'True NewReplicaSetAvailable',
    });
  });
});
