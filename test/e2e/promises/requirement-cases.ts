import { describe, expect, it } from 'vitest';
import type { Requirement } from '../../../src/api/package-source.ts';
import { cure, inNamespace, isAt, NEVER_READY, publish, says, sim, spoil } from '../operator/packages.ts';
import { condition, hasReason, isReady } from '../operator/world.ts';
import type { Stage } from './stage.ts';

/** It takes a second, more while the machine is busy; whoever only looked now and then would need up to a minute. */
const AT_ONCE_MS = 5000;

export function requirementCases({ world, tree }: Stage): void {
  /** A package of one component, in a namespace of its name. */
  async function offer(name: string, requires: readonly Requirement[] = []): Promise<void> {
    await publish(world, name, { tree, requires, components: [inNamespace(name)('app')] });
  }

  const never = { components: { app: sim(NEVER_READY) } };

  describe('a package that requires another', () => {
    it('P3 F13a waits for its applied version, without an error, and starts at once', async () => {
      await offer('db');
      await offer('api', [{ package: 'db', version: '>=2' }]);
      await world.applyPackage('db', { components: { late: sim(NEVER_READY) } });
      await world.untilPackage('db', isReady);
      await world.applyPackage('api');
      await world.untilPackage('api', says(/db is at 1\.0\.0/));
      const own = inNamespace('db');
      await publish(world, 'db', { tree, version: '2.0.0', components: [own('app'), own('app', {}, 'late')] });
      const waiting = await world.untilPackage('api', says(/db has a revision in progress/));
      expect(condition(waiting, 'Ready')?.reason).toBe('RequirementsNotMet');
      expect(condition(waiting, 'Stalled')).toBeUndefined();
      expect(await world.backend.tracesIn('api')).toEqual([]);
      const available = world.untilPackage('db', isAt('2.0.0')).then(() => Date.now());
      const started = world.untilRevision('api-1', () => true).then(() => Date.now());
      await cure(world, 'db', 'late');
      expect((await started) - (await available), 'milliseconds').toBeLessThan(AT_ONCE_MS);
      await world.untilPackage('api', isReady);
    });

    it('P4 optionally waits for one that is there, and not for one that is absent', async () => {
      await offer('plain', [{ package: 'extra', optional: true }]);
      await world.applyPackage('plain');
      await world.untilPackage('plain', isReady);
      await offer('extra');
      await world.applyPackage('extra', never);
      await world.untilPackage('extra', says(/is not ready/));
      await offer('ordered', [{ package: 'extra', optional: true }]);
      await world.applyPackage('ordered');
      await world.untilPackage('ordered', hasReason('RequirementsNotMet'));
      expect(await world.revisions('ordered')).toEqual([]);
      await cure(world, 'extra', 'app');
      await world.untilPackage('ordered', isReady);
    });

    it('P5 R9 finishes a revision that has started, though what it requires degrades, and says so', async () => {
      await offer('ground');
      await world.applyPackage('ground');
      await world.untilPackage('ground', isReady);
      await offer('upper', [{ package: 'ground' }]);
      await world.applyPackage('upper', never);
      await world.untilPackage('upper', says(/is not ready/));
      await spoil(world, 'ground', 'app');
      await world.untilPackage('ground', hasReason('Degraded'));
      const told = await world.untilPackage('upper', ({ status }) => status?.dependencies?.ground?.ready === false);
      expect(condition(told, 'Ready')?.reason).toBe('Progressing');
      await cure(world, 'upper', 'app');
      await world.untilPackage('upper', isReady);
    });
  });
}
