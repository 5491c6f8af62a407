import { describe, expect, it } from 'vitest';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import {
  annotate,
  cure,
  inNamespace,
  messageOf,
  NEVER_READY,
  publish,
  says,
  sim,
  untilPod,
} from '../operator/packages.ts';
import { condition, hasReason, isReady } from '../operator/world.ts';
import type { Stage } from './stage.ts';

/** Short, and still enough for a delivery on a busy machine. */
export const SHORT = '40s';
/** In which something is delivered and looked at, on a busy machine. */
const LONGER = '60s';

export function timeCases({ world, tree }: Stage): void {
  const { backend } = world;

  async function install(
    name: string,
    components: readonly SourceComponent[],
    spec: WrittenPackageSpec,
  ): Promise<void> {
    await publish(world, name, { tree, components });
    await world.applyPackage(name, spec);
  }

  const within = (timeout: string, components: WrittenPackageSpec['components'] = {}): WrittenPackageSpec => ({
    upgrade: { timeout },
    components,
  });

  describe('the time that a component has', () => {
    it('P9 R2 is its own: two that together need longer than the timeout are no failure', async () => {
      const own = inNamespace('each');
      const slow = sim({ 'ready-after': '32s' });
      await install('each', [own('app', {}, 'one'), own('app', {}, 'two')], within(LONGER, { one: slow, two: slow }));
      await world.untilPackage('each', isReady);
      const [revision] = await world.revisions('each');
      const times = revision?.status?.components?.map(({ startedAt = '', readyAt = '' }) => [startedAt, readyAt]) ?? [];
      const lasted = Date.parse(times.at(-1)?.[1] ?? '') - Date.parse(times[0]?.[0] ?? '');
      expect(lasted, 'longer than the timeout of each').toBeGreaterThan(60_000);
      const starts = times.map(([startedAt]) => startedAt);
      expect(starts, 'each began anew').toEqual([...new Set(starts)].sort());
    });

    it('P9 R2 R3 ends with a verdict within seconds, though nothing else happens, and names the deepest cause', async () => {
      const own = inNamespace('stuck');
      const never = sim({ behavior: 'image-pull-error' });
      const components = [own('app', {}, 'quick'), own('app', {}, 'store'), own('app', {}, 'front')];
      await install('stuck', components, within(SHORT, { quick: sim({ 'ready-after': '4s' }), store: never }));
      const pkg = await world.untilPackage('stuck', hasReason('UpgradeFailed'));
      const seen = Date.now();
      expect(condition(pkg, 'Stalled')).toMatchObject({
        status: 'True',
        message: expect.stringContaining('cannot pull image') as string,
      });
      const [revision] = await world.revisions('stuck');
      const failure = { component: 'store', code: 'DeadlineExceeded' };
      expect(revision?.status).toMatchObject({ phase: 'Failed', failure });
      const store = revision?.status?.components?.find(({ name }) => name === 'store');
      const deadline = Date.parse(store?.deadline ?? '');
      expect(deadline - Date.parse(store?.startedAt ?? ''), 'its own time').toBe(40_000);
      expect(seen - deadline, 'milliseconds after the deadline').toBeLessThan(5000);
      expect(await backend.deliveriesOf({ namespace: 'stuck', name: 'front' })).toEqual([]);
    });

    it('P9 is extended by a raised timeout while it runs', async () => {
      const slow = { app: sim({ 'ready-after': '65s' }) };
      await install('raised', [inNamespace('raised')('app')], within(LONGER, slow));
      await world.untilPackage('raised', says(/is not ready/));
      await world.applyPackage('raised', within('90s', slow));
      await world.untilPackage('raised', isReady);
      const revisions = await world.revisions('raised');
      expect(revisions).toHaveLength(1);
      expect(revisions[0]?.status?.components?.[0]?.attempt).toBe(1);
    });

    it('P9 stands still while the package is suspended', async () => {
      const slow = within(LONGER, { app: sim({ 'ready-after': '68s' }) });
      await install('paused', [inNamespace('paused')('app')], slow);
      await world.untilPackage('paused', says(/is not ready/));
      await world.applyPackage('paused', { ...slow, suspend: true });
      await world.untilPackage('paused', hasReason('Suspended'));
      const holds = (pod: Parameters<typeof condition>[0]): boolean => condition(pod, 'Ready')?.status === 'True';
      await untilPod(world, { namespace: 'paused', app: 'app', holds });
      const [revision] = await world.revisions('paused');
      const { deadline = '' } = revision?.status?.components?.[0] ?? {};
      expect(Date.parse(deadline), 'the deadline is over').toBeLessThan(Date.now());
      expect(revision?.status?.phase).toBe('Applying');
      await world.applyPackage('paused', slow);
      await world.untilPackage('paused', isReady);
      expect(await world.revisions('paused')).toHaveLength(1);
    });
  });

  describe('after a failure', () => {
    it('P12 nothing is tried again before the retry token has a new value', async () => {
      const components = [inNamespace('kept')('app')];
      await install('kept', components, within(SHORT, { app: sim(NEVER_READY) }));
      const failed = await world.untilPackage('kept', hasReason('UpgradeFailed'));
      expect(messageOf(failed)).toMatch(/kubepkg\.dev\/retry/);
      await cure(world, 'kept', 'app');
      const works = await world.untilPackage('kept', (pkg) => condition(pkg, 'Available')?.status === 'True');
      expect(condition(works, 'Ready')?.reason, 'nothing is retried by itself').toBe('UpgradeFailed');
      expect(await backend.deliveriesOf({ namespace: 'kept', name: 'app' })).toEqual([1]);
      await annotate(world, 'kept', { 'kubepkg.dev/retry': 'once' });
      await world.untilPackage('kept', isReady);
      expect(await world.revisions('kept')).toHaveLength(2);
    });

    it('P12 F69 a retry token makes one attempt for each new value', async () => {
      await install('tokens', [inNamespace('tokens')('job')], { components: { job: sim({ 'exit-code': '1' }) } });
      await world.untilPackage('tokens', hasReason('UpgradeFailed'));
      await annotate(world, 'tokens', { 'kubepkg.dev/retry': 'a' });
      await world.untilRevision('tokens-2', ({ status }) => status?.phase === 'Failed');
      await annotate(world, 'tokens', { 'kubepkg.dev/retry': 'a', 'example.org/other': 'edit' });
      await annotate(world, 'tokens', { 'kubepkg.dev/retry': 'b' });
      await world.untilRevision('tokens-3', ({ status }) => status?.phase === 'Failed');
      await world.untilPackage('tokens', hasReason('UpgradeFailed'));
      expect(await world.revisions('tokens')).toHaveLength(3);
    });

    it('P12 F70 R4 the spec set back after an attempt that changed nothing is Ready, with no further delivery', async () => {
      await install('back', [inNamespace('back')('sized')], {});
      await world.untilPackage('back', isReady);
      await world.applyPackage('back', {
        upgrade: { atomic: false },
        components: { sized: { values: { size: 'large' } } },
      });
      await world.untilPackage('back', hasReason('UpgradeFailed'));
      await world.applyPackage('back', {});
      await world.untilPackage('back', isReady);
      expect(await backend.deliveriesOf({ namespace: 'back', name: 'sized' })).toEqual([1]);
    });
  });
}
