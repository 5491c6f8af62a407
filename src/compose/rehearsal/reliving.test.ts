import { describe, expect, it } from 'vitest';
import { aDeployment } from '../../../test/build/embedded-workloads.ts';
import { VirtualClock } from '../../../test/fakes/clock.ts';
import type { KubeObject } from '../../api/kube.ts';
import { createEmbeddedCluster } from '../../embedded/api/index.ts';
import { builtInResources } from '../../embedded/kinds/index.ts';
import { CALM_SCENARIO } from '../../embedded/scenario/index.ts';
import { seededRandom } from '../../embedded/time/seeded.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { at } from '../../lib/json.ts';
import { type Deed, Recorder, type Recording } from './recording.ts';
import { Reliving } from './reliving.ts';
import { SimulatedCluster, type SimulatedContent } from './simulated-cluster.ts';

const RESOURCES = builtInResources();
const LOGGING = { 'rehearse.kubepkg.dev/log': 'hello' };

interface Place {
  readonly clock: VirtualClock;
  readonly simulated: SimulatedCluster;
  readonly cluster: Cluster;
}

function aPlace(recording?: Recording): Place {
  const clock = new VirtualClock(recording === undefined ? {} : { now: recording.from.now });
  const content = recording?.from.content;
  const random = seededRandom(content?.stored.revision ?? 1);
  const simulated = new SimulatedCluster({ clock, random, scenario: CALM_SCENARIO, resources: RESOURCES, content });
  return { clock, simulated, cluster: createEmbeddedCluster(simulated.api, clock) };
}

function wish(text: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'wish', namespace: 'default' },
    data: { text },
  };
}

/** By kind and name. */
function sorted({ stored, logs }: SimulatedContent): unknown {
  const objects = stored.objects.flatMap(([kind, all]) =>
    all.map((object) => [`${kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, object] as const),
  );
  return { revision: stored.revision, objects: Object.fromEntries(objects), logs };
}

interface Recorded {
  readonly recording: Recording;
  /** How everything stood when each step had been taken. */
  readonly contents: readonly SimulatedContent[];
}

/** A user who wishes twice for something, beside whom somebody else brings a Deployment. */
async function record(): Promise<Recorded> {
  const { clock, simulated, cluster } = aPlace();
  simulated.start();
  await clock.advance(5000);
  await cluster.write({ verb: 'create', object: wish('none') });
  const recorder = new Recorder({ simulated, now: () => clock.now(), lives: 1 });
  const contents: SimulatedContent[] = [];
  const mark = (what: string): void => {
    contents.push(simulated.content());
    recorder.mark({ number: contents.length, what, time: clock.now() });
  };
  await recorder.write(cluster, { verb: 'apply', object: wish('first'), force: true });
  await clock.advance(1000);
  await cluster.write({ verb: 'create', object: aDeployment({ podAnnotations: LOGGING }) as unknown as KubeObject });
  mark('the Deployment is created');
  await clock.advance(150);
  mark('its pod is about to start');
  await clock.advance(850);
  await recorder.write(cluster, { verb: 'apply', object: wish('second'), force: true });
  await clock.advance(8000);
  mark('its pod is ready');
  return { recording: recorder.end(), contents };
}

interface Relived extends Place {
  readonly over: number;
  readonly deeds: readonly Deed[];
  /** What became of the user's wishes. */
  readonly wishing: Promise<readonly PromiseSettledResult<void>[]>;
}

/** The same user, in a cluster in which what was recorded happens once more. */
async function relive(recording: Recording, until: number, texts = ['first', 'second']): Promise<Relived> {
  const place = aPlace(recording);
  const { clock, simulated, cluster } = place;
  const seen = { over: 0 };
  const deeds: Deed[] = [];
  simulated.observe((what) => deeds.push({ time: clock.now(), what }));
  const onOver = (): void => {
    seen.over += 1;
  };
  const reliving = new Reliving(recording, { simulated, clock, cluster, until, onOver });
  const wishes = async (): Promise<void> => {
    await reliving.write({ verb: 'apply', object: wish(texts[0] ?? ''), force: true });
    await new Promise<void>((resolve) => {
      clock.after(2000, resolve);
    });
    await reliving.write({ verb: 'apply', object: wish(texts[1] ?? ''), force: true });
  };
  const wishing = Promise.allSettled([wishes()]);
  const end = recording.steps[until - 1]?.time ?? 0;
  await clock.advance(end - clock.now());
  return { ...place, over: seen.over, deeds, wishing };
}

describe('what was recorded on a stage', () => {
  it.each([1, 2, 3])('happens once more up to step %i, after which everything is as it was then', async (until) => {
    const { recording, contents } = await record();
    const { simulated, over, deeds } = await relive(recording, until);
    const then = contents[until - 1];
    expect(over).toBe(1);
    expect(deeds).toEqual(recording.deeds.slice(0, recording.marks[until - 1]));
    expect(then === undefined ? undefined : sorted(simulated.content())).toEqual(then && sorted(then));
  });

  it('is what was stored, and what containers wrote', async () => {
    const { contents } = await record();
    expect(contents[2]?.logs).toMatchObject([
      [expect.stringContaining('default/web-'), { present: { lines: [{ text: 'hello' }] } }],
    ]);
  });

  it('goes on by itself once the controllers begin', async () => {
    const { recording } = await record();
    const { simulated, clock, cluster } = await relive(recording, 2);
    simulated.start();
    await clock.advance(10_000);
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
    expect(at(await cluster.read(ref), 'status', 'readyReplicas')).toBe(1);
  });

  it('does not happen where the user does something else', async () => {
    const { recording } = await record();
    const { over, wishing } = await relive(recording, 3, ['none', 'second']);
    expect(over).toBe(0);
    expect(await wishing).toMatchObject([{ status: 'rejected', reason: { code: 'Internal' } }]);
  });
});
