import { describe, expect, it } from 'vitest';
import { aJob, behaviour, type WorkloadParts } from '../../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { JsonMap } from '../../model/object.ts';
import { mapsAt } from '../kit/read.ts';

function conditions(scene: EmbeddedScene): readonly string[] {
  return mapsAt(scene.get('Job', 'migrate'), 'status', 'conditions').map(
    ({ type, status, reason }) => `${String(type)} ${String(status)} ${String(reason)}`,
  );
}

function status(scene: EmbeddedScene): JsonMap {
  const { conditions: _conditions, ...rest } = scene.get('Job', 'migrate').status as JsonMap;
  return rest;
}

async function run(parts: WorkloadParts, seconds: number): Promise<EmbeddedScene> {
  const scene = embeddedScene();
  scene.put(aJob(parts));
  await scene.clock.advance(seconds * 1000);
  return scene;
}

const failing = behaviour({ behaviour: 'fail', 'exit-code': '3' });
const COMPLETE = ['SuccessCriteriaMet True CompletionsReached', 'Complete True CompletionsReached'];
const EXCEEDED = ['FailureTarget True BackoffLimitExceeded', 'Failed True BackoffLimitExceeded'];
const EXPIRED = ['FailureTarget True DeadlineExceeded', 'Failed True DeadlineExceeded'];

describe('a Job', () => {
  it.each([
    ['one pod that ends well', {}, COMPLETE, { succeeded: 1 }],
    ['F46 backoffLimit 0 and success', { spec: { backoffLimit: 0 } }, COMPLETE, { succeeded: 1 }],
    ['three completions, two at a time', { spec: { completions: 3, parallelism: 2 } }, COMPLETE, { succeeded: 3 }],
    ['restartPolicy OnFailure', { pod: { restartPolicy: 'OnFailure' } }, COMPLETE, { succeeded: 1 }],
    ['F47 failure and backoffLimit 0', { podAnnotations: failing, spec: { backoffLimit: 0 } }, EXCEEDED, { failed: 1 }],
    ['F47 failure and backoffLimit 1', { podAnnotations: failing, spec: { backoffLimit: 1 } }, EXCEEDED, { failed: 2 }],
    ['F47 failure and backoffLimit 6', { podAnnotations: failing }, EXCEEDED, { failed: 7 }],
    [
      'F47 failure with restartPolicy OnFailure',
      { podAnnotations: failing, pod: { restartPolicy: 'OnFailure' }, spec: { backoffLimit: 2 } },
      EXCEEDED,
      { failed: 1 },
    ],
    [
      'two tries that fail before one goes well',
      { podAnnotations: behaviour({ behaviour: 'fail', failures: '2' }) },
      COMPLETE,
      { succeeded: 1, failed: 2 },
    ],
    [
      'a deadline that passes',
      { podAnnotations: behaviour({ behaviour: 'never-ends' }), spec: { activeDeadlineSeconds: 20 } },
      EXPIRED,
      { failed: 1 },
    ],
    [
      'all indexes done',
      { spec: { completions: 3, parallelism: 3, completionMode: 'Indexed' } },
      COMPLETE,
      { succeeded: 3, completedIndexes: '0-2' },
    ],
  ] as const)('with %s', async (_case, parts, expected, counts) => {
    const scene = await run(parts, 1000);
    expect(conditions(scene)).toEqual(expected);
    const { startTime, completionTime, ...rest } = status(scene);
    expect(rest).toEqual({ ready: 0, terminating: 0, uncountedTerminatedPods: {}, ...counts });
    expect([startTime, completionTime !== undefined]).toEqual(['2030-01-01T00:00:00Z', expected === COMPLETE]);
    expect(scene.list('Pod').flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
  });

  it('tells what its pods do, and that it is done', async () => {
    const scene = await run({ spec: { completions: 2 } }, 10);
    const [first, second] = scene.list('Pod').map(({ metadata }) => metadata.name);
    expect(scene.events('migrate').toSorted()).toEqual(
      [`SuccessfulCreate: Created pod: ${String(first)}`, `SuccessfulCreate: Created pod: ${String(second)}`]
        .concat('Completed: Job completed')
        .toSorted(),
    );
  });

  it('waits longer after each failure: 10 s, 20 s, 40 s', async () => {
    const scene = embeddedScene();
    scene.put(aJob({ podAnnotations: failing }));
    const made: number[] = [];
    for (let second = 0; second < 90; second += 1) {
      await scene.clock.advance(1000);
      if (scene.list('Pod').length > made.length) made.push(second);
    }
    expect(made).toEqual([0, 10, 31, 72]);
  });

  it.each([0, 5])('F49 with a TTL of %d s vanishes after its end, pods and all', async (ttlSecondsAfterFinished) => {
    const scene = embeddedScene();
    const seen: string[] = [];
    const target = { group: 'batch', version: 'v1', plural: 'jobs' };
    scene.api.watch(target, {}, (event) => {
      if (event.type !== 'ERROR')
        seen.push(
          `${event.type} ${mapsAt(event.object, 'status', 'conditions')
            .map(({ type }) => String(type))
            .join(',')}`,
        );
    });
    scene.put(aJob({ spec: { ttlSecondsAfterFinished } }));
    await scene.clock.advance(1500);
    await scene.clock.advance(ttlSecondsAfterFinished * 1000 + 500);
    expect(scene.find('Job', 'migrate')).toBeUndefined();
    expect(scene.list('Pod')).toEqual([]);
    expect(seen).toContain('MODIFIED SuccessCriteriaMet,Complete');
    expect(seen.at(-1)).toBe('DELETED SuccessCriteriaMet,Complete');
  });

  it('that is suspended runs nothing until it is resumed', async () => {
    const scene = await run({ spec: { suspend: true } }, 10);
    expect([conditions(scene), scene.list('Pod')]).toEqual([['Suspended True JobSuspended'], []]);
    expect(status(scene).startTime).toBeUndefined();
    scene.put({
      ...scene.get('Job', 'migrate'),
      spec: { ...(scene.get('Job', 'migrate').spec as JsonMap), suspend: false },
    });
    await scene.clock.advance(5000);
    expect(conditions(scene)).toEqual(['Suspended False JobResumed', ...COMPLETE]);
    expect(scene.events('migrate')).toEqual(
      expect.arrayContaining(['Suspended: Job suspended', 'Resumed: Job resumed']),
    );
  });

  it.each(['Background', 'Foreground'] as const)('that is deleted in the %s takes its pods along', async (policy) => {
    const scene = await run({ podAnnotations: behaviour({ behaviour: 'never-ends' }) }, 5);
    scene.remove('Job', 'migrate', { propagationPolicy: policy });
    await scene.clock.advance(2000);
    expect([scene.find('Job', 'migrate'), scene.list('Pod')]).toEqual([undefined, []]);
  });

  it('F76 leaves the log of a failed pod to be read', async () => {
    const log = behaviour({ behaviour: 'fail', log: 'migrating\nno such table' });
    const scene = await run({ podAnnotations: log, spec: { backoffLimit: 0 } }, 5);
    const [pod] = scene.list('Pod');
    const lines = scene.logs.lines({
      namespace: 'default',
      pod: pod?.metadata.name ?? '',
      container: 'migrate',
      previous: false,
    });
    expect(lines?.map(({ text }) => text)).toEqual(['migrating', 'no such table']);
  });
});
