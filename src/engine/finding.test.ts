import { beforeEach, describe, expect, it } from 'vitest';
import { aRevisionComponent } from '../../test/build/objects.ts';
import { condition, widget } from '../../test/build/readiness-objects.ts';
import { HealthScene } from '../../test/fakes/health-scene.ts';
import type { KubeObject, ObjectRef } from '../api/kube.ts';
import type { HealthReport } from '../domain/release/component-view.ts';
import type { HealthRequest } from './health.ts';

const WIDGET: ObjectRef = { apiVersion: 'example.dev/v1', kind: 'Widget', namespace: 'shop', name: 'web' };

describe('P7 rule 4.1 of what names no generation, or may have a new controller', () => {
  const entry = { apiVersion: 'example.dev/v1', kind: 'Widget', name: 'web', condition: 'Ready', status: 'True' };
  const APP = aRevisionComponent('app', { readyWhen: [entry] });
  let scene: HealthScene;
  let begin: number;

  beforeEach(async () => {
    scene = new HealthScene();
    scene.cluster.put(widget({ status: { conditions: [condition('Ready', 'True')] } }));
    scene.tracker.follow('shop/app', [WIDGET]);
    await scene.clock.advance(600_000);
    begin = scene.clock.now();
  });

  /** Judged on what a live read finds after so many seconds. */
  async function after(seconds: number, parts: Partial<HealthRequest>): Promise<HealthReport> {
    await scene.clock.advance(begin + seconds * 1000 - scene.clock.now());
    await scene.tracker.refresh([WIDGET]);
    return scene.judge({ component: APP, inventory: [], awaited: [WIDGET], isAwaited: true, ...parts });
  }

  async function writeStatus(status: object): Promise<void> {
    const object = { ...scene.cluster.get(WIDGET), status } as KubeObject;
    await scene.cluster.write({ verb: 'replace', subresource: 'status', object });
    await scene.tracker.refresh([WIDGET]);
  }

  it('F18 waits for 30 s without a status write after the delivery, and tells until when', async () => {
    const happenings = { change: { startedAt: begin, since: begin } };
    expect(await after(1, { happenings })).toMatchObject({ status: 'progressing', until: begin + 30_000 });
    expect((await after(30, { happenings })).status).toBe('ready');
  });

  it('waits for 60 s without a status write after its controller became ready', async () => {
    const happenings = { controllerReadyAt: begin };
    expect(await after(1, { happenings })).toMatchObject({ status: 'progressing', until: begin + 60_000 });
    expect((await after(60, { happenings })).status).toBe('ready');
  });

  it('waits for 10 s after the first status write of the new controller, however often it writes', async () => {
    const happenings = { controllerReadyAt: begin };
    await after(2, { happenings });
    await writeStatus({ conditions: [condition('Ready', 'True')], beats: 1 });
    expect(await after(3, { happenings })).toMatchObject({ status: 'progressing', until: begin + 12_000 });
    await after(11, { happenings });
    await writeStatus({ conditions: [condition('Ready', 'True')], beats: 2 });
    expect((await after(12, { happenings })).status).toBe('ready');
  });

  it('begins anew when it did not hold in between', async () => {
    const happenings = { controllerReadyAt: begin };
    await after(1, { happenings });
    await writeStatus({ conditions: [condition('Ready', 'False')] });
    await after(5, { happenings });
    await writeStatus({ conditions: [condition('Ready', 'True')] });
    expect(await after(6, { happenings })).toMatchObject({ status: 'progressing', until: begin + 16_000 });
  });

  it('F15 of the release, of the same spec, with a caught-up generation waits for its new controller all the same', async () => {
    await writeStatus({ observedGeneration: 2, conditions: [condition('Ready', 'True')] });
    await scene.clock.advance(60_000);
    begin = scene.clock.now();
    const component = aRevisionComponent('app');
    const happenings = { change: { startedAt: begin, since: begin }, controllerReadyAt: begin };
    const own: Partial<HealthRequest> = { component, inventory: [WIDGET], awaited: [] };
    expect((await after(0, own)).status).toBe('ready');
    expect(await after(1, { ...own, happenings })).toMatchObject({ status: 'progressing', until: begin + 60_000 });
  });

  it('F15 whose spec the delivery has altered is ready as soon as its generation has caught up', async () => {
    const component = aRevisionComponent('app');
    const own: Partial<HealthRequest> = { component, inventory: [WIDGET], awaited: [] };
    await after(0, own);
    const happenings = { change: { startedAt: begin, since: begin }, controllerReadyAt: begin };
    scene.cluster.put({ ...widget({ spec: { size: 2 } }), status: {} });
    await writeStatus({ observedGeneration: 3, conditions: [condition('Ready', 'True')] });
    expect(scene.cluster.get(WIDGET)?.metadata.generation).toBe(3);
    expect((await after(1, { ...own, happenings })).status).toBe('ready');
  });

  it('is open to what is said now with observedGeneration Ignore', async () => {
    const component = aRevisionComponent('app', { readyWhen: [{ ...entry, observedGeneration: 'Ignore' }] });
    const happenings = { change: { startedAt: begin, since: begin }, controllerReadyAt: begin };
    expect((await after(1, { component, happenings })).status).toBe('ready');
  });

  it('rule 4.12 is what is said now once nothing is awaited', async () => {
    expect((await after(0, { isAwaited: false })).status).toBe('ready');
  });

  describe('with stableFor', () => {
    const component = aRevisionComponent('app', { readyWhen: [{ ...entry, stableFor: '20s' }] });
    const happenings = { change: { startedAt: 0, since: 0 }, controllerReadyAt: 0 };

    it('has to hold for so long, and no longer wait applies', async () => {
      const happened = { change: { startedAt: begin, since: begin }, controllerReadyAt: begin };
      expect(await after(0, { component, happenings: happened })).toMatchObject({
        status: 'progressing',
        until: begin + 20_000,
      });
      expect((await after(20, { component, happenings: happened })).status).toBe('ready');
    });

    it('counts from a credible transition, across a restart of this process', async () => {
      const lastTransitionTime = new Date(begin - 18_000).toISOString();
      await writeStatus({ conditions: [condition('Ready', 'True', { lastTransitionTime })] });
      expect(await after(0, { component, happenings })).toMatchObject({ until: begin + 3000 });
    });

    it('begins anew after a break', async () => {
      await after(1, { component, happenings });
      await writeStatus({ conditions: [condition('Ready', 'False')] });
      await after(10, { component, happenings });
      await writeStatus({ conditions: [condition('Ready', 'True')] });
      expect(await after(11, { component, happenings })).toMatchObject({ until: begin + 31_000 });
    });

    it('begins anew when the object was gone', async () => {
      await after(1, { component, happenings });
      scene.cluster.remove(WIDGET);
      expect((await after(10, { component, happenings })).message).toContain('does not exist yet');
      scene.cluster.put(widget({ status: { conditions: [condition('Ready', 'True')] } }));
      expect(await after(11, { component, happenings })).toMatchObject({ until: begin + 31_000 });
    });

    it('is not asked of what is applied', async () => {
      expect((await after(1, { component, isAwaited: false })).status).toBe('ready');
    });
  });

  describe('by an expression', () => {
    const { condition: _none, ...named } = entry;
    const component = aRevisionComponent('app', {
      readyWhen: [{ ...named, expression: "status.phase == 'Deployed'" }],
    });

    it('that is true is ready, and guarded like a condition', async () => {
      await writeStatus({ phase: 'Deployed' });
      expect((await after(0, { component })).status).toBe('ready');
      await scene.clock.advance(60_000);
      begin = scene.clock.now();
      const happenings = { change: { startedAt: begin, since: begin } };
      expect(await after(1, { component, happenings })).toMatchObject({ until: begin + 30_000 });
      await writeStatus({ phase: 'Deployed', observedGeneration: 1 });
      expect(await after(31, { component, happenings })).toMatchObject({ status: 'progressing', until: undefined });
      await writeStatus({ phase: 'Deployed', observedGeneration: 2 });
      expect((await after(32, { component, happenings })).status).toBe('ready');
    });

    it('F16 that asks for a field which is not there yet is waited for, and names it', async () => {
      const report = await after(0, { component });
      expect(report.status).toBe('progressing');
      expect(report.message).toContain('status.phase');
    });
  });
});
