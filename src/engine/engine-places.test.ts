import { describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';

describe('the status of a package', () => {
  it('P9 that waits for a place among the deliveries says so', async () => {
    const world = new EngineWorld({ deliverySlots: 1 });
    world.backend.last();
    world.addSource([aComponent('app')], {}, 'shop');
    world.addSource([aComponent('bar')], {}, 'cafe');
    world.addPackage();
    world.addPackage({}, { name: 'cafe' });
    await world.start();
    await world.settle();
    const messages = ['shop', 'cafe'].map(
      (name) => world.statusOf(name).conditions?.find(({ type }) => type === 'Ready')?.message,
    );
    expect(messages.map((message = '') => /is being (\w+)/.exec(message)?.[1]).sort()).toEqual([
      'delivered',
      'installed',
    ]);
  });
});
