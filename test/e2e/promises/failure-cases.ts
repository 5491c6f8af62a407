import { describe, expect, it } from 'vitest';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import {
  annotate,
  countJobs,
  deploymentsOf,
  imagesOf,
  inNamespace,
  isAt,
  messageOf,
  NEVER_READY,
  phases,
  publish,
  says,
  sim,
} from '../operator/packages.ts';
import { condition, hasReason, isReady } from '../operator/world.ts';
import type { Stage } from './stage.ts';
import { SHORT } from './time-cases.ts';

export function failureCases({ world, tree }: Stage): void {
  const { backend } = world;

  interface Edition {
    readonly version: string;
    readonly path: 'app' | 'next';
    readonly safe?: boolean;
  }

  /** A hook and two components that are changed in chart and values by each version. */
  async function release(name: string, { version, path, safe = true }: Edition): Promise<void> {
    const own = inNamespace(name);
    const components = [
      own('migrate', { phase: 'PreUpgrade' }),
      own(path, {}, 'store'),
      own(path, { dependsOn: ['store'] }, 'front'),
    ];
    await publish(world, name, { tree, version, safe, components });
  }

  function values(tag: string, front: Readonly<Record<string, string>> = {}): WrittenPackageSpec {
    const image = `example.org/app:${tag}`;
    return {
      upgrade: { timeout: SHORT },
      components: { store: { values: { image } }, front: { values: { image, ...sim(front).values } } },
    };
  }

  /** To another chart with other values at once. */
  async function upgrade(name: string, edition: Edition, spec: WrittenPackageSpec): Promise<void> {
    await world.applyPackage(name, { ...spec, suspend: true });
    await release(name, edition);
    await world.applyPackage(name, spec);
  }

  const FIRST: Edition = { version: '1.0.0', path: 'app' };

  async function installed(name: string): Promise<readonly string[]> {
    await release(name, FIRST);
    await world.applyPackage(name, values('1'));
    await world.untilPackage(name, isAt('1.0.0'));
    return deploymentsOf(world, name);
  }

  describe('an upgrade that fails', () => {
    it('P10 R14 F57 F63 F76 is rolled back whole, chart and values, runs no hook on the way back, and leaves its evidence', async () => {
      const runs = countJobs(world, 'undone');
      const before = await installed('undone');
      await upgrade('undone', { version: '1.1.0', path: 'next' }, values('2', NEVER_READY));
      const pkg = await world.untilPackage(
        'undone',
        (each) => hasReason('UpgradeRolledBack')(each) && condition(each, 'Stalled')?.status === 'True',
      );
      expect(before).toEqual(['front first example.org/app:1', 'store first example.org/app:1']);
      expect(await deploymentsOf(world, 'undone')).toEqual(before);
      expect(runs).toEqual(['1.0.0 to 1.1.0']);
      const failed = (await world.revisions('undone')).find(({ status }) => status?.phase === 'RolledBack');
      expect(failed?.status?.evidence).toMatchObject({ component: 'front' });
      expect(failed?.status?.evidence?.findings.join('\n')).toMatch(/Deployment .*front/);
      expect(pkg.status?.version).toBe('1.0.0');
      expect(condition(pkg, 'Available')?.status).toBe('True');
    });

    it('P11 R4 to an unsafe version stops, and is fixed forward: what failed before fails nothing any more', async () => {
      await installed('forward');
      const unsafe = { version: '2.0.0', path: 'broken', safe: false } as const;
      await world.applyPackage('forward', { ...values('2'), suspend: true });
      const own = inNamespace('forward');
      await publish(world, 'forward', {
        tree,
        ...unsafe,
        components: [own('app', {}, 'store'), own('broken', {}, 'front')],
      });
      await world.applyPackage('forward', values('2'));
      const stopped = await world.untilPackage('forward', hasReason('UpgradeFailed'));
      expect(messageOf(stopped)).toContain('Not_A_Name');
      expect(phases(await world.revisions('forward')).at(-1)).toBe('Failed');
      await release('forward', { version: '2.0.1', path: 'next', safe: false });
      await world.untilPackage('forward', isAt('2.0.1'));
      const fixed = (await world.revisions('forward')).at(-1);
      expect(fixed?.status?.components?.map(({ attempt }) => attempt)).toEqual([1, 1]);
    });

    it('P10 is rolled back, though an old component needs its old dependency, which comes back after it', async () => {
      const own = inNamespace('old-needs');
      const config = { apiVersion: 'v1', kind: 'ConfigMap', name: 'mark', status: 'True' };
      const at = (version: string, mark: string): Promise<void> => {
        const expression = `data.mark == '${mark}'`;
        const readyWhen = [{ ...config, expression, observedGeneration: 'Ignore' as const }];
        const components = [own('mark'), own('app', { dependsOn: ['mark'], readyWhen })];
        return publish(world, 'old-needs', { tree, version, safe: true, components });
      };
      const marked = (mark: string): Record<string, { values: JsonObject }> => ({
        mark: { values: { mark } },
        app: { values: { image: `example.org/app:${mark}` } },
      });
      await at('1.0.0', 'old');
      await world.applyPackage('old-needs', { components: marked('old') });
      await world.untilPackage('old-needs', isReady);
      await world.applyPackage('old-needs', { suspend: true });
      await at('2.0.0', 'never');
      await world.applyPackage('old-needs', { upgrade: { timeout: SHORT }, components: marked('new') });
      const pkg = await world.untilPackage('old-needs', hasReason('UpgradeRolledBack'));
      expect(condition(pkg, 'Available')?.status).toBe('True');
      expect(await imagesOf(world, 'old-needs')).toEqual(['app example.org/app:old']);
      expect(phases(await world.revisions('old-needs'))).toContain('RolledBack');
    });

    it('P10 F65 F67 half-way leaves nothing behind once it is rolled back, and a fixed version goes through', async () => {
      const own = inNamespace('half');
      const at = (version: string, chart: string): Promise<void> =>
        publish(world, 'half', { tree, version, safe: true, components: [own('app'), own(chart, {}, 'more')] });
      await at('1.0.0', 'app');
      await world.applyPackage('half');
      await world.untilPackage('half', isReady);
      await at('1.1.0', 'broken');
      const failed = await world.untilPackage('half', hasReason('UpgradeRolledBack'));
      expect(messageOf(failed)).toContain('Not_A_Name');
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'half', name: 'left-over' };
      expect(await world.cluster.read(ref)).toBeUndefined();
      expect(condition(failed, 'Available')?.status).toBe('True');
      await at('1.1.1', 'app');
      await world.untilPackage('half', isAt('1.1.1'));
    });

    it('P10 F62 F63 takes what it has added away again, puts back what it has dropped, and keeps every namespace', async () => {
      const own = inNamespace('whole');
      const at = (version: string, more: 'space' | 'mark'): Promise<void> =>
        publish(world, 'whole', { tree, version, safe: true, components: [own('app'), own(more)] });
      await at('1.0.0', 'mark');
      await world.applyPackage('whole', { upgrade: { timeout: SHORT }, components: { space: sim(NEVER_READY) } });
      await world.untilPackage('whole', isReady);
      await at('2.0.0', 'space');
      await world.untilPackage(
        'whole',
        (pkg) => hasReason('UpgradeRolledBack')(pkg) && !/being removed/.test(messageOf(pkg)),
      );
      expect(await backend.deliveriesOf({ namespace: 'whole', name: 'space' })).toEqual([]);
      const mark = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'whole', name: 'mark' };
      expect(await world.cluster.read(mark)).toBeDefined();
      const space = await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'promised-space' });
      expect(space?.metadata).toMatchObject({ name: 'promised-space' });
      expect(space?.metadata).not.toHaveProperty('deletionTimestamp');
    });
  });

  describe('a rollback that is asked for', () => {
    it('P19 R14 restores chart and values, and runs no hook', async () => {
      const runs = countJobs(world, 'asked');
      const before = await installed('asked');
      await upgrade('asked', { version: '1.1.0', path: 'next' }, values('2'));
      await world.untilPackage('asked', isAt('1.1.0'));
      expect(await deploymentsOf(world, 'asked')).not.toEqual(before);
      await annotate(world, 'asked', { 'kubepkg.dev/rollback-to': '1' });
      const pkg = await world.untilPackage('asked', hasReason('RolledBack'));
      expect(condition(pkg, 'Ready')?.status).toBe('True');
      expect(await deploymentsOf(world, 'asked')).toEqual(before);
      expect(runs).toEqual(['1.0.0 to 1.1.0']);
    });

    it('P19 P11 past an unsafe version is refused, and what runs is left alone', async () => {
      const own = inNamespace('refusing');
      const at = (version: string): Promise<void> =>
        publish(world, 'refusing', { tree, version, components: [own('mark')] });
      await at('1.0.0');
      await world.applyPackage('refusing');
      await world.untilPackage('refusing', isReady);
      await world.applyPackage('refusing', { components: { mark: { values: { mark: 'new' } } } });
      await at('2.0.0');
      await world.untilPackage('refusing', isAt('2.0.0'));
      const deliveries = await backend.deliveriesOf({ namespace: 'refusing', name: 'mark' });
      const refused = world.untilPackage('refusing', says(/2\.0\.0 does not declare .*rollback\.safe/));
      await annotate(world, 'refusing', { 'kubepkg.dev/rollback-to': '1' });
      await refused;
      expect(await backend.deliveriesOf({ namespace: 'refusing', name: 'mark' })).toEqual(deliveries);
    });
  });

  describe('an override that is dropped', () => {
    it('R8 F80 gives way to the default of the chart, and nothing else is touched', async () => {
      const own = inNamespace('dropped-value');
      await publish(world, 'dropped-value', { tree, components: [own('mark'), own('config')] });
      await world.applyPackage('dropped-value', { components: { mark: { values: { mark: 'over' } } } });
      await world.untilPackage('dropped-value', isReady);
      await world.applyPackage('dropped-value');
      await world.untilPackage('dropped-value', (pkg) => isReady(pkg) && pkg.status?.currentRevision === 2);
      const mark = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'dropped-value', name: 'mark' };
      expect(await world.cluster.read(mark)).toMatchObject({ data: { mark: 'none' } });
      expect(await backend.deliveriesOf({ namespace: 'dropped-value', name: 'mark' })).toEqual([1, 2]);
      expect(await backend.deliveriesOf({ namespace: 'dropped-value', name: 'config' })).toEqual([1]);
    });
  });
}
