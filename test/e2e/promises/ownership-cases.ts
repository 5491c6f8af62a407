import { describe, expect, it } from 'vitest';
import { at } from '../../../src/lib/json.ts';
import {
  annotate,
  createNamespace,
  deletePackage,
  inNamespace,
  messageOf,
  publish,
  says,
} from '../operator/packages.ts';
import { hasReason, isReady } from '../operator/world.ts';
import type { Stage } from './stage.ts';

const ADOPT = { 'kubepkg.dev/adopt': 'true' };
const OURS = { components: { mark: { values: { mark: 'ours' } } } };

export function ownershipCases({ world, tree }: Stage): void {
  const { backend, cluster } = world;

  async function markOf(namespace: string): Promise<unknown> {
    return at(await cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'mark' }), 'data', 'mark');
  }

  async function offer(name: string, namespace = name): Promise<void> {
    await publish(world, name, { tree, components: [inNamespace(namespace)('mark')] });
    await world.applyPackage(name, OURS);
  }

  describe('P21 what belongs to somebody else', () => {
    it('P21 a release of that name is left alone, and taken over when told to adopt it', async () => {
      await createNamespace(world, 'their-release');
      await backend.createForeign({ namespace: 'their-release', name: 'mark' });
      await world.until('v1', 'ConfigMap', 'mark', ({ metadata }) => metadata.namespace === 'their-release');
      await offer('their-release');
      const pkg = await world.untilPackage('their-release', hasReason('InvalidConfiguration'));
      expect(messageOf(pkg)).toMatch(/their-release\/mark .*kubepkg\.dev\/adopt=true/);
      expect(await markOf('their-release')).toBe('theirs');
      expect(await world.revisions('their-release')).toEqual([]);
      await annotate(world, 'their-release', ADOPT);
      await world.untilPackage('their-release', isReady);
      expect(await markOf('their-release')).toBe('ours');
    });

    it('P21 an object that is there already is not touched, and is taken over when told to adopt it', async () => {
      await createNamespace(world, 'their-object');
      const metadata = { name: 'mark', namespace: 'their-object' };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { mark: 'theirs' } };
      await cluster.write({ verb: 'create', object });
      await offer('their-object');
      const pkg = await world.untilPackage('their-object', hasReason('UpgradeFailed'));
      expect(messageOf(pkg)).toMatch(/ConfigMap.*mark/);
      expect(await markOf('their-object')).toBe('theirs');
      await annotate(world, 'their-object', { ...ADOPT, 'kubepkg.dev/retry': 'adopt' });
      await world.untilPackage('their-object', isReady);
      expect(await markOf('their-object')).toBe('ours');
    });

    it('P21 a release has one package: the second is refused, and its removal takes nothing along', async () => {
      await offer('first', 'shared');
      await world.untilPackage('first', isReady);
      await offer('second', 'shared');
      const pkg = await world.untilPackage('second', hasReason('InvalidConfiguration'));
      expect(messageOf(pkg)).toContain('belongs to package first');
      await deletePackage(world, 'second');
      await world.gone('kubepkg.dev/v1', 'Package', 'second');
      expect(await markOf('shared')).toBe('ours');
      expect(await backend.deliveriesOf({ namespace: 'shared', name: 'mark' })).toEqual([1]);
    });

    it('R13 F90 P21 names that read alike, or are as long as can be, are those of different releases', async () => {
      const long = 'a-release-with-the-longest-name-that-helm-takes-are-';
      const far = `promised-${'a'.repeat(54)}`;
      const own = inNamespace(far);
      const components = [
        own('mark', { releaseName: `${long}x` }, 'one'),
        own('mark', { releaseName: `${long}y` }, 'two'),
        inNamespace('alike')('mark', { releaseName: 'b-c' }, 'three'),
        inNamespace('alike-b')('mark', { releaseName: 'c' }, 'four'),
      ];
      await publish(world, 'alike', { tree, components });
      await world.applyPackage('alike');
      await world.untilPackage('alike', isReady);
      for (const { install = {} } of components) {
        const release = { namespace: install.namespace ?? '', name: install.releaseName ?? '' };
        expect(await backend.deliveriesOf(release), release.name).toEqual([1]);
      }
    });
  });

  describe('what is awaited for long', () => {
    it('P22 R7 is delivered once, however often the package is looked at', async () => {
      const entry = { apiVersion: 'v1', kind: 'ConfigMap', name: 'signal', status: 'True' };
      const readyWhen = [{ ...entry, expression: "data.go == 'yes'" }];
      await publish(world, 'patient', { tree, components: [inNamespace('patient')('mark', { readyWhen })] });
      await world.applyPackage('patient');
      await world.untilPackage('patient', says(/signal/));
      for (const poke of ['1', '2', '3', '4']) {
        await annotate(world, 'patient', { 'example.org/poke': poke });
        await world.applyPackage('patient', { revisionHistoryLimit: 10 + Number(poke) });
        await world.untilPackage(
          'patient',
          ({ metadata, status }) => status?.observedGeneration === metadata.generation,
        );
      }
      const metadata = { name: 'signal', namespace: 'patient' };
      const signal = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { go: 'yes' } };
      await cluster.write({ verb: 'create', object: signal });
      await world.untilPackage('patient', isReady);
      expect(await backend.deliveriesOf({ namespace: 'patient', name: 'mark' })).toEqual([1]);
      const revisions = await world.revisions('patient');
      expect(revisions.map(({ status }) => status?.components?.[0]?.attempt)).toEqual([1]);
    });
  });
}
