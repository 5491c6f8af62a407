import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { workload } from '../../test/build/workload.ts';
import { rest } from '../../test/fakes/clock.ts';
import { EngineWorld, shopWorld, TWO } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';

const MINUTE = 60_000;

describe('the life of the engine', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = shopWorld();
  });

  describe('R2 a process that dies', () => {
    it('while it waits for a component goes on from there, and delivers nothing twice', async () => {
      world.backend.objects = ({ component }) => [workload(component, component === 'store' ? 1 : 3)];
      await world.install();
      await world.restart();
      await world.settle();
      expect(world.backend.submitted).toEqual(['install shop/store']);
      world.cluster.put(workload('store'));
      await world.settle();
      expect(world.backend.submitted).toEqual(['install shop/store', 'install shop/app']);
      expect(world.ready()).toBe('True ReconciliationSucceeded');
    });

    it('in the middle of a delivery unlocks it and drives it again', async () => {
      world.backend.last();
      await world.install();
      world.backend.succeed();
      await world.restart();
      await world.settle();
      expect(world.backend.submitted).toEqual([
        'install shop/store',
        'unlock shop/store',
        'upgrade shop/store',
        'install shop/app',
      ]);
      expect(world.ready()).toBe('True ReconciliationSucceeded');
    });

    it('before the values of a revision are saved saves them, and reads them back', async () => {
      world.addPackage({ components: { app: { values: { replicas: 3 } } } });
      world.cluster.before = ({ line }) => {
        if (line.startsWith('create Secret')) throw new KubepkgError('ApiUnreachable', 'the process is dead');
      };
      await world.start();
      await world.settle();
      expect(world.failures[0]).toBe('ApiUnreachable');
      world.cluster.before = () => undefined;
      await world.restart();
      await world.settle();
      expect(world.backend.delivered.at(-1)?.values).toEqual({ replicas: 3 });
    });

    it('whose response is lost does not create a second revision', async () => {
      world.addPackage();
      let lost = 0;
      world.cluster.after = ({ line }) => {
        if (line !== 'create PackageRevision shop-1') return;
        lost += 1;
        throw new KubepkgError('ApiTimeout', 'no answer');
      };
      await world.start();
      await world.settle();
      await world.advance(MINUTE);
      expect([lost, world.phases()]).toEqual([1, ['Applied']]);
    });
  });

  describe('R12 places for deliveries', () => {
    const other = (): void => {
      world.addSource([aComponent('web')], {}, 'front');
      world.addPackage({}, { name: 'front' });
    };

    it('a package that is stuck in its delivery holds no other up while there is a place', async () => {
      world.backend.last();
      await world.install();
      world.backend.succeed();
      other();
      await world.settle();
      expect(world.ready('front')).toBe('True ReconciliationSucceeded');
      expect(world.engine.running()).toBe(1);
    });

    it.each([
      ['holds no other up', true, 'True ReconciliationSucceeded'],
      ['holds up who finds no place, when it does not', false, 'False Progressing'],
    ])('a delivery that waits in helm for its workloads %s', async (_, waits, ready) => {
      world = new EngineWorld({ deliverySlots: 1 });
      world.addSource(TWO);
      if (waits) world.artifacts.withPostHooks.add('store');
      const finish = world.backend.last();
      await world.install();
      world.backend.succeed();
      other();
      await world.settle();
      expect([world.engine.running(), world.ready('front')]).toEqual([1, ready]);
      finish();
      await world.settle();
      expect([world.engine.running(), world.ready()]).toEqual([0, 'True ReconciliationSucceeded']);
    });

    it('who is called and needs no place any more passes the call on', async () => {
      world = new EngineWorld({ deliverySlots: 1 });
      world.addSource(TWO);
      const finish = world.backend.last();
      await world.install();
      for (const name of ['first', 'second']) {
        world.addSource([aComponent(name)], {}, name);
        world.addPackage({}, { name });
        await world.settle();
      }
      world.editPackage({ suspend: true }, { name: 'first' });
      world.editPackage({ suspend: true });
      await world.settle();
      finish();
      await world.settle();
      expect([world.ready('first'), world.ready('second')]).toEqual([
        'False Suspended',
        'True ReconciliationSucceeded',
      ]);
    });

    it('without a place nothing is begun; it goes on when one is free', async () => {
      world = new EngineWorld({ deliverySlots: 1 });
      world.addSource(TWO);
      const finish = world.backend.last();
      await world.install();
      other();
      await world.settle();
      expect(world.backend.submitted).toEqual(['install shop/store']);
      finish();
      await world.settle();
      expect(world.ready('front')).toBe('True ReconciliationSucceeded');
      expect(world.ready()).toBe('True ReconciliationSucceeded');
    });
  });

  describe('the end of the engine', () => {
    it('drained, it lets a delivery end, records nothing more and begins nothing new', async () => {
      const finish = world.backend.last();
      await world.install();
      let over = false;
      const drained = world.engine.drain().then(() => {
        over = true;
      });
      await rest();
      expect(over).toBe(false);
      finish();
      await drained;
      world.wake('shop');
      await world.settle();
      expect(world.backend.submitted).toEqual(['install shop/store']);
      expect(world.engine.running()).toBe(0);
    });

    it('aborted, it stops what runs and waits until it is gone', async () => {
      world.backend.last();
      await world.install();
      expect(world.engine.running()).toBe(1);
      await world.engine.abort();
      expect(world.engine.running()).toBe(0);
      await world.settle();
      expect(world.backend.submitted).toEqual(['install shop/store']);
    });

    it('stopped, it watches nothing', async () => {
      await world.install();
      world.engine.stop();
      expect(world.cluster.watched()).toEqual([]);
    });
  });
});
