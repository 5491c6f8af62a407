import { describe, expect, it } from 'vitest';
import { aDeployment, aJob, aStatefulSet, behaviour } from '../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../test/fakes/embedded-scene.ts';
import { CALM_SCENARIO } from '../scenario/index.ts';
import type { JsonMap } from '../model/object.ts';
import { parseScenario } from '../scenario/index.ts';
import { startControllers } from './index.ts';
import { mapsAt } from './kit/read.ts';

/** Everything that changed, in order. */
async function historyOf(scene: EmbeddedScene, act: () => Promise<void>): Promise<readonly string[]> {
  const history: string[] = [];
  for (const plural of ['pods', 'events', 'configmaps']) {
    scene.api.watch({ group: '', version: 'v1', plural }, {}, (event) => {
      if (event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED') {
        history.push(`${String(scene.clock.now())} ${event.type} ${JSON.stringify(event.object)}`);
      }
    });
  }
  await act();
  return history;
}

async function eventfulTime(scene: EmbeddedScene): Promise<void> {
  scene.put(aDeployment({ spec: { replicas: 2 } }));
  scene.put(aStatefulSet({ name: 'db' }));
  scene.put(aJob({ podAnnotations: behaviour({ 'exit-code': '1' }), spec: { backoffLimit: 1 } }));
  await scene.clock.advance(20_000);
  scene.put({
    ...scene.get('Deployment', 'web'),
    spec: aDeployment({ podAnnotations: behaviour({ behaviour: 'crash' }) }).spec,
  });
  await scene.clock.advance(60_000);
}

describe('the simulation', () => {
  it('does the same things at the same times with the same seed', async () => {
    const runs = await Promise.all(
      [embeddedScene(), embeddedScene()].map((scene) => historyOf(scene, () => eventfulTime(scene))),
    );
    expect(runs[0]?.length).toBeGreaterThan(50);
    expect(runs[0]).toEqual(runs[1]);
  });

  it('does nothing inside of the call that it reacts to', () => {
    const scene = embeddedScene();
    scene.put(aDeployment());
    expect(scene.list('ReplicaSet')).toEqual([]);
  });

  it('stops', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment());
    await scene.clock.advance(50);
    scene.controllers.stop();
    const before = scene.api.list({ group: '', version: 'v1', plural: 'pods' }).resourceVersion;
    await scene.clock.advance(60_000);
    expect(scene.api.list({ group: '', version: 'v1', plural: 'pods' }).resourceVersion).toBe(before);
    expect(scene.clock.pending()).toEqual([]);
  });

  it('that starts in a cluster with a past leaves what runs as it is', async () => {
    const scene = embeddedScene();
    await eventfulTime(scene);
    const before = scene.list('Pod').map((pod) => [pod.metadata.name, mapsAt(pod, 'status', 'containerStatuses')]);
    scene.controllers.stop();
    const { api, clock } = scene;
    startControllers({ api, clock, random: () => 0.5 });
    await clock.advance(10);
    expect(scene.list('Pod').map((pod) => [pod.metadata.name, mapsAt(pod, 'status', 'containerStatuses')])).toEqual(
      before,
    );
  });

  it('takes up another scenario for the pods that come from then on', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ spec: { replicas: 1 } }));
    await scene.clock.advance(5000);
    const text =
      'apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: a}\nworkloads: [{match: {name: web}, behaviour: never-ready}]';
    scene.controllers.use(parseScenario(text, 'a.yaml'));
    await scene.clock.advance(60_000);
    expect(scene.get('Deployment', 'web').status).toMatchObject({ availableReplicas: 1 });
    scene.put({ ...scene.get('Deployment', 'web'), spec: aDeployment({ image: 'web:2' }).spec });
    await scene.clock.advance(20_000);
    expect(scene.get('Deployment', 'web').status).toMatchObject({ updatedReplicas: 1, unavailableReplicas: 1 });
    scene.controllers.use(CALM_SCENARIO);
    const [bad] = scene.list('Pod').filter(({ status }) => !JSON.stringify(status).includes('"ready":true'));
    scene.remove('Pod', bad?.metadata.name ?? '');
    await scene.clock.advance(20_000);
    expect(scene.get('Deployment', 'web').status).toMatchObject({ replicas: 1, availableReplicas: 1 });
  });

  it('fails an upgrade by its version, and not the rollback to the version before', async () => {
    const text =
      'apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: a}\nworkloads: [{match: {name: web, version: ">=2.0.0"}, behaviour: crash}]';
    const scene = embeddedScene(text);
    const labelled = (version: string, spec: JsonMap): JsonMap => ({
      ...aDeployment({ image: `web:${version}`, labels: { 'helm.sh/chart': `web-${version}` }, spec }),
    });
    const recreate = { strategy: { type: 'Recreate' } };
    const change = (version: string): void => {
      const { resourceVersion } = scene.get('Deployment', 'web').metadata;
      const next = labelled(version, recreate);
      scene.put({ ...next, metadata: { ...(next.metadata as JsonMap), resourceVersion } });
    };
    const available = (): unknown => (scene.get('Deployment', 'web').status as JsonMap).availableReplicas;
    scene.put(labelled('1.0.0', recreate));
    await scene.clock.advance(10_000);
    expect(available()).toBe(1);
    change('2.0.0');
    await scene.clock.advance(60_000);
    expect(available()).toBeUndefined();
    change('1.0.0');
    await scene.clock.advance(10_000);
    expect(available()).toBe(1);
  });
});
