import { describe, expect, it } from 'vitest';
import { createClock } from '../../../src/compose/clock.ts';
import { inNamespace, messageOf, publish, says } from '../operator/packages.ts';
import { runningPrograms } from '../operator/processes.ts';
import { condition, hasReason, isReady } from '../operator/world.ts';
import type { Stage } from './stage.ts';

const QUIET_MS = 10_000;

/** What concerns the operator as a whole: nothing else may go on meanwhile. */
export function quietCases({ world, tree }: Stage): void {
  const { controller } = world.backend;

  /** What the operator has asked the API server to change, its Lease aside. */
  async function writesSince(since: number): Promise<readonly string[]> {
    const writes = (await world.writes(since)).filter(
      ({ user, objectRef }) => user.username === 'kubepkg' && objectRef?.resource !== 'leases',
    );
    return writes.map(({ verb, requestURI }) => `${verb} ${requestURI}`);
  }

  describe('when nothing changes', () => {
    it('P22 R7 nothing is written but the Lease, and no helm runs', async () => {
      // The event of the last transition may be written a moment after it.
      await expect.poll(() => writesSince(Date.now() - 5000), { timeout: 60_000, interval: 500 }).toEqual([]);
      const [since, clock] = [Date.now(), createClock()];
      const seen: string[] = [];
      while (clock.now() < since + QUIET_MS) {
        seen.push(...runningPrograms(world.plane.binaries.helm, world.dir));
        await new Promise<void>((resolve) => {
          clock.after(100, resolve);
        });
      }
      expect(await writesSince(since)).toEqual([]);
      expect(seen).toEqual([]);
    });
  });

  if (controller !== undefined) {
    describe('a controller that is down', () => {
      it('P9 R3 is said before the deadline, with the deadline, and does not outlast it; back again it goes on', async () => {
        const offer = async (name: string, timeout: string): Promise<void> => {
          await publish(world, name, { tree, components: [inNamespace(name)('mark')] });
          await world.applyPackage(name, { upgrade: { timeout } });
        };
        controller.pause();
        await Promise.all([offer('patience', '10m'), offer('haste', '40s')]);
        const waiting = await world.untilPackage('patience', says(/is it running\?/));
        expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
        expect(messageOf(waiting)).toMatch(new RegExp(`${controller.name}.*until \\d{4}-\\d\\d-\\d\\dT`));
        const failed = await world.untilPackage('haste', hasReason('UpgradeFailed'));
        expect(messageOf(failed)).toMatch(/not ready at its deadline.*is it running\?/);
        controller.resume();
        await world.untilPackage('patience', isReady);
        const [revision] = await world.revisions('patience');
        expect(revision?.status?.components?.map(({ attempt }) => attempt)).toEqual([1]);
        expect(await world.backend.deliveriesOf({ namespace: 'haste', name: 'mark' })).toEqual([]);
      });
    });
  }
}
