import { describe, expect, it } from 'vitest';
import { annotate, countJobs, inNamespace, isAt, messageOf, phases, publish, sim } from '../operator/packages.ts';
import { condition, hasReason, isReady } from '../operator/world.ts';
import type { Stage } from './stage.ts';
import { SHORT } from './time-cases.ts';

export function hookCases({ world, tree }: Stage): void {
  const { backend } = world;

  interface Hooked {
    readonly hook?: 'migrate' | 'vanishing';
    readonly build?: number;
    /** Of the component; a version that changes nothing delivers nothing. */
    readonly component?: string;
  }

  const release = (name: string, version: string, { hook = 'migrate', build, component = 'mark' }: Hooked = {}) =>
    publish(world, name, {
      tree,
      version,
      safe: true,
      components: [inNamespace(name)(hook, { phase: 'PreUpgrade' }), inNamespace(name)('mark', {}, component)],
      rest: build === undefined ? {} : { build },
    });

  const releaseOf = (namespace: string, name: string) => ({ namespace, name });

  describe('an upgrade with a hook', () => {
    it('P13 P14 P16 P17 F53 runs its Job once for each version, before all else, waits for its end and removes it', async () => {
      const runs = countJobs(world, 'hooked');
      const until = (revision: number): Promise<unknown> =>
        world.untilPackage('hooked', (pkg) => isReady(pkg) && pkg.status?.currentRevision === revision);
      const mark = (text: string, spec = {}): Promise<unknown> =>
        world.applyPackage('hooked', {
          ...spec,
          components: { migrate: sim({ 'run-for': '1s' }), mark: { values: { mark: text } } },
        });
      await release('hooked', '1.0.0');
      await mark('one');
      await until(1);
      await mark('two');
      await until(2);
      await release('hooked', '1.0.0', { build: 2 });
      await until(3);
      await annotate(world, 'hooked', { 'kubepkg.dev/retry': 'heal' });
      await until(4);
      expect(runs, 'none for an install, a values change, a rebuild, a retry').toEqual([]);
      await mark('three', { suspend: true });
      await release('hooked', '1.1.0');
      await mark('three');
      await world.untilPackage('hooked', isAt('1.1.0'));
      expect(runs).toEqual(['1.0.0 to 1.1.0']);
      await world.untilPackage('hooked', (pkg) => condition(pkg, 'Reconciling') === undefined && isReady(pkg));
      expect((await backend.tracesIn('hooked')).join()).not.toContain('migrate');
      const revision = (await world.revisions('hooked')).at(-1);
      const { hooks = [], components = [] } = revision?.status ?? {};
      expect(components.map(({ name }) => name)).toEqual(['mark']);
      const [first = ''] = components.map(({ startedAt = '' }) => startedAt);
      expect((hooks[0]?.readyAt ?? '') <= first, 'the hook was done before anything else began').toBe(true);
      await release('hooked', '1.0.0');
      await world.untilPackage('hooked', isAt('1.0.0'));
      expect(runs, 'one for a way back by editing').toEqual(['1.0.0 to 1.1.0', '1.1.0 to 1.0.0']);
    });

    it('P15 R10 that fails stops before any other release has changed, with its exit code as evidence', async () => {
      await release('refused', '1.0.0');
      await world.applyPackage('refused', { components: { migrate: sim({ 'exit-code': '3' }) } });
      await world.untilPackage('refused', isAt('1.0.0'));
      await release('refused', '1.1.0', { component: 'other' });
      const pkg = await world.untilPackage('refused', hasReason('UpgradeFailed'));
      expect(await backend.deliveriesOf(releaseOf('refused', 'mark'))).toEqual([1]);
      expect(await backend.deliveriesOf(releaseOf('refused', 'other'))).toEqual([]);
      const [applied, failed] = await world.revisions('refused');
      expect(phases([applied, failed].flatMap((each) => each ?? []))).toEqual(['Applied', 'Failed']);
      expect(failed?.status?.evidence?.findings.join('\n')).toMatch(/exit(ed)?.* code 3/);
      expect(condition(pkg, 'Available')?.status).toBe('True');
    });

    it('P15 P16 F56 that is not done in time fails the upgrade, its Job is stopped, and nothing else was delivered', async () => {
      await release('late-hook', '1.0.0');
      await world.applyPackage('late-hook', {
        upgrade: { timeout: SHORT },
        components: { migrate: sim({ 'run-for': '10m' }) },
      });
      await world.untilPackage('late-hook', isReady);
      await release('late-hook', '1.1.0', { component: 'other' });
      await world.untilPackage('late-hook', hasReason('UpgradeFailed'));
      const [, failed] = await world.revisions('late-hook');
      expect(failed?.status?.failure).toMatchObject({ component: 'migrate', code: 'DeadlineExceeded' });
      expect(await backend.deliveriesOf(releaseOf('late-hook', 'mark'))).toEqual([1]);
      expect(await backend.deliveriesOf(releaseOf('late-hook', 'other'))).toEqual([]);
      expect(phases(await world.revisions('late-hook'))).toEqual(['Applied', 'Failed']);
    });

    it('P16 F73 that migrates is not cut off by a newer spec: it ends, and the next one runs', async () => {
      const runs = countJobs(world, 'newer');
      await release('newer', '1.0.0', { component: 'first' });
      await world.applyPackage('newer', { components: { migrate: sim({ 'run-for': '5s' }) } });
      await world.untilPackage('newer', isReady);
      await release('newer', '1.1.0', { component: 'second' });
      const job = await world.until('batch/v1', 'Job', 'migrate', ({ metadata }) => metadata.namespace === 'newer');
      const completed = world.until(
        'batch/v1',
        'Job',
        'migrate',
        (each) => each.metadata.uid === job.metadata.uid && condition(each, 'Complete')?.status === 'True',
      );
      await release('newer', '1.2.0', { component: 'third' });
      await completed;
      await world.untilPackage('newer', isAt('1.2.0'));
      expect(runs).toEqual(['1.0.0 to 1.1.0', '1.0.0 to 1.2.0']);
      expect(await backend.deliveriesOf(releaseOf('newer', 'second')), 'only its hook was done').toEqual([]);
    });

    it('P16 has to be gone with its pods before it runs for the next version', async () => {
      const seen: string[] = [];
      const watch = world.cluster.watch({ apiVersion: 'v1', kind: 'Pod', namespace: 'slow-hook' }, (event) => {
        if (event.type !== 'set' && event.type !== 'gone') return;
        const note = `${event.type} ${event.object.metadata.name}`;
        if (note.includes(' migrate-') && !seen.includes(note)) seen.push(note);
      });
      await release('slow-hook', '1.0.0');
      await world.applyPackage('slow-hook', { components: { migrate: sim({ 'terminate-after': '5s' }) } });
      await world.untilPackage('slow-hook', isReady);
      await release('slow-hook', '1.1.0');
      await world.untilPackage('slow-hook', ({ status }) => status?.version === '1.1.0');
      await release('slow-hook', '1.2.0');
      await world.untilPackage('slow-hook', isAt('1.2.0'));
      watch.stop();
      const pods = seen.filter((note) => note.startsWith('set ')).map((note) => note.slice('set '.length));
      expect(pods).toHaveLength(2);
      expect(seen.slice(0, 3)).toEqual([`set ${pods[0] ?? ''}`, `gone ${pods[0] ?? ''}`, `set ${pods[1] ?? ''}`]);
    });
  });

  describe('a hook whose Job removes itself as soon as it is done', () => {
    async function upgraded(name: string, exitCode: string): Promise<readonly string[]> {
      const runs = countJobs(world, name);
      await release(name, '1.0.0', { hook: 'vanishing' });
      await world.applyPackage(name, { components: { vanishing: sim({ 'exit-code': exitCode }) } });
      await world.untilPackage(name, isAt('1.0.0'));
      await release(name, '1.1.0', { hook: 'vanishing', component: 'other' });
      return runs;
    }

    it('F49 F51 has succeeded when that was seen', async () => {
      const runs = await upgraded('gone-well', '0');
      await world.untilPackage('gone-well', (pkg) => isAt('1.1.0')(pkg) && condition(pkg, 'Reconciling') === undefined);
      expect(runs).toHaveLength(1);
      expect((await backend.tracesIn('gone-well')).join()).not.toContain('vanishing');
    });

    it('F49 F51 has failed when that was seen, and nothing else has changed', async () => {
      const runs = await upgraded('gone-badly', '4');
      const failed = await world.untilPackage('gone-badly', hasReason('UpgradeFailed'));
      expect(runs, messageOf(failed)).toHaveLength(1);
      expect(await backend.deliveriesOf(releaseOf('gone-badly', 'other'))).toEqual([]);
      expect(phases(await world.revisions('gone-badly'))).toEqual(['Applied', 'Failed']);
    });
  });
}
