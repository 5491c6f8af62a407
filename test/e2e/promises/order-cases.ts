import { describe, expect, it } from 'vitest';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import { asArray, at } from '../../../src/lib/json.ts';
import {
  cure,
  deletePackage,
  inNamespace,
  isAt,
  messageOf,
  NEVER_READY,
  publish,
  says,
  sim,
  spoil,
} from '../operator/packages.ts';
import { condition, hasReason, isReady } from '../operator/world.ts';
import { GROUP, type Stage } from './stage.ts';

interface Contradiction {
  readonly title: string;
  readonly chain: RegExp;
  readonly components: readonly SourceComponent[];
  readonly spec?: WrittenPackageSpec;
}

export function orderCases({ world, tree }: Stage): void {
  const { backend } = world;

  /** When the operator or whoever delivers for it first wrote the release of a component, or its Deployment. */
  async function firstWritten(namespace: string, name: string, since: number): Promise<number> {
    const writes = (await world.writes(since)).filter((event) => {
      if (backend.isInstruction(event, { namespace, name })) return true;
      const { resource, namespace: where, name: which } = event.objectRef ?? {};
      return resource === 'deployments' && where === namespace && which === name;
    });
    return Math.min(...writes.map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp)));
  }

  /** When the pods of a component that have an image were ready, in whole seconds. */
  async function readyAt(namespace: string, app: string, image: string): Promise<number> {
    const pods = await world.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: `app=${app}` });
    const own = pods.items.filter((pod) => at(asArray(at(pod, 'spec', 'containers'))[0], 'image') === image);
    return Math.max(...own.map((pod) => Date.parse(condition(pod, 'Ready')?.lastTransitionTime ?? '')));
  }

  describe('P1 the components of a package', () => {
    const order = ['store', 'app', 'front'];
    const slow = (image: string): WrittenPackageSpec => ({
      components: Object.fromEntries(
        order.map((name) => [name, { values: { image, ...sim({ 'ready-after': '2s' }).values } }]),
      ),
    });

    async function expectOrder(image: string, since: number): Promise<void> {
      const times = await Promise.all(
        order.map(async (name) => ({
          name,
          written: await firstWritten('shop', name, since),
          ready: await readyAt('shop', name, image),
        })),
      );
      for (const [index, { name, written, ready }] of times.entries()) {
        expect(ready - written, `${name} took its two seconds`).toBeGreaterThanOrEqual(1000);
        const before = times[index - 1];
        if (before !== undefined) expect(written, `${name} comes after ${before.name}`).toBeGreaterThan(before.ready);
      }
    }

    it('P1 P20 are installed and upgraded in order, each first written after the one before was ready, and removed in reverse', async () => {
      const own = inNamespace('shop');
      const release = (version: string, path: string): Promise<void> =>
        publish(world, 'shop', {
          tree,
          version,
          components: [
            own(path, { dependsOn: ['app'] }, 'front'),
            own(path, {}, 'store'),
            own(path, { dependsOn: ['store'] }, 'app'),
          ],
        });
      const installed = Date.now();
      await release('1.0.0', 'app');
      await world.applyPackage('shop', slow('example.org/app:1'));
      await world.untilPackage('shop', isReady);
      await expectOrder('example.org/app:1', installed);
      const upgraded = Date.now();
      await world.applyPackage('shop', { ...slow('example.org/app:2'), suspend: true });
      await release('1.1.0', 'next');
      await world.applyPackage('shop', slow('example.org/app:2'));
      const pkg = await world.untilPackage('shop', isAt('1.1.0'));
      expect(pkg.status?.currentRevision).toBe(2);
      await expectOrder('example.org/app:2', upgraded);
      for (const name of order) expect(await backend.deliveriesOf({ namespace: 'shop', name }), name).toEqual([1, 2]);
      const removed = Date.now();
      await deletePackage(world, 'shop');
      await world.gone('kubepkg.dev/v1', 'Package', 'shop');
      expect(await deletionsIn(['shop'], removed)).toEqual([...order].reverse().map((name) => `shop/${name}`));
      expect(await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' })).toBeDefined();
      expect(await backend.tracesIn('shop')).toEqual([]);
    });

    it('P1 one that was ready and degrades before the next one starts is waited for again', async () => {
      const own = inNamespace('relapse');
      const components = [own('app', {}, 'first'), own('app', {}, 'second'), own('config', {}, 'third')];
      await publish(world, 'relapse', { tree, components });
      await world.applyPackage('relapse', { components: { second: sim(NEVER_READY) } });
      await world.untilPackage('relapse', says(/component second .*is not ready/));
      const broken = world.until('apps/v1', 'Deployment', 'first', (object) => {
        return object.metadata.namespace === 'relapse' && condition(object, 'Available')?.status === 'False';
      });
      await spoil(world, 'relapse', 'first');
      await broken;
      await cure(world, 'relapse', 'second');
      await world.untilPackage('relapse', says(/component first .*is not ready/));
      expect(await backend.deliveriesOf({ namespace: 'relapse', name: 'third' })).toEqual([]);
      await cure(world, 'relapse', 'first');
      await world.untilPackage('relapse', isReady);
      const [revision] = await world.revisions('relapse');
      expect(revision?.status?.components?.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    });

    it('F01 R6 are left as they are before the one that they need is ready at its new spec', async () => {
      const own = inNamespace('joint');
      const image = (tag: string): { values: { image: string } } => ({ values: { image: `example.org/app:${tag}` } });
      const components = [own('app', {}, 'db'), own('app', { dependsOn: ['db'] }, 'web')];
      await publish(world, 'joint', { tree, components });
      await world.applyPackage('joint', { components: { db: image('1'), web: image('1') } });
      await world.untilPackage('joint', isReady);
      const slow = { values: { ...image('2').values, ...sim(NEVER_READY).values } };
      await world.applyPackage('joint', { components: { db: slow, web: image('2') } });
      await world.untilPackage('joint', says(/db.* is not ready/));
      expect(await backend.deliveriesOf({ namespace: 'joint', name: 'db' })).toEqual([1, 2]);
      expect(await backend.deliveriesOf({ namespace: 'joint', name: 'web' })).toEqual([1]);
      await cure(world, 'joint', 'db');
      await world.untilPackage('joint', isReady);
      expect(await backend.deliveriesOf({ namespace: 'joint', name: 'web' })).toEqual([1, 2]);
    });

    it('F12 F30 that have custom resources are not even created before their kinds are there', async () => {
      const own = inNamespace('kinds');
      const since = Date.now();
      await publish(world, 'kinds', {
        tree,
        components: [own('widget', { dependsOn: ['definition'] }), own('definition')],
      });
      await world.applyPackage('kinds');
      await world.untilPackage('kinds', isReady);
      const name = `widgets.${GROUP}`;
      const crd = await world.cluster.read({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        name,
      });
      const established = Date.parse((crd && condition(crd, 'Established')?.lastTransitionTime) ?? '');
      expect(await firstWritten('kinds', 'widget', since)).toBeGreaterThanOrEqual(established);
      const [revision] = await world.revisions('kinds');
      expect(revision?.status?.components?.map(({ attempt }) => attempt)).toEqual([1, 1]);
    });

    it('P20 of packages that are removed together go dependents first, each to its last pod', async () => {
      const since = Date.now();
      await publish(world, 'base', { tree, components: [inNamespace('base')('app')] });
      await publish(world, 'user', { tree, components: [inNamespace('user')('app')], requires: [{ package: 'base' }] });
      await world.applyPackage('base');
      await world.applyPackage('user', { components: { app: sim({ 'terminate-after': '3s' }) } });
      await world.untilPackage('user', isReady);
      await deletePackage(world, 'user');
      await deletePackage(world, 'base');
      await world.untilPackage('base', says(/removed first: user/));
      await world.gone('kubepkg.dev/v1', 'Package', 'user');
      expect((await world.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'user' })).items).toEqual([]);
      await world.gone('kubepkg.dev/v1', 'Package', 'base');
      expect(await deletionsIn(['base', 'user'], since)).toEqual(['user/app', 'base/app']);
    });
  });

  /** Deployments of namespaces whose deletion was asked for, in that order. */
  async function deletionsIn(namespaces: readonly string[], since: number): Promise<readonly string[]> {
    const deleted = (await world.writes(since)).filter(
      ({ verb, objectRef }) =>
        verb === 'delete' && objectRef?.resource === 'deployments' && namespaces.includes(objectRef.namespace ?? ''),
    );
    return [...new Set(deleted.map(({ objectRef }) => `${objectRef?.namespace ?? ''}/${objectRef?.name ?? ''}`))];
  }

  describe('a package that contradicts itself', () => {
    const own = inNamespace('contradictions');
    const fine = own('config', {}, 'fine');
    const rows: readonly Contradiction[] = [
      {
        title: 'P2 a circle',
        chain: /a → c → b → a|b → a → c → b|c → b → a → c/,
        components: [
          fine,
          own('config', { dependsOn: ['c'] }, 'a'),
          own('config', { dependsOn: ['a'] }, 'b'),
          own('config', { dependsOn: ['b'] }, 'c'),
        ],
      },
      {
        title: 'P2 an unknown dependency',
        chain: /ghost/,
        components: [fine, own('config', { dependsOn: ['ghost'] }, 'a')],
      },
      {
        title: 'P2 a disabled dependency',
        chain: /fine/,
        components: [own('config'), fine, own('config', { dependsOn: ['fine'] }, 'a')],
        spec: { components: { fine: { enabled: false } } },
      },
      {
        title: 'P17 a dependency on a hook',
        chain: /migrate/,
        components: [fine, own('migrate', { phase: 'PreUpgrade' }), own('config', { dependsOn: ['migrate'] }, 'a')],
      },
    ];

    it.each(rows)(
      '$title is InvalidConfiguration before anything is touched',
      async ({ title, chain, components, spec }) => {
        const name = title.toLowerCase().replaceAll(' ', '-');
        await publish(world, name, { tree, components });
        await world.applyPackage(name, spec);
        const pkg = await world.untilPackage(name, hasReason('InvalidConfiguration'));
        expect(messageOf(pkg)).toMatch(chain);
        expect(condition(pkg, 'Stalled')?.status).toBe('True');
        expect(await world.revisions(name)).toEqual([]);
        expect(await backend.tracesIn('contradictions')).toEqual([]);
        expect(
          await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'contradictions' }),
        ).toBeUndefined();
      },
    );

    it('P2 P17 leaves what runs as it is when it becomes so by an edit', async () => {
      const sane = inNamespace('sane');
      await publish(world, 'sane', { tree, components: [sane('app')] });
      await world.applyPackage('sane');
      await world.untilPackage('sane', isReady);
      const components = [sane('app', { dependsOn: ['migrate'] }), sane('migrate', { phase: 'PreUpgrade' })];
      await publish(world, 'sane', { tree, version: '2.0.0', components });
      const pkg = await world.untilPackage('sane', hasReason('InvalidConfiguration'));
      expect(pkg.status?.version).toBe('1.0.0');
      expect(condition(pkg, 'Available')?.status).toBe('True');
      expect(await world.revisions('sane')).toHaveLength(1);
      expect(await backend.deliveriesOf({ namespace: 'sane', name: 'app' })).toEqual([1]);
    });
  });
}
