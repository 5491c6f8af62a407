import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { workload } from '../../test/build/workload.ts';
import { rest } from '../../test/fakes/clock.ts';
import { EngineWorld, shopWorld, TWO } from '../../test/fakes/engine-world.ts';
import { API_VERSION } from '../api/names.ts';

describe('what a turn gathers', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = shopWorld();
  });

  describe('about what is wanted', () => {
    it('a backend that this operator does not have is refused', async () => {
      world.addPackage({ backend: 'teleport' });
      await world.start();
      await world.settle();
      expect(world.ready()).toBe('False InvalidConfiguration');
      expect(world.backend.submitted).toEqual([]);
    });

    it('a source that cannot be read is refused', async () => {
      world.cluster.put({
        apiVersion: API_VERSION,
        kind: 'PackageSource',
        metadata: { name: 'shop' },
        spec: { variants: 1 },
      });
      await world.install();
      expect(world.ready()).toBe('False InvalidConfiguration');
    });
  });

  describe('P3 a package that requires another', () => {
    const requiring = (requires: object): void => {
      const variants = [{ name: 'default', components: [aComponent('web')], requires: [requires] }];
      world.addSource([], { variants }, 'front');
      world.addPackage({}, { name: 'front' });
    };

    it('waits for it without polling, and starts as soon as it is available', async () => {
      requiring({ package: 'shop', version: '>=1' });
      await world.start();
      await world.settle();
      expect(world.ready('front')).toBe('False RequirementsNotMet');
      expect(world.results.get('front')).toEqual({ kind: 'settled' });
      world.addPackage();
      await world.settle();
      expect(world.ready('front')).toBe('True ReconciliationSucceeded');
      expect(world.backend.submitted.at(-1)).toBe('install shop/web');
      expect(world.statusOf('front').dependencies).toEqual({ shop: { ready: true } });
    });

    it('misses nothing that changes while it is only about to wait', async () => {
      requiring({ package: 'shop' });
      await world.install();
      const available = world.object('Package', 'shop');
      world.cluster.put({ ...available, status: { ...world.statusOf(), conditions: [] } });
      world.editPackage({}, { name: 'front', annotations: { 'kubepkg.dev/retry': '1' } });
      await rest();
      world.cluster.hold();
      world.cluster.before = ({ line }) => {
        if (line !== 'replace Package front status') return;
        const metadata = { ...available.metadata, resourceVersion: '9999' };
        world.cluster.emit({ type: 'set', object: { ...available, metadata } });
      };
      await world.engine.reconcile('front');
      expect(world.ready('front')).toBe('False Progressing');
    });

    it('waits while a revision of it is in progress, though all that runs works', async () => {
      world = new EngineWorld({ deliverySlots: 1 });
      world.addSource(TWO);
      await world.install();
      const finish = world.backend.last();
      world.addSource([aComponent('other')], {}, 'other');
      world.addPackage({}, { name: 'other' });
      await world.settle();
      world.editPackage({ components: { app: { values: { replicas: 3 } } } });
      requiring({ package: 'shop' });
      await world.settle();
      expect([world.condition('Available'), world.ready('front')]).toEqual([
        'True ComponentsHealthy',
        'False RequirementsNotMet',
      ]);
      expect(world.statusOf('front').dependencies).toEqual({ shop: { ready: false } });
      finish();
      await world.settle();
      expect(world.ready('front')).toBe('True ReconciliationSucceeded');
    });

    it('P4 does not wait for an optional one that is absent', async () => {
      requiring({ package: 'shop', optional: true });
      await world.start();
      await world.settle();
      expect(world.ready('front')).toBe('True ReconciliationSucceeded');
    });

    it.each<[string, object]>([
      ['the name of its source', { capability: 'shop' }],
      ['what its source provides', { capability: 'storage' }],
    ])('of a capability is met by an available package with %s', async (_say, requirement) => {
      world.addSource(TWO, { provides: ['storage'] });
      requiring(requirement);
      await world.start();
      await world.settle();
      expect(world.ready('front')).toBe('False RequirementsNotMet');
      world.addPackage();
      await world.settle();
      expect(world.ready('front')).toBe('True ReconciliationSucceeded');
    });

    it('P5 is not stopped by one that degrades once it has started', async () => {
      world.backend.objects = ({ component }) => [workload(component, component === 'web' ? 0 : 3)];
      requiring({ package: 'shop' });
      await world.install();
      world.cluster.put(workload('app', 0));
      await world.settle();
      expect(world.ready()).toBe('False Degraded');
      world.cluster.put(workload('web'));
      await world.settle();
      expect(world.ready('front')).toBe('True ReconciliationSucceeded');
    });
  });
});
