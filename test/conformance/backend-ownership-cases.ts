import { describe, expect, it } from 'vitest';
import { type BackendWorld, presentOf } from './backend-world.ts';
import type { BackendCapabilities } from '../../src/ports/backend.ts';

const NO_ABORT = new AbortController().signal;

export function ownershipCases(world: BackendWorld, capabilities: BackendCapabilities): void {
  describe('ownership', () => {
    it('7 P21 a release made by somebody else is foreign, and is neither changed nor removed', async () => {
      const target = await world.target();
      await world.harness.createForeign(target);
      const before = await world.read('ConfigMap', 'web', target.namespace);
      const { outcome, observed } = await world.deliver(await world.release(target, { values: { color: 'red' } }));
      expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
      expect(observed.state).toBe('foreign');
      const pretended = { state: 'present', revision: 1, token: undefined, digest: undefined } as const;
      const assumed = { ...pretended, delivery: 'delivered', everDelivered: true, message: '' } as const;
      const removal = await world.harness
        .createBackend()
        .submit({ kind: 'uninstall', target, observed: assumed }, NO_ABORT);
      expect(removal).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
      expect(await world.read('ConfigMap', 'web', target.namespace)).toEqual(before);
    });

    it('7 P21 a release that appeared after it was looked for is not replaced', async () => {
      const target = await world.target();
      const release = await world.release(target, { values: { color: 'red' } });
      const backend = world.harness.createBackend();
      const observed = await backend.observe(release);
      await world.harness.createForeign(target);
      const before = await world.read('ConfigMap', 'web', target.namespace);
      const outcome = await backend.submit({ kind: 'install', release, observed }, NO_ABORT);
      expect(outcome.kind).not.toBe('accepted');
      expect(await world.read('ConfigMap', 'web', target.namespace)).toEqual(before);
    });

    it('7 P21 a release of another package is foreign', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target));
      const { outcome, observed } = await world.deliver(await world.release({ ...target, package: 'bar' }));
      expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
      expect(observed.state).toBe('foreign');
    });

    it('7 a component that was renamed goes on with its release', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target));
      const renamed = await world.release({ ...target, component: 'other' });
      const { outcome, observed } = await world.deliver(renamed);
      expect([outcome.kind, observed.state]).toEqual(['accepted', 'present']);
    });

    it('7 P21 an object of somebody else is not taken, and the message names it', async () => {
      const target = await world.target();
      const theirs = await world.harness.cluster.write({
        verb: 'create',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: target.namespace } },
      });
      const { outcome } = await world.deliver(await world.release(target));
      expect(outcome).toMatchObject({
        error: { code: 'OwnershipConflict', message: expect.stringContaining('ConfigMap') as string },
      });
      expect(await world.read('ConfigMap', 'web', target.namespace)).toEqual(theirs);
    });

    if (capabilities.adoptsObjects) {
      it('7 adopts a release and its objects when told to', async () => {
        const target = await world.target();
        await world.harness.createForeign(target);
        const observed = await world.delivered(await world.release(target, { values: { color: 'red' }, adopt: true }));
        expect(observed.delivery).toBe('delivered');
        expect(await world.read('ConfigMap', 'web', target.namespace)).toMatchObject({ data: { color: 'red' } });
        expect(presentOf(await world.observe(target))).toEqual(observed);
      });

      it('7 adopts objects without a release when told to', async () => {
        const target = await world.target();
        await world.harness.cluster.write({
          verb: 'create',
          object: {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'web', namespace: target.namespace },
            data: { color: 'x' },
          },
        });
        await world.delivered(await world.release(target, { adopt: true }));
        expect(await world.read('ConfigMap', 'web', target.namespace)).toMatchObject({ data: { color: 'blue' } });
      });
    } else {
      it('7 refuses to adopt', async () => {
        const target = await world.target();
        await world.harness.createForeign(target);
        const { outcome } = await world.deliver(await world.release(target, { adopt: true }));
        expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'Unsupported' } });
      });
    }

    it('10 a release that somebody removed is absent', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target));
      await world.harness.removeByHand(target);
      expect(await world.observe(target)).toEqual({ state: 'absent' });
    });

    it('10 a release that somebody changed has another revision or digest', async () => {
      const target = await world.target();
      const { revision, digest } = await world.delivered(await world.release(target));
      await world.harness.changeByHand(target);
      const changed = presentOf(await world.observe(target));
      expect([changed.revision, changed.digest]).not.toEqual([revision, digest]);
    });

    it('its watch finds the releases of ours, and no others', async () => {
      const target = await world.target();
      const foreign = await world.target({ namespace: target.namespace, releaseName: 'foreign' });
      await world.delivered(await world.release(target));
      await world.harness.createForeign(foreign);
      const owners: (string | undefined)[] = [];
      for (const watch of world.harness.createBackend().watches()) {
        const { namespace } = target;
        const { items } = await world.harness.cluster.list({ namespace, ...watch.selection });
        const found = items.map((item) => watch.owner(item)).filter((owner) => owner?.namespace === namespace);
        owners.push(...found.map((owner) => owner?.package));
      }
      expect(owners).toContain('shop');
      expect(new Set(owners.filter((owner) => owner !== undefined))).toEqual(new Set(['shop']));
    });
  });
}
