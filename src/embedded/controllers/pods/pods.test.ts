import { describe, expect, it } from 'vitest';
import { aDeployment, aJob, behaviour, type WorkloadParts } from '../../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { conditionOf } from '../kit/conditions.ts';
import { startControllers } from '../start.ts';
import { mapsAt, numberAt, textAt } from '../kit/read.ts';

function podOf(scene: EmbeddedScene): StoredObject {
  const [pod] = scene.list('Pod');
  if (pod === undefined) throw new Error('there is no pod');
  return pod;
}

/** What a container is doing, as `CrashLoopBackOff`, `running`, `running, ready` or `ended 3`. */
function stateOf(status: JsonMap | undefined): string {
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  if (waiting !== '') return waiting;
  const code = numberAt(status, 'state', 'terminated', 'exitCode');
  if (code !== undefined) return `ended ${String(code)}`;
  return status?.ready === true ? 'running, ready' : 'running';
}

function state(scene: EmbeddedScene): string {
  const pod = podOf(scene);
  const [main] = mapsAt(pod, 'status', 'containerStatuses');
  return `${textAt(pod, 'status', 'phase')}: ${stateOf(main)}`;
}

/** The states that the first pod goes through, each with the second at which it is first seen. */
async function courseOf(parts: WorkloadParts, seconds: number): Promise<readonly string[]> {
  const scene = embeddedScene();
  scene.put(aDeployment(parts));
  const seen: string[] = [];
  for (let tick = 0; tick < seconds * 2; tick += 1) {
    await scene.clock.advance(500);
    const now = state(scene);
    if (!(seen.at(-1) ?? '').endsWith(` ${now}`)) seen.push(`${String((tick + 1) / 2)} ${now}`);
  }
  return seen;
}

describe('a pod', () => {
  it('is scheduled, created, running and ready, with the conditions of a kubelet', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment());
    await scene.clock.advance(50);
    expect(state(scene)).toBe('Pending: ContainerCreating');
    expect(textAt(podOf(scene), 'spec', 'nodeName')).toBe('node-1');
    await scene.clock.advance(3000);
    const pod = podOf(scene);
    expect(state(scene)).toBe('Running: running, ready');
    expect(mapsAt(pod, 'status', 'conditions').map(({ type, status }) => `${String(type)} ${String(status)}`)).toEqual([
      'PodReadyToStartContainers True',
      'Initialized True',
      'Ready True',
      'ContainersReady True',
      'PodScheduled True',
    ]);
    expect(textAt(pod, 'status', 'podIP')).toMatch(/^10\.244\./);
    expect(scene.events(pod.metadata.name)).toEqual([
      `Scheduled: Successfully assigned default/${pod.metadata.name} to node-1`,
      'Pulling: Pulling image "web:1"',
      'Pulled: Successfully pulled image "web:1" in 100ms (100ms including waiting). Image size: 1000000 bytes.',
      'Created: Container created',
      'Started: Container started',
    ]);
  });

  it('has nothing told of it a second time by a kubelet that starts anew', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ podAnnotations: behaviour({ behaviour: 'never-ready' }) }));
    await scene.clock.advance(25_000);
    const { name } = podOf(scene).metadata;
    const told = scene.events(name);
    scene.controllers.stop();
    const { api, clock } = scene;
    startControllers({ api, clock, random: () => 0.5 });
    await clock.advance(4000);
    expect(scene.events(name)).toEqual(told);
    await clock.advance(4000);
    expect(scene.events(name).length).toBe(told.length + 1);
  });

  it('names the containers that are not ready', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ podAnnotations: behaviour({ behaviour: 'never-ready' }) }));
    await scene.clock.advance(25_000);
    expect(conditionOf(podOf(scene), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [web]',
    });
    expect(scene.events(podOf(scene).metadata.name).at(-1)).toBe(
      'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503 (x3)',
    );
  });

  it('does from then on what it is annotated with while it runs', async () => {
    const scene = embeddedScene();
    const annotate = async (annotations: JsonMap): Promise<string> => {
      const pod = podOf(scene);
      scene.put({ ...pod, metadata: { ...pod.metadata, annotations } });
      await scene.clock.advance(500);
      return `${state(scene)}, Ready is ${String(conditionOf(podOf(scene), 'Ready')?.status)}`;
    };
    scene.put(aDeployment());
    await scene.clock.advance(5000);
    expect(await annotate(behaviour({ behaviour: 'never-ready' }))).toBe('Running: running, Ready is False');
    expect(await annotate({})).toBe('Running: running, ready, Ready is True');
  });

  it.each([['ready-after', { 'ready-after': '5s' }, 8, ['0.5 Pending', '5.5 Running: running, ready']]])(
    'takes its time: %s',
    async (_case, said, seconds, expected) => {
      const course = await courseOf({ podAnnotations: behaviour(said) }, seconds);
      expect([course[0]?.replace('Running: running', 'Pending'), course.at(-1)]).toEqual(expected);
    },
  );

  it('F77 that crashes is restarted after 0, 10, 20, 40 s, and waits in between', async () => {
    const course = await courseOf({ podAnnotations: behaviour({ behaviour: 'crash', 'exit-code': '3' }) }, 90);
    expect(course.map((each) => each.replace(/^[\d.]+ /, '')).slice(0, 8)).toEqual([
      'Running: running',
      'Running: ended 3',
      'Running: running',
      'Running: ended 3',
      'Running: CrashLoopBackOff',
      'Running: running',
      'Running: ended 3',
      'Running: CrashLoopBackOff',
    ]);
    const restarts = course
      .filter((each) => each.endsWith('running'))
      .map((each) => Math.floor(Number(each.split(' ')[0])));
    expect(restarts).toEqual([0, 2, 13, 34, 75]);
  });

  it('that crashes tells how it ended and for how long it waits', async () => {
    const scene = embeddedScene();
    scene.put(
      aDeployment({ podAnnotations: behaviour({ behaviour: 'crash', 'exit-code': '3', log: 'first\nsecond' }) }),
    );
    await scene.clock.advance(10_000);
    const pod = podOf(scene);
    const { name, uid } = pod.metadata;
    const [status] = mapsAt(pod, 'status', 'containerStatuses');
    expect(status).toMatchObject({
      restartCount: 1,
      state: { waiting: { message: `back-off 10s restarting failed container=web pod=${name}_default(${uid})` } },
      lastState: { terminated: { exitCode: 3, reason: 'Error' } },
    });
    expect(scene.events(name).at(-1)).toBe(
      `BackOff: Back-off restarting failed container web in pod ${name}_default(${uid})`,
    );
    for (const previous of [false, true]) {
      const lines = scene.logs.lines({ namespace: 'default', pod: name, container: 'web', previous });
      expect(lines?.map(({ text }) => text)).toEqual(['first', 'second']);
    }
  });

  it('whose image cannot be pulled says why and that it waits, by turns', async () => {
    const course = await courseOf({ podAnnotations: behaviour({ behaviour: 'image-pull-error' }) }, 60);
    expect(course).toEqual([
      '0.5 Pending: ErrImagePull',
      '5.5 Pending: ImagePullBackOff',
      '10.5 Pending: ErrImagePull',
      '20.5 Pending: ImagePullBackOff',
      '30.5 Pending: ErrImagePull',
      '40.5 Pending: ImagePullBackOff',
    ]);
  });

  it('that fits no node says so, in the words of the scheduler', async () => {
    const scene = embeddedScene();
    scene.put(aDeployment({ pod: { nodeSelector: { disk: 'fast' } } }));
    await scene.clock.advance(1000);
    const message =
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    expect(conditionOf(podOf(scene), 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message,
    });
    expect(scene.events(podOf(scene).metadata.name)).toEqual([`FailedScheduling: ${message}`]);
    const node = scene.get('Node', 'node-1');
    scene.put({ ...node, metadata: { ...node.metadata, labels: { disk: 'fast' } } });
    await scene.clock.advance(3000);
    expect(state(scene)).toBe('Running: running, ready');
  });

  it('that asks for more than a node has waits for room', async () => {
    const small =
      'apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: small}\nnodes: [{name: a, cpu: "1"}]';
    const scene = embeddedScene(small);
    const containers = (name: string) => [{ name, image: 'web:1', resources: { requests: { cpu: '600m' } } }];
    scene.put(aDeployment({ name: 'one', pod: { containers: containers('one') } }));
    await scene.clock.advance(3000);
    scene.put(aDeployment({ name: 'two', pod: { containers: containers('two') } }));
    await scene.clock.advance(3000);
    const waiting = scene.list('Pod').find(({ metadata }) => metadata.name.startsWith('two'));
    expect(textAt(conditionOf(waiting, 'PodScheduled'), 'message')).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    );
    scene.remove('Deployment', 'one', { propagationPolicy: 'Background' });
    await scene.clock.advance(5000);
    expect(state(scene)).toBe('Running: running, ready');
  });

  it('starts its containers when all init containers have ended', async () => {
    const scene = embeddedScene();
    const initContainers = [
      { name: 'one', image: 'i:1' },
      { name: 'two', image: 'i:1' },
    ];
    scene.put(aDeployment({ podAnnotations: behaviour({ 'init-for': '10s' }), pod: { initContainers } }));
    await scene.clock.advance(15_000);
    const init = mapsAt(podOf(scene), 'status', 'initContainerStatuses').map(stateOf);
    expect([state(scene), init]).toEqual(['Pending: PodInitializing', ['ended 0', 'running']]);
    expect(conditionOf(podOf(scene), 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [two]',
    });
    await scene.clock.advance(10_000);
    expect(state(scene)).toBe('Running: running, ready');
  });

  it.each([
    ['Always', 'Pending: PodInitializing', 'CrashLoopBackOff'],
    ['Never', 'Failed: PodInitializing', 'ended 1'],
  ])('F07 whose init container fails gets no further, with restartPolicy %s', async (restartPolicy, main, first) => {
    const scene = embeddedScene();
    scene.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bare', namespace: 'default', annotations: behaviour({ behaviour: 'init-crash' }) },
      spec: {
        restartPolicy,
        initContainers: [{ name: 'check', image: 'i:1' }],
        containers: [{ name: 'web', image: 'web:1' }],
      },
    });
    await scene.clock.advance(8000);
    expect([state(scene), ...mapsAt(podOf(scene), 'status', 'initContainerStatuses').map(stateOf)]).toEqual([
      main,
      first,
    ]);
  });

  it.each([
    ['complete', 'Never', 'Succeeded: ended 0'],
    ['fail', 'Never', 'Failed: ended 1'],
    ['fail', 'OnFailure', 'Running: CrashLoopBackOff'],
    ['complete', 'OnFailure', 'Succeeded: ended 0'],
    ['complete', 'Always', 'Running: CrashLoopBackOff'],
    ['never-ends', 'Never', 'Running: running, ready'],
  ])('F95 that stands alone and does %s with restartPolicy %s: %s', async (how, restartPolicy, expected) => {
    const scene = embeddedScene();
    scene.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bare', namespace: 'default', annotations: behaviour({ behaviour: how }) },
      spec: { restartPolicy, containers: [{ name: 'web', image: 'web:1' }] },
    });
    await scene.clock.advance(7000);
    expect(state(scene)).toBe(expected);
  });

  it('that turns bad after a while was well before, and recovers when its time is over', async () => {
    const course = await courseOf(
      { podAnnotations: behaviour({ behaviour: 'never-ready', after: '10s', until: '20s' }) },
      30,
    );
    expect(course.slice(-3)).toEqual([
      '1.5 Running: running, ready',
      '10 Running: running',
      '20 Running: running, ready',
    ]);
  });

  it('is stopped within its time of grace', async () => {
    const scene = embeddedScene();
    scene.put(
      aJob({
        podAnnotations: behaviour({ behaviour: 'never-ends', 'terminate-after': '20s' }),
        pod: { terminationGracePeriodSeconds: 5 },
      }),
    );
    await scene.clock.advance(2000);
    scene.remove('Job', 'migrate', { propagationPolicy: 'Background' });
    await scene.clock.advance(4000);
    expect(podOf(scene).metadata.deletionTimestamp).toBeDefined();
    await scene.clock.advance(1500);
    expect(scene.list('Pod')).toEqual([]);
  });

  it('that is removed by force is gone at once', async () => {
    const scene = embeddedScene();
    scene.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bare', namespace: 'default' },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    });
    await scene.clock.advance(2000);
    scene.remove('Pod', 'bare', { gracePeriodSeconds: 0 });
    expect(scene.find('Pod', 'bare')).toBeUndefined();
  });
});

describe('the log of a container', () => {
  it('can be followed until its end', async () => {
    const scene = embeddedScene();
    scene.put(aJob({ podAnnotations: behaviour({ 'run-for': '5s', log: 'working' }) }));
    await scene.clock.advance(50);
    const target = { namespace: 'default', pod: podOf(scene).metadata.name, container: 'migrate', previous: false };
    expect(scene.logs.lines(target)).toBeUndefined();
    await scene.clock.advance(1000);
    const heard: string[] = [];
    scene.logs.follow(
      target,
      ({ text }) => heard.push(text),
      () => heard.push('(end)'),
    );
    expect(scene.logs.lines(target)?.map(({ text }) => text)).toEqual(['working']);
    await scene.clock.advance(10_000);
    expect(heard).toEqual(['(end)']);
  });
});
