import { describe, expect, it } from 'vitest';
import { aDaemonSet } from '../../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import { hasCondition } from '../kit/conditions.ts';
import { mapsAt, textAt } from '../kit/read.ts';

const NODES = `
apiVersion: rehearse.kubepkg.dev/v1
kind: Scenario
metadata: {name: nodes}
nodes:
  - name: a
    labels: {disk: fast}
  - name: b
    notReady: {after: 60s, until: 120s}
  - name: tainted
    taints: [{key: dedicated, effect: NoSchedule}]
`;

function nodesOf(scene: EmbeddedScene): readonly string[] {
  return scene
    .list('Pod')
    .map((pod) => textAt(pod, 'spec', 'nodeName'))
    .toSorted();
}

describe('a DaemonSet', () => {
  it('has a pod on every node that it fits', async () => {
    const scene = embeddedScene(NODES);
    scene.put(aDaemonSet());
    await scene.clock.advance(5000);
    expect(nodesOf(scene)).toEqual(['a', 'b']);
    expect(scene.get('DaemonSet', 'web').status).toEqual({
      observedGeneration: 1,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      numberAvailable: 2,
      updatedNumberScheduled: 2,
    });
  });

  it.each([
    [{ nodeSelector: { disk: 'fast' } }, ['a']],
    [{ nodeSelector: { disk: 'slow' } }, []],
    [{ tolerations: [{ key: 'dedicated', operator: 'Exists' }] }, ['a', 'b', 'tainted']],
  ])('with %j goes to %j', async (pod, nodes) => {
    const scene = embeddedScene(NODES);
    scene.put(aDaemonSet({ pod }));
    await scene.clock.advance(5000);
    expect(nodesOf(scene)).toEqual(nodes);
    expect(scene.get('DaemonSet', 'web').status).toMatchObject({ desiredNumberScheduled: nodes.length });
  });

  it('replaces its pods one node after the other', async () => {
    const scene = embeddedScene(NODES);
    scene.put(aDaemonSet());
    await scene.clock.advance(5000);
    scene.put({ ...scene.get('DaemonSet', 'web'), spec: aDaemonSet({ image: 'web:2' }).spec });
    await scene.clock.advance(1000);
    expect(scene.get('DaemonSet', 'web').status).toMatchObject({ updatedNumberScheduled: 1, numberUnavailable: 1 });
    await scene.clock.advance(5000);
    expect(scene.get('DaemonSet', 'web').status).toMatchObject({ updatedNumberScheduled: 2, numberAvailable: 2 });
    expect(scene.list('Pod').map((pod) => textAt(mapsAt(pod, 'spec', 'containers')[0], 'image'))).toEqual([
      'web:2',
      'web:2',
    ]);
  });

  it('F42 counts the pod of a node that is out of reach as not ready, until the node is back', async () => {
    const scene = embeddedScene(NODES);
    scene.put(aDaemonSet({ pod: { tolerations: [{ operator: 'Exists' }] } }));
    await scene.clock.advance(61_000);
    expect(hasCondition(scene.get('Node', 'b'), 'Ready', 'Unknown')).toBe(true);
    expect(scene.get('DaemonSet', 'web').status).toMatchObject({ desiredNumberScheduled: 3, numberReady: 2 });
    await scene.clock.advance(60_000);
    expect(scene.get('DaemonSet', 'web').status).toMatchObject({ desiredNumberScheduled: 3, numberReady: 3 });
  });
});
