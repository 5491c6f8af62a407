import { beforeEach, describe, expect, it } from 'vitest';
import { deployment, widget } from '../../test/build/readiness-objects.ts';
import { rest } from '../../test/fakes/clock.ts';
import { HealthScene } from '../../test/fakes/health-scene.ts';
import { refOf } from '../api/kube.ts';

const READY = deployment();

describe.each(['draining', 'removing'] as const)('P20 a release that is %s', (delivery) => {
  const HELD = refOf(READY);

  let scene: HealthScene;

  beforeEach(async () => {
    scene = new HealthScene();
    scene.leave([READY, widget()], { delivery, message: 'Deployment shop/web is not gone yet' });
    await scene.ask();
    await rest();
    scene.woken.length = 0;
  });

  it('is unobserved, and says what it waits for', async () => {
    expect((await scene.ask()).health).toEqual({
      status: 'unobserved',
      message: 'Deployment shop/web is not gone yet',
      notes: [],
    });
  });

  it('is followed by what is still there, and by nothing else', async () => {
    expect(scene.cluster.watched()).toEqual(['Deployment', 'Widget']);
    scene.book.forgetPackage('shop');
    scene.cluster.remove(HELD);
    await scene.ask({ component: undefined });
    expect(scene.cluster.watched()).toEqual(['Widget']);
  });

  it('is looked at again as soon as one of its objects is gone, and its package is woken', async () => {
    await scene.ask();
    expect(scene.backend.observations).toBe(1);
    scene.cluster.remove(HELD);
    await rest();
    expect(scene.woken).toEqual(['shop/app']);
    await scene.ask();
    await scene.ask();
    expect(scene.backend.observations).toBe(2);
  });

  it('is looked at again after a second, whoever asks, and what went meanwhile is not missed', async () => {
    await scene.clock.advance(999);
    await scene.ask({ awaited: false });
    expect(scene.backend.observations).toBe(1);
    await scene.clock.advance(1);
    await scene.ask({ awaited: false, component: undefined });
    expect(scene.backend.observations).toBe(2);
  });

  it('follows nothing any more once all is gone', async () => {
    scene.cluster.remove({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'release.app' });
    scene.book.markRelease('shop/app');
    expect((await scene.ask()).observation.state).toBe('absent');
    expect(scene.cluster.watched()).toEqual([]);
  });

  it('lets its objects go when something is begun in its place', async () => {
    scene.leave([], { revision: 2, delivery: 'failed', everDelivered: false });
    expect(await scene.statusOf()).toBe('unobserved');
    expect(scene.cluster.watched()).toEqual([]);
  });

  it('is judged again when it is delivered anew', async () => {
    scene.leave([READY], { revision: 2 });
    scene.book.markRelease('shop/app');
    expect(await scene.statusOf()).toBe('ready');
    expect(scene.cluster.watched()).toEqual(['Deployment']);
  });
});
