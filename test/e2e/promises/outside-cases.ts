import { describe, expect, it } from 'vitest';
import { at } from '../../../src/lib/json.ts';
import { writeTree, markChart } from '../operator/charts.ts';
import { annotate, createNamespace, inNamespace, messageOf, publish, says } from '../operator/packages.ts';
import { runHelm } from '../operator/run-helm.ts';
import { condition, hasReason, isReady } from '../operator/world.ts';
import type { Stage } from './stage.ts';
import { SHORT } from './time-cases.ts';

export function outsideCases({ world, tree }: Stage): void {
  const { backend, cluster } = world;

  async function installed(name: string): Promise<void> {
    await publish(world, name, { tree, components: [inNamespace(name)('mark')] });
    await world.applyPackage(name, { components: { mark: { values: { mark: 'ours' } } } });
    await world.untilPackage(name, isReady);
  }

  async function markOf(namespace: string): Promise<unknown> {
    return at(await cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'mark' }), 'data', 'mark');
  }

  const heal = (name: string): Promise<void> => annotate(world, name, { 'kubepkg.dev/retry': 'heal' });

  describe('a release that somebody', () => {
    it('P22 changes is told of, left as it is, and put back when that is asked for', async () => {
      await installed('edited');
      await backend.changeByHand({ namespace: 'edited', name: 'mark' });
      const isTold = says(/changed by someone else/);
      await world.untilPackage('edited', (pkg) => hasReason('Degraded')(pkg) && isTold(pkg));
      await world.until('v1', 'ConfigMap', 'mark', (each) => {
        return each.metadata.namespace === 'edited' && at(each, 'data', 'mark') === 'changed';
      });
      await heal('edited');
      await world.untilPackage('edited', (each) => isReady(each) && each.status?.currentRevision === 2);
      expect(await markOf('edited')).toBe('ours');
    });

    it('P22 removes is told of, not made again by itself, and put back when that is asked for', async ({ expect }) => {
      await installed('removed');
      await backend.removeByHand({ namespace: 'removed', name: 'mark' });
      // Before that, it may be told of while it is being removed.
      const isTold = says(/removed\/mark.*removed/);
      const pkg = await world.untilPackage('removed', (each) => hasReason('Degraded')(each) && isTold(each));
      expect(condition(pkg, 'Available')?.status).toBe('False');
      const deliveries = (): Promise<readonly number[]> => backend.deliveriesOf({ namespace: 'removed', name: 'mark' });
      await expect.poll(deliveries, { timeout: 60_000, interval: 200 }).toEqual([]);
      await heal('removed');
      await world.untilPackage('removed', (each) => isReady(each) && each.status?.currentRevision === 2);
      expect(await markOf('removed')).toBe('ours');
    });

    const { editByHand, suspendByHand } = backend;
    if (editByHand !== undefined) {
      it('P22 edits, and has nothing delivered, is told of, and put back when that is asked for', async () => {
        await installed('wished');
        await editByHand({ namespace: 'wished', name: 'mark' });
        const pkg = await world.untilPackage('wished', says(/changed outside kubepkg/));
        expect(condition(pkg, 'Ready')?.status, 'what was delivered still runs').toBe('True');
        expect(await markOf('wished')).toBe('ours');
        await heal('wished');
        await world.untilPackage(
          'wished',
          (each) => isReady(each) && each.status?.currentRevision === 2 && !/outside/.test(messageOf(each)),
        );
      });
    }

    if (suspendByHand !== undefined) {
      it('F03 R3 suspends is said to be paused, and an upgrade of it goes on as soon as that is over', async () => {
        await installed('suspended');
        const resume = await suspendByHand({ namespace: 'suspended', name: 'mark' });
        const told = await world.untilPackage('suspended', says(/paused outside kubepkg/));
        expect(condition(told, 'Available')?.status, 'what runs works').toBe('True');
        await world.applyPackage('suspended', { components: { mark: { values: { mark: 'newer' } } } });
        const waiting = await world.untilPackage('suspended', says(/paused outside kubepkg.*until \d{4}-\d\d-\d\dT/));
        expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
        await resume();
        await world.untilPackage('suspended', (pkg) => isReady(pkg) && pkg.status?.currentRevision === 2);
        expect(await markOf('suspended')).toBe('newer');
      });

      it('F03 R3 suspends and forgets fails its upgrade at the deadline, with the cause', async () => {
        await installed('forgotten');
        await suspendByHand({ namespace: 'forgotten', name: 'mark' });
        const spec = { upgrade: { timeout: SHORT }, components: { mark: { values: { mark: 'newer' } } } };
        await world.applyPackage('forgotten', spec);
        const revision = await world.untilRevision('forgotten-2', ({ status }) => status?.failure !== undefined);
        const { failure } = revision.status ?? {};
        expect(failure).toMatchObject({ component: 'mark', code: 'DeadlineExceeded' });
        expect(failure?.message).toContain('paused outside kubepkg');
        await world.untilPackage('forgotten', hasReason('UpgradeFailed'));
      });
    }
  });

  if (backend.controller !== undefined) {
    describe('P21 a release that helm alone has made', () => {
      it('P21 has the name of a component: it is left alone before the first delivery', async () => {
        const chart = await writeTree(world.dir, { mark: markChart() });
        await createNamespace(world, 'by-helm');
        const place = ['--namespace', 'by-helm', '--set', 'mark=theirs'];
        await runHelm(world, ['install', 'mark', `${chart}/mark`, ...place]);
        await publish(world, 'by-helm', { tree, components: [inNamespace('by-helm')('mark')] });
        await world.applyPackage('by-helm', { components: { mark: { values: { mark: 'ours' } } } });
        const pkg = await world.untilPackage('by-helm', hasReason('InvalidConfiguration'));
        expect(messageOf(pkg)).toMatch(/by-helm\/mark .*kubepkg\.dev\/adopt=true/);
        expect(await markOf('by-helm')).toBe('theirs');
        expect(await world.revisions('by-helm')).toEqual([]);
      });
    });
  }
}
