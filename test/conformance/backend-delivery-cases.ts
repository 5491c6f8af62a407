import { describe, expect, it } from 'vitest';
import { at } from '../../src/lib/json.ts';
import { type BackendWorld, failureIn, presentOf } from './backend-world.ts';

const NO_ABORT = new AbortController().signal;

export function deliveryCases(world: BackendWorld): void {
  describe('delivery', () => {
    it('1 absent is absent, install makes it present, and a fresh instance agrees', async () => {
      const target = await world.target();
      expect(await world.observe(target)).toEqual({ state: 'absent' });
      const release = await world.release(target, { digest: `sha256:${'0a'.repeat(32)}` });
      const observed = await world.delivered(release);
      expect(observed).toMatchObject({ token: release.token, digest: release.digest, delivery: 'delivered' });
      expect(observed.everDelivered).toBe(true);
      expect(await world.observe(target)).toEqual(observed);
    });

    it('1 its inventory names its objects where they are', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target));
      const inventory = await world.harness.createBackend().inventory(target);
      const place = { namespace: target.namespace, name: 'web' };
      expect(inventory).toHaveLength(3);
      expect(inventory).toEqual(
        expect.arrayContaining([
          { apiVersion: 'v1', kind: 'ConfigMap', ...place },
          { apiVersion: 'v1', kind: 'Secret', ...place },
          { apiVersion: 'apps/v1', kind: 'Deployment', ...place },
        ]),
      );
    });

    it('2 P22 submitted twice is delivered once', async () => {
      const target = await world.target();
      const release = await world.release(target);
      const observed = await world.delivered(release);
      const backend = world.harness.createBackend();
      const again = await backend.submit({ kind: 'install', release, observed: { state: 'absent' } }, NO_ABORT);
      expect(again).toEqual({ kind: 'accepted' });
      expect(await world.observe(target)).toEqual(observed);
    });

    it('3 another version and other values are each an upgrade', async () => {
      const target = await world.target();
      const first = await world.delivered(await world.release(target));
      const second = await world.delivered(
        await world.release(target, { chart: { name: 'web', version: '1.1.0' }, digest: 'd-2' }),
      );
      expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'version')).toBe('1.1.0');
      const third = await world.delivered(
        await world.release(target, {
          chart: { name: 'web', version: '1.1.0' },
          values: { color: 'red' },
          digest: 'd-3',
        }),
      );
      expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'color')).toBe('red');
      expect([first, second, third].map(({ digest }) => digest)).toEqual(['d-1', 'd-2', 'd-3']);
      expect(second.revision).toBeGreaterThan(first.revision);
      expect(third.revision).toBeGreaterThan(second.revision);
    });

    it('3 R8 F80 an override that was removed is gone, and so is what only it had created', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target, { values: { replicas: 3, color: 'red', extra: true } }));
      await world.delivered(await world.release(target, { values: {} }));
      expect(at(await world.read('Deployment', 'web', target.namespace), 'spec', 'replicas')).toBe(0);
      expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'color')).toBe('blue');
      await world.gone('ConfigMap', 'web-extra', target.namespace);
    });

    it('3 F78 what the chart sets wins over what somebody set by hand', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target, { values: { color: 'red' } }));
      await world.harness.cluster.write({
        verb: 'merge-patch',
        ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace: target.namespace, name: 'web' },
        patch: { data: { color: 'mine' } },
      });
      await world.delivered(await world.release(target, { values: { color: 'green' } }));
      expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'color')).toBe('green');
    });

    it('5 a failure in the middle is visible, with a cause, and counted', async () => {
      const target = await world.target();
      const release = await world.release(target, { chart: { name: 'broken' } });
      const delivery = await world.deliver(release);
      expect(failureIn(delivery).message).toContain('port');
      expect(presentOf(delivery.observed)).toMatchObject({
        token: release.token,
        delivery: 'failed',
        everDelivered: false,
      });
      expect(presentOf(delivery.observed).message).toContain('port');
    });

    it('5 a failure before anything changed does not count', async () => {
      const target = await world.target();
      const before = await world.delivered(await world.release(target));
      const failing = await world.release(target, { chart: { name: 'broken' }, values: { render: false } });
      const { outcome, observed } = await world.deliver(failing);
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'RenderFailed' } });
      expect(observed).toEqual(before);
    });

    it('5 F67 a fixed version goes over a first one that failed half-way', async () => {
      const target = await world.target();
      await world.deliver(await world.release(target, { chart: { name: 'broken' } }));
      const observed = await world.delivered(
        await world.release(target, { chart: { name: 'broken' }, values: { port: 80 } }),
      );
      expect(observed).toMatchObject({ delivery: 'delivered', everDelivered: true });
      expect(await world.read('Service', 'web-second', target.namespace)).toBeDefined();
    });

    it('6 R14 an earlier chart with its values runs again after an upgrade', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target, { values: { color: 'red' } }));
      await world.delivered(
        await world.release(target, { chart: { name: 'web', version: '2.0.0' }, values: { extra: true } }),
      );
      await world.delivered(await world.release(target, { values: { color: 'red' } }));
      expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data')).toEqual({
        color: 'red',
        version: '1.0.0',
      });
      await world.gone('ConfigMap', 'web-extra', target.namespace);
    });

    it('13 long names are told apart, and the watch still knows whose release it is', async () => {
      const namespace = (await world.target()).namespace;
      const long = 'x'.repeat(70);
      const one = await world.target({ namespace, package: `${long}1`, releaseName: 'one' });
      const two = await world.target({ namespace, package: `${long}2`, releaseName: 'one' });
      await world.delivered(await world.release(one));
      expect((await world.observe(one)).state).toBe('present');
      expect((await world.observe(two)).state).toBe('foreign');
    });

    it('13 two packages in one namespace do not meet', async () => {
      const shop = await world.target();
      const bar = await world.target({ namespace: shop.namespace, package: 'bar', releaseName: 'bar' });
      await world.delivered(await world.release(shop));
      const before = await world.observe(shop);
      const observed = await world.delivered(await world.release(bar));
      expect(await world.observe(shop)).toEqual(before);
      expect(await world.uninstall(bar, observed)).toEqual({ kind: 'accepted' });
      expect(await world.observe(shop)).toEqual(before);
      expect(await world.read('ConfigMap', 'web', shop.namespace)).toBeDefined();
    });
  });
}
