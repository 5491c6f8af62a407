import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type BackendWorld, presentOf } from './backend-world.ts';

const NO_ABORT = new AbortController().signal;

export function removalCases(world: BackendWorld): void {
  describe('removal', () => {
    it('9 P20 uninstalls, leaves no orphan, and finds nothing the second time', async () => {
      const target = await world.target();
      const observed = await world.delivered(await world.release(target, { values: { extra: true } }));
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      for (const [kind, name] of [
        ['ConfigMap', 'web'],
        ['ConfigMap', 'web-extra'],
        ['Secret', 'web'],
        ['Deployment', 'web'],
      ] as const) {
        await world.gone(kind, name, target.namespace);
      }
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
    });

    it('9 F67 removes what only a failed upgrade had created, and what it no longer had', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target, { values: { extra: true } }));
      await world.deliver(await world.release(target, { chart: { name: 'broken' } }));
      const observed = presentOf(await world.observe(target));
      expect(await world.read('ConfigMap', 'web-extra', target.namespace)).toBeDefined();
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      for (const name of ['web', 'web-extra', 'web-first']) await world.gone('ConfigMap', name, target.namespace);
    });

    it('9 removes a first install that failed', async () => {
      const target = await world.target();
      const { observed } = await world.deliver(await world.release(target, { chart: { name: 'broken' } }));
      expect(await world.uninstall(target, presentOf(observed))).toEqual({ kind: 'accepted' });
      await world.gone('ConfigMap', 'web-first', target.namespace);
    });

    it('9 P20 keeps the CRDs that a chart has among its templates', async () => {
      const target = await world.target();
      const group = `g${randomUUID().slice(0, 8)}.example.com`;
      const observed = await world.delivered(
        await world.release(target, { chart: { name: 'custom' }, values: { group } }),
      );
      const before = await world.read('CustomResourceDefinition', `gadgets.${group}`);
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      await world.gone('ConfigMap', 'web', target.namespace);
      const after = await world.read('CustomResourceDefinition', `gadgets.${group}`);
      expect(after?.metadata.uid).toBe(before?.metadata.uid);
      expect(after?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('I7 an upgrade that drops a CRD keeps it', async () => {
      const target = await world.target();
      const group = `g${randomUUID().slice(0, 8)}.example.com`;
      await world.delivered(await world.release(target, { chart: { name: 'custom' }, values: { group } }));
      await world.delivered(await world.release(target, { chart: { name: 'custom' }, values: { group, crd: false } }));
      const crd = await world.read('CustomResourceDefinition', `gadgets.${group}`);
      expect(crd).toBeDefined();
      expect(crd?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('I7 an upgrade that drops a claim keeps it, and its data', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target, { chart: { name: 'volume' } }));
      await world.delivered(await world.release(target, { chart: { name: 'volume' }, values: { claim: false } }));
      const claim = await world.read('PersistentVolumeClaim', 'web', target.namespace);
      expect(claim).toBeDefined();
      expect(claim?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('9 P21 leaves an object that has passed to another release', async () => {
      const target = await world.target();
      const observed = await world.delivered(await world.release(target));
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: target.namespace, name: 'web' };
      const annotations = { 'meta.helm.sh/release-name': 'heir' };
      await world.harness.cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { annotations } } });
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      await world.gone('Secret', 'web', target.namespace);
      expect(await world.read('ConfigMap', 'web', target.namespace)).toBeDefined();
    });

    it('9 removes a release with objects whose kind is gone', async () => {
      const target = await world.target();
      const group = `g${randomUUID().slice(0, 8)}.example.com`;
      const crds = await world.target({ namespace: target.namespace, releaseName: 'crds', component: 'crds' });
      await world.delivered(await world.release(crds, { chart: { name: 'custom' }, values: { group } }));
      const values = { group, crd: false, object: true };
      const observed = await world.delivered(await world.release(target, { chart: { name: 'custom' }, values }));
      const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `gadgets.${group}` };
      await world.harness.cluster.write({ verb: 'delete', ref });
      await world.gone('CustomResourceDefinition', ref.name);
      expect(await world.uninstall(target, observed)).toEqual({ kind: 'accepted' });
      await world.gone('ConfigMap', 'web', target.namespace);
    });

    it('9 an uninstall of what never was succeeds', async () => {
      const target = await world.target();
      const observed = {
        state: 'present',
        revision: 1,
        token: 't',
        digest: 'd',
        delivery: 'delivered',
        everDelivered: true,
        message: '',
      } as const;
      const outcome = await world.harness.createBackend().submit({ kind: 'uninstall', target, observed }, NO_ABORT);
      expect(outcome).toEqual({ kind: 'accepted' });
    });
  });
}
