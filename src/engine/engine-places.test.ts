import { describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';

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
});
