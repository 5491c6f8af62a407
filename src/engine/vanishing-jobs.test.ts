import { beforeEach, describe, expect, it } from 'vitest';
import { aRevisionComponent } from '../../test/build/objects.ts';
import { condition, deployment, job } from '../../test/build/readiness-objects.ts';
import { rest } from '../../test/fakes/clock.ts';
import { HealthScene } from '../../test/fakes/health-scene.ts';
import { type KubeObject, refOf } from '../api/kube.ts';
import type { HealthRequest } from './health.ts';

const READY = deployment();

describe('F49 the book of releases: a Job that removes itself', () => {
  let scene: HealthScene;

  beforeEach(() => {
    scene = new HealthScene();
  });

  const JOB = { ...refOf(job()), mayVanish: true };
  const ended = job({}, { conditions: [condition('Complete', 'True')] });

  it('is followed from the beginning of the delivery, so that its end is seen before the delivery is complete', async () => {
    scene.leave([], { delivery: 'pending', everDelivered: false, inventory: [JOB, refOf(READY)] });
    const changedAt = scene.clock.now();
    expect(await scene.statusOf({ hook: true, changedAt })).toBe('unobserved');
    expect(scene.cluster.watched()).toEqual(['Job']);
    scene.cluster.put(ended);
    await rest();
    scene.cluster.remove(JOB);
    await rest();
    scene.leave([READY], { inventory: [JOB, refOf(READY)] });
    scene.book.markRelease('shop/app');
    expect(await scene.statusOf({ hook: true, changedAt })).toBe('ready');
  });

  it('of an upgrade is followed beside what the last record owns', async () => {
    scene.leave([READY]);
    await scene.ask();
    scene.leave([], { revision: 2, delivery: 'pending', inventory: [JOB, refOf(READY)] });
    scene.book.markRelease('shop/app');
    expect(await scene.statusOf()).toBe('ready');
    expect(scene.cluster.watched()).toEqual(['Deployment', 'Job']);
    const count = scene.cluster.requests.length;
    await scene.ask();
    expect(scene.cluster.requests).toHaveLength(count);
  });

  it('of a hook fails for good when nobody saw its end; a component is ready with a note, today and later', async () => {
    scene.leave([], { inventory: [JOB] });
    const changedAt = scene.clock.now();
    expect((await scene.ask({ hook: true, changedAt })).health).toMatchObject({ status: 'failed', final: true });
    expect((await scene.ask({ changedAt })).health).toMatchObject({ status: 'ready' });
    expect((await scene.ask({ awaited: false })).health.notes).toHaveLength(1);
  });

  it('of the run before does not stand for the one of this delivery', async () => {
    scene.leave([ended], { inventory: [JOB] });
    expect(await scene.statusOf({ hook: true })).toBe('ready');
    await scene.clock.advance(60_000);
    const changedAt = scene.clock.now();
    scene.cluster.remove(JOB);
    scene.leave([], { revision: 2, inventory: [JOB] });
    scene.book.markRelease('shop/app');
    expect(await scene.statusOf({ hook: true, changedAt })).toBe('failed');
  });
});

describe('F49 of a Job that removes itself', () => {
  let scene: HealthScene;

  beforeEach(() => {
    scene = new HealthScene();
  });

  const JOB = { ...refOf(job()), mayVanish: true };
  const ended = (type: string): KubeObject => job({}, { conditions: [condition(type, 'True')] });
  const component = aRevisionComponent('app');
  const request = (parts: Partial<HealthRequest> = {}): HealthRequest => ({
    component,
    inventory: [JOB],
    awaited: [],
    ...parts,
  });

  async function seenAndGone(object: KubeObject): Promise<void> {
    scene.tracker.follow('shop/app', [JOB]);
    scene.cluster.put(object);
    await scene.tracker.refresh([JOB]);
    scene.cluster.remove(JOB);
    await scene.tracker.refresh([JOB]);
  }

  it.each([
    ['Complete', false, 'ready', undefined],
    ['Complete', true, 'ready', undefined],
    ['Failed', false, 'failed', true],
    ['Failed', true, 'failed', true],
  ])('and was seen to be %s (hook: %s) is %s', async (type, isHook, status, final) => {
    await seenAndGone(ended(type));
    expect(await scene.judge(request({ isHook }))).toMatchObject({ status, ...(final === undefined ? {} : { final }) });
  });

  it.each([
    [false, 'ready', ['Job shop/web: finished and removed before its end was observed']],
    [true, 'failed', []],
  ])('and was never seen (hook: %s) is %s', async (isHook, status, notes) => {
    scene.tracker.follow('shop/app', [JOB]);
    await scene.tracker.refresh([JOB]);
    expect(await scene.judge(request({ isHook }))).toMatchObject({ status, notes });
  });

  it('is not judged by an earlier Job of the same name', async () => {
    await seenAndGone(ended('Complete'));
    await scene.clock.advance(60_000);
    const change = { startedAt: scene.clock.now(), since: scene.clock.now() };
    expect((await scene.judge(request({ isHook: true, happenings: { change } }))).status).toBe('failed');
  });

  it('is judged by one of before the delivery that was still there after it', async () => {
    scene.tracker.follow('shop/app', [JOB]);
    scene.cluster.put(ended('Complete'));
    await scene.clock.advance(60_000);
    await scene.tracker.refresh([JOB]);
    const happenings = { change: { startedAt: scene.clock.now(), since: scene.clock.now() } };
    expect((await scene.judge(request({ isHook: true, happenings }))).status).toBe('ready');
    scene.cluster.remove(JOB);
    await scene.tracker.refresh([JOB]);
    expect((await scene.judge(request({ isHook: true, happenings }))).status).toBe('ready');
  });

  it('and is just being removed is judged by its end; while it runs it is terminating', async () => {
    scene.tracker.follow('shop/app', [JOB]);
    const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] };
    const done = ended('Complete');
    scene.cluster.put({ ...done, metadata: { ...done.metadata, ...leaving } });
    await scene.tracker.refresh([JOB]);
    expect((await scene.judge(request())).status).toBe('ready');
    scene.cluster.put({ ...job(), metadata: { ...job().metadata, ...leaving } });
    await scene.tracker.refresh([JOB]);
    expect((await scene.judge(request())).message).toContain('is being deleted');
  });

  it('is waited for when it has no time to live and is not there', async () => {
    const inventory = [refOf(job())];
    scene.tracker.follow('shop/app', inventory);
    await scene.tracker.refresh(inventory);
    expect((await scene.judge(request({ inventory, isHook: true }))).message).toBe('Job shop/web: does not exist');
  });
});

describe('a hook', () => {
  let scene: HealthScene;
  beforeEach(() => {
    scene = new HealthScene();
  });
  it('P13 of a hook whose Job has only started is not ready, whatever it declares', async () => {
    const started = job({}, { startTime: '2026-01-01T00:00:00Z', active: 1 });
    const component = aRevisionComponent('app', { readiness: { jobs: 'Started' } });
    const inventory = [refOf(scene.cluster.put(started))];
    scene.tracker.follow('shop/app', inventory);
    await scene.tracker.refresh(inventory);
    expect((await scene.judge({ component, inventory, awaited: [] })).status).toBe('ready');
    expect((await scene.judge({ component, inventory, awaited: [], isHook: true })).status).toBe('progressing');
  });
});
