import { describe, expect, it } from 'vitest';
import { HOLD } from '../operator/charts.ts';
import {
  deletePackage,
  inNamespace,
  letGo,
  messageOf,
  NEVER_READY,
  phases,
  publish,
  says,
  sim,
} from '../operator/packages.ts';
import { condition, isReady } from '../operator/world.ts';
import { GROUP, type Stage } from './stage.ts';

export function removalCases({ world, tree }: Stage): void {
  const { backend, cluster } = world;
  const gone = (name: string): Promise<void> => world.gone('kubepkg.dev/v1', 'Package', name);

  describe('P20 a package that is removed', () => {
    it('P20 F60 waits for what a finalizer holds: object, finalizer and since when are said', async () => {
      const own = inNamespace('blocked');
      await publish(world, 'blocked', { tree, components: [own('app'), own('held', { dependsOn: ['app'] })] });
      await world.applyPackage('blocked');
      await world.untilPackage('blocked', isReady);
      await deletePackage(world, 'blocked');
      const pkg = await world.untilPackage('blocked', says(new RegExp(HOLD)));
      expect(messageOf(pkg)).toMatch(/ConfigMap blocked\/held.* since \d{4}-\d\d-\d\dT/);
      expect(condition(pkg, 'Ready')?.reason).toBe('Deleting');
      const waits = await backend.deliveriesOf({ namespace: 'blocked', name: 'app' });
      expect(waits, 'what it depends on stays until it is gone').toEqual([1]);
      await letGo(world, 'blocked', 'held');
      await gone('blocked');
      expect(await backend.tracesIn('blocked')).toEqual([]);
      await world.gone('kubepkg.dev/v1', 'PackageRevision', 'blocked-1');
    });

    it('P20 R16 F58 keeps an operator until the custom resources are gone; its CRDs stay, wherever they came from', async () => {
      const own = inNamespace('engines');
      const components = [own('operator'), own('engine', { dependsOn: ['operator'] })];
      await publish(world, 'engines', { tree, components });
      await world.applyPackage('engines');
      await world.untilPackage('engines', isReady);
      await deletePackage(world, 'engines');
      const pkg = await world.untilPackage('engines', says(new RegExp(HOLD)));
      expect(messageOf(pkg)).toContain('Engine engines/engine');
      expect(await backend.deliveriesOf({ namespace: 'engines', name: 'operator' })).toEqual([1]);
      const ref = { apiVersion: `${GROUP}/v1`, kind: 'Engine', namespace: 'engines', name: 'engine' };
      await cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { finalizers: null } } });
      await gone('engines');
      for (const kind of ['engines', 'valves', 'keepers']) {
        const name = `${kind}.${GROUP}`;
        const crd = await cluster.read({
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          name,
        });
        expect(crd?.metadata, kind).toMatchObject({ name });
        expect(crd?.metadata, kind).not.toHaveProperty('deletionTimestamp');
      }
      expect(await cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'engines' })).toBeDefined();
      expect(await backend.tracesIn('engines')).toEqual([]);
    });

    it('P20 in the middle of an upgrade leaves nothing of either version', async () => {
      const own = inNamespace('midway');
      await publish(world, 'midway', { tree, components: [own('app'), own('config')] });
      await world.applyPackage('midway');
      await world.untilPackage('midway', isReady);
      const components = [own('app'), own('app', { dependsOn: ['app'] }, 'more')];
      await world.applyPackage('midway', { components: { more: sim(NEVER_READY) } });
      await publish(world, 'midway', { tree, version: '2.0.0', components });
      await world.untilPackage('midway', says(/more.* is not ready/));
      await deletePackage(world, 'midway');
      await gone('midway');
      expect(await backend.tracesIn('midway')).toEqual([]);
      expect((await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'midway' })).items).toEqual([]);
      await world.gone('kubepkg.dev/v1', 'PackageRevision', 'midway-3');
    });
  });

  describe('P20 a component that a version drops', () => {
    it('P20 and whose removal hangs is said, and the upgrade stays applied', async () => {
      const own = inNamespace('dropped');
      await publish(world, 'dropped', { tree, components: [own('config'), own('held')] });
      await world.applyPackage('dropped');
      await world.untilPackage('dropped', isReady);
      await publish(world, 'dropped', { tree, version: '2.0.0', components: [own('config')] });
      const pkg = await world.untilPackage('dropped', says(new RegExp(HOLD)));
      expect(condition(pkg, 'Ready')?.status).toBe('True');
      expect(condition(pkg, 'Reconciling')?.status).toBe('True');
      expect(phases(await world.revisions('dropped'))).toEqual(['Superseded', 'Applied']);
      await letGo(world, 'dropped', 'held');
      await world.untilPackage('dropped', (each) => isReady(each) && condition(each, 'Reconciling') === undefined);
      expect((await backend.tracesIn('dropped')).join()).not.toContain('held');
    });
  });
}
