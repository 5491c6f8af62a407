import { beforeEach, describe, expect, it, vi } from 'vitest';
import { workload } from '../../test/build/workload.ts';
import { rest } from '../../test/fakes/clock.ts';
import { recordRef } from '../../test/fakes/memory-backend.ts';
import { EngineWorld, shopWorld, TWO } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import { API_VERSION } from '../api/names.ts';

const MINUTE = 60_000;

describe('the engine', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = shopWorld();
  });

  describe('a package', () => {
    it('P1 is installed in order, and said to be ready', async () => {
      await world.install();
      expect(world.backend.submitted).toEqual(['install shop/store', 'install shop/app']);
      expect([world.ready(), world.condition('Available')]).toEqual([
        'True ReconciliationSucceeded',
        'True ComponentsHealthy',
      ]);
      expect(world.phases()).toEqual(['Applied']);
      expect(world.results.get('shop')).toEqual({ kind: 'settled' });
    });

    it('says what it is about to do before it does it', async () => {
      await world.install();
      const writes = world.cluster.writes();
      expect(writes.indexOf('replace Package shop status')).toBeLessThan(writes.indexOf('merge-patch Package shop'));
      expect(writes.indexOf('replace PackageRevision shop-1 status')).toBeLessThan(
        writes.indexOf('create Namespace shop'),
      );
    });

    it('tells of its way by events, warnings where somebody has to act', async () => {
      await world.install();
      expect(world.events[0]).toBe('shop Normal Progressing');
      expect(world.events.at(-1)).toBe('shop Normal ReconciliationSucceeded');
      world.backend.fail(new KubepkgError('ImmutableField', 'spec.selector cannot change'));
      world.events.length = 0;
      world.addSource(TWO, { version: '2.0.0' });
      await world.settle();
      expect(world.events.at(-1)).toBe('shop Warning UpgradeFailed');
    });

    it('tells of no event while it waits for the same thing in other words', async () => {
      world.backend.objects = ({ component }) => [workload(component, 0)];
      await world.install();
      const told = world.events.length;
      world.cluster.put(workload('store', 1));
      await world.settle();
      world.cluster.put(workload('store', 2));
      await world.settle();
      expect(world.statusOf().conditions?.[0]?.message).toContain('2 of 3 replicas available');
      expect(world.events).toHaveLength(told);
    });

    it('I9 that is applied is looked at again without a write, a delivery or a look at its releases', async () => {
      await world.install();
      const before = [world.cluster.requests.length, world.backend.submitted.length, world.backend.observations];
      world.wake('shop');
      await world.settle();
      await world.advance(10 * MINUTE);
      expect([world.cluster.requests.length, world.backend.submitted.length, world.backend.observations]).toEqual(
        before,
      );
    });

    it('P1 waits for each component, is woken by its objects and goes on', async () => {
      world.backend.objects = ({ component }) => [workload(component, component === 'store' ? 1 : 3)];
      await world.install();
      expect(world.backend.submitted).toEqual(['install shop/store']);
      expect(world.ready()).toBe('False Progressing');
      world.cluster.put(workload('store'));
      await world.settle();
      expect(world.backend.submitted).toEqual(['install shop/store', 'install shop/app']);
      expect(world.ready()).toBe('True ReconciliationSucceeded');
    });

    it('F98 that missed every event finds out within a minute', async () => {
      world.backend.objects = ({ component }) => [workload(component, component === 'store' ? 1 : 3)];
      await world.install();
      world.cluster.hold();
      world.cluster.put(workload('store'));
      await world.advance(MINUTE);
      expect(world.backend.submitted).toEqual(['install shop/store', 'install shop/app']);
    });

    it('I12 fails at its deadline, and not before', async () => {
      world.backend.objects = ({ component }) => [workload(component, 0)];
      await world.install();
      for (let minute = 0; minute < 9; minute += 1) await world.advance(MINUTE);
      expect(world.ready()).toBe('False Progressing');
      await world.advance(MINUTE);
      expect(world.ready()).toBe('False UpgradeFailed');
      expect(world.phases()).toEqual(['Failed']);
      expect(world.backend.submitted).toEqual(['install shop/store']);
    });

    it('P9 after an outage has a minute of observation before it can fail', async () => {
      world.backend.objects = ({ component }) => [workload(component, 0)];
      await world.install();
      world.engine.stop();
      await world.clock.advance(60 * MINUTE);
      await world.restart();
      await world.settle();
      expect(world.ready()).toBe('False Progressing');
      await world.advance(MINUTE - 1);
      expect(world.ready()).toBe('False Progressing');
      await world.advance(MINUTE);
      expect(world.ready()).toBe('False UpgradeFailed');
    });

    it("P21 goes on by itself within a minute once somebody else's release is gone", async () => {
      const target = { package: 'shop', component: 'store', releaseName: 'store', namespace: 'shop' };
      world.backend.leave(target, { owner: 'somebody' });
      // Only records of ours are watched.
      vi.spyOn(world.backend, 'watches').mockReturnValue([]);
      await world.install();
      expect(world.ready()).toBe('False InvalidConfiguration');
      world.cluster.remove(recordRef(target));
      await world.advance(MINUTE - 1);
      expect(world.ready()).toBe('False InvalidConfiguration');
      await world.advance(MINUTE);
      expect(world.ready()).toBe('True ReconciliationSucceeded');
    });

    it('P9 after a sleep of the machine it has that minute too', async () => {
      world.backend.objects = ({ component }) => [workload(component, 0)];
      await world.install();
      world.clock.jump(60 * MINUTE);
      await world.advance(1000);
      expect(world.ready()).toBe('False Progressing');
      await world.advance(MINUTE - 1001);
      expect(world.ready()).toBe('False Progressing');
      await world.advance(MINUTE);
      expect(world.ready()).toBe('False UpgradeFailed');
    });

    it('R11 tries a delivery again after its pause when the reason may pass, and stops when it will not', async () => {
      world.backend.fail(new KubepkgError('WebhookNotAnswering', 'no answer'));
      await world.install();
      expect(world.results.get('shop')).toEqual({ kind: 'again', afterMs: 1000 });
      await world.advance(999);
      expect(world.backend.submitted).toHaveLength(1);
      world.backend.fail(new KubepkgError('ImmutableField', 'spec.selector cannot change'));
      await world.advance(1000);
      expect(world.backend.submitted).toHaveLength(2);
      expect(world.ready()).toBe('False UpgradeFailed');
      await world.advance(60 * MINUTE);
      expect(world.backend.submitted).toHaveLength(2);
    });

    it('that degrades is reported, and nothing is done about it', async () => {
      world.backend.objects = ({ component }) => [workload(component)];
      await world.install();
      world.cluster.put(workload('app', 1));
      await world.settle();
      expect([world.ready(), world.condition('Available')]).toEqual(['False Degraded', 'False ComponentNotHealthy']);
      for (let minute = 0; minute < 10; minute += 1) await world.advance(MINUTE);
      expect(world.results.get('shop')).toEqual({ kind: 'settled' });
      world.cluster.put(workload('app'));
      await world.settle();
      expect(world.ready()).toBe('True ReconciliationSucceeded');
      expect(world.backend.submitted).toHaveLength(2);
    });

    it('whose release somebody removes is Degraded as soon as its record goes', async () => {
      await world.install();
      world.cluster.remove({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'release.app' });
      await world.settle();
      expect(world.ready()).toBe('False Degraded');
    });

    it('R8 upgrades with complete values: what is set no more goes back to the chart', async () => {
      world.addPackage({ components: { app: { values: { replicas: 3 } } } });
      await world.start();
      await world.settle();
      world.editPackage({});
      await world.settle();
      expect(
        world.backend.delivered.filter(({ component }) => component === 'app').map(({ values }) => values),
      ).toEqual([{ replicas: 3 }, {}]);
    });

    it('P20 is removed in reverse order, and goes last', async () => {
      await world.install();
      await world.cluster.write({ verb: 'delete', ref: { apiVersion: API_VERSION, kind: 'Package', name: 'shop' } });
      await world.settle();
      expect(world.backend.submitted.slice(2)).toEqual(['uninstall shop/app', 'uninstall shop/store']);
      expect(world.cluster.all('Package')).toEqual([]);
      expect(world.cluster.all('PackageRevision').flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    });

    it('that is being removed is looked at again and again while an uninstall runs, ever more rarely', async () => {
      await world.install();
      world.backend.last();
      await world.cluster.write({ verb: 'delete', ref: { apiVersion: API_VERSION, kind: 'Package', name: 'shop' } });
      await world.settle();
      for (let minute = 0; minute < 5; minute += 1) await world.advance(MINUTE);
      expect(world.results.get('shop')).toEqual({ kind: 'again', afterMs: MINUTE });
      expect(world.ready()).toBe('False Deleting');
    });

    it('that is gone is forgotten with all that was followed for it', async () => {
      world.backend.objects = ({ component }) => [workload(component)];
      await world.install();
      expect(world.cluster.watched()).toContain('Deployment');
      world.cluster.remove({ apiVersion: API_VERSION, kind: 'Package', name: 'shop' });
      await world.settle();
      expect(world.cluster.watched()).not.toContain('Deployment');
      expect(world.results.get('shop')).toEqual({ kind: 'settled' });
    });

    it('that cannot be read is refused in its status, once, and nothing is touched', async () => {
      world.cluster.put({
        apiVersion: API_VERSION,
        kind: 'Package',
        metadata: { name: 'shop' },
        spec: { upgrade: { timeout: 'soon' } },
      });
      await world.start();
      await world.settle();
      expect([world.ready(), world.condition('Stalled')]).toEqual([
        'False InvalidConfiguration',
        'True InvalidConfiguration',
      ]);
      world.wake('shop');
      await world.settle();
      expect(world.cluster.writes()).toEqual(['replace Package shop status']);
    });

    it('without a source waits for it, and is woken by it', async () => {
      world = new EngineWorld();
      world.addPackage();
      await world.start();
      await world.settle();
      expect(world.ready()).toBe('False PackageSourceNotFound');
      world.addSource(TWO);
      await world.settle();
      expect(world.ready()).toBe('True ReconciliationSucceeded');
    });

    it('P12 is tried again for a new value of the retry annotation, once', async () => {
      world.backend.fail(new KubepkgError('HelmFailed', 'it did not work'));
      await world.install();
      world.editPackage({}, { annotations: { 'kubepkg.dev/retry': '1' } });
      await world.settle();
      expect(world.backend.submitted).toHaveLength(2);
      world.wake('shop');
      await world.settle();
      expect(world.backend.submitted).toHaveLength(2);
    });

    it('a registry outage before a revision is FetchFailed, and retried', async () => {
      world.artifacts.failures.set('store', new KubepkgError('RegistryUnreachable', 'nobody is there'));
      await world.install();
      expect([world.ready(), world.phases()]).toEqual(['False FetchFailed', []]);
      world.artifacts.failures.clear();
      await world.advance(2000);
      expect(world.ready()).toBe('True ReconciliationSucceeded');
    });
  });

  describe('a turn', () => {
    it('that meets a conflict fails, and the next one goes on', async () => {
      world.addPackage();
      await world.start();
      let conflicts = 1;
      world.cluster.before = ({ line }) => {
        if (!line.startsWith('create PackageRevision') || conflicts === 0) return;
        conflicts -= 1;
        throw new KubepkgError('ApiConflict', 'somebody was quicker');
      };
      await world.settle();
      expect(world.failures).toEqual(['ApiConflict']);
      await world.advance(1000);
      expect(world.ready()).toBe('True ReconciliationSucceeded');
    });

    it('for a package that goes in the same moment fails with nothing', async () => {
      world.addPackage();
      await world.start();
      world.cluster.before = ({ line }) => {
        if (line === 'replace Package shop status')
          world.cluster.remove({ apiVersion: API_VERSION, kind: 'Package', name: 'shop' });
      };
      await rest();
      const result = await world.engine.reconcile('shop');
      expect(result.kind === 'failed' ? result.error.class : result.kind).not.toBe('bug');
    });

    it('R1 sees what it has written itself before the watch delivers it', async () => {
      world.addPackage();
      await world.start();
      await rest();
      world.cluster.hold();
      await world.engine.reconcile('shop');
      expect(world.cluster.writes().filter((line) => line.startsWith('create PackageRevision'))).toHaveLength(0);
      await rest();
      await world.engine.reconcile('shop');
      await world.engine.reconcile('shop');
      expect(world.cluster.writes().filter((line) => line.startsWith('create PackageRevision'))).toHaveLength(1);
      world.cluster.release();
      await world.settle();
      expect(world.ready()).toBe('True ReconciliationSucceeded');
    });
  });
});
