import { describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { KubepkgError } from '../api/errors.ts';
import { asArray, at } from '../lib/json.ts';
import { rest } from '../../test/fakes/clock.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';

const STARTED = 'replace PackageRevision shop-1 status';

describe('the status of a package', () => {
  it('P9 that waits for a place among the deliveries says so', async () => {
    const world = new EngineWorld({ deliverySlots: 1 });
    world.addSource([aComponent('app')]);
    world.addSource([aComponent('bar')], {}, 'cafe');
    await world.install();
    world.backend.last();
    world.addPackage({}, { name: 'cafe' });
    await world.settle();
    world.editPackage({ components: { app: { values: { size: 2 } } } });
    await world.settle();
    const messages = ['cafe', 'shop'].map(
      (name) => world.statusOf(name).conditions?.find(({ type }) => type === 'Ready')?.message,
    );
    expect(messages).toEqual([
      'component bar (1 of 1): its release is being delivered, until 2030-01-01T00:10:00Z',
      'component app (1 of 1): its release is being upgraded',
    ]);
  });

  it('P9 whose place went to another one, since an answer was lost, has its time from the place that it gets', async () => {
    const world = new EngineWorld({ deliverySlots: 1 });
    world.addSource([aComponent('app')]);
    world.addSource([aComponent('bar')], {}, 'cafe');
    const finish = world.backend.last();
    const turn = async (name: string): Promise<string> => {
      const { kind } = await world.engine.reconcile(name);
      await rest();
      return kind;
    };
    world.cluster.after = ({ line }) => {
      if (line !== STARTED) return;
      world.cluster.after = () => undefined;
      throw new KubepkgError('ApiTimeout', 'no answer');
    };
    world.addPackage();
    await world.start();
    let end = 'settled';
    while (end !== 'failed') end = await turn('shop');
    world.addPackage({ upgrade: { atomic: true, timeout: '1h' } }, { name: 'cafe' });
    while (world.engine.running() === 0) await turn('cafe');
    expect(world.backend.submitted).toEqual(['install shop/bar']);
    for (let minute = 0; minute < 15; minute += 1) await world.advance(60_000);
    expect(world.phases()).toEqual(['Applying', 'Applying']);
    expect(world.statusOf('shop').conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
      'component app (1 of 1): its delivery was interrupted and is taken up again',
    );
    finish();
    await world.settle();
    expect(world.phases()).toEqual(['Applied', 'Applied']);
    const revision = world.cluster.get({ apiVersion: 'kubepkg.dev/v1', kind: 'PackageRevision', name: 'shop-1' });
    expect(asArray(at(revision, 'status', 'components'))[0]).toMatchObject({
      attempt: 1,
      startedAt: '2030-01-01T00:15:00.000Z',
    });
  });
});
