import { describe, expect, it } from 'vitest';
import { APPLIED, install, packageRef, revise } from '../../../test/build/installed.ts';
import { aRevisionComponent } from '../../../test/build/objects.ts';
import { report, shopWorld } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import { ANNOTATION } from '../../api/names.ts';

const SAFE = { spec: { rollbackSafe: true } };

/** Three revisions, the newest of which runs. */
function threeRevisions(...versions: readonly object[]): CliWorld {
  const world = shopWorld();
  install(world, 'shop');
  [1, 2, 3].forEach((number, index) => {
    revise(world, number, versions[index] ?? SAFE);
  });
  return world;
}

function annotations(world: CliWorld): Readonly<Record<string, string>> {
  return world.cluster.get(packageRef('shop'))?.metadata.annotations ?? {};
}

describe('kubepkg rollback', () => {
  it.each<[string, (world: CliWorld) => void, string]>([
    ['the one before the newest', () => undefined, '2'],
    [
      'the one before a failed attempt',
      (world) => {
        revise(world, 3, { status: { phase: 'Failed' } });
      },
      '2',
    ],
    [
      'not the one that a rollback has put back already',
      (world) => {
        revise(world, 3, { status: { phase: 'Failed' } });
        revise(world, 4, { version: '1.1.0', spec: { restoredFrom: 2, rollbackSafe: true } });
      },
      '1',
    ],
    [
      'the newest one that differs, not to what a retry has applied once more',
      (world) => {
        revise(world, 3, { version: '1.1.0', ...SAFE });
        revise(world, 4, { version: '1.1.0', ...SAFE });
      },
      '1',
    ],
    [
      'one of the same version with other values',
      (world) => {
        const components = [aRevisionComponent('app', { digest: 'digest-of-other-values' })];
        revise(world, 4, { version: '1.2.0', spec: { ...SAFE.spec, components } });
      },
      '3',
    ],
  ])('P19 goes back to %s', async (_what, arrange, target) => {
    const world = threeRevisions();
    arrange(world);
    expect(await world.run('rollback', 'shop', '--no-wait')).toBe(0);
    expect(annotations(world)).toMatchObject({ [ANNOTATION.rollbackTo]: target });
    expect(world.stdout.text).toBe(`shop is to go back to revision ${target}\n`);
  });

  it('P19 says where it goes before it asks', async () => {
    const world = threeRevisions();
    world.answer = 'n';
    expect(await world.run('rollback', 'shop', '--to', '1')).toBe(130);
    expect(world.stderr.text).toContain('shop goes back from revision 3 (1.2.0) to revision 1 (1.0.0); no hook runs');
    expect(annotations(world)).not.toHaveProperty(ANNOTATION.rollbackTo);
  });

  it('P11 P19 is refused past a version that does not allow it, before anything is written', async () => {
    const world = threeRevisions(SAFE, SAFE, {});
    expect(await world.run('rollback', 'shop')).toBe(5);
    expect(world.cluster.writes).toEqual([]);
    const [error, hint] = world.stderr.text.trimEnd().split('\n');
    expect(error).toContain('version 1.2.0 does not declare that going back is safe');
    expect(error).not.toContain(ANNOTATION.forceRollback);
    expect(hint).toContain('--force');
  });

  it('P11 P19 names every version that is forced', async () => {
    const world = threeRevisions(SAFE, {}, {});
    expect(await world.run('rollback', 'shop', '--to', '1', '--force', '--no-wait')).toBe(0);
    expect(annotations(world)).toMatchObject({
      [ANNOTATION.rollbackTo]: '1',
      [ANNOTATION.forceRollback]: '1.2.0,1.1.0',
    });
  });

  it('P11 says before it forces what speaks against it', async () => {
    const world = threeRevisions(SAFE, SAFE, {});
    await world.run('rollback', 'shop', '--force', '--dry-run');
    expect(world.stderr.text).toContain('forced, although version 1.2.0 does not declare that going back is safe');
  });

  it('forces nothing where nothing has to be forced', async () => {
    const world = threeRevisions();
    await world.run('rollback', 'shop', '--force', '--no-wait');
    expect(annotations(world)).not.toHaveProperty(ANNOTATION.forceRollback);
  });

  it('says so when that revision runs already', async () => {
    const world = threeRevisions();
    expect(await world.run('rollback', 'shop', '--to', '3')).toBe(0);
    expect(world.stdout.text).toContain('runs already');
    expect(world.cluster.writes).toEqual([]);
  });

  it.each<[string, readonly string[], number, string]>([
    ['a revision that does not exist', ['shop', '--to', '7'], 2, 'revision 1 (1.0.0), revision 2 (1.1.0)'],
    ['a word that is no number', ['shop', '--to', 'last'], 2, '--to 3'],
    ['a package that does not exist', ['shpo'], 2, 'did you mean shop?'],
    ['no time to wait', ['shop', '--timeout', '0'], 2, '--no-wait'],
    ['a time that is none', ['shop', '--timeout', 'soon'], 2, 'a number and a unit'],
    ['a flag that does not exist', ['shop', '--too', '1'], 2, 'did you mean --to?'],
  ])('refuses %s', async (_what, argv, exitCode, hint) => {
    const world = threeRevisions();
    expect(await world.run('rollback', ...argv)).toBe(exitCode);
    expect(world.stderr.text.trimEnd().split('\n').at(-1)).toContain(hint);
    expect(world.cluster.writes).toEqual([]);
  });

  it('refuses a revision that never was applied with the words of the operator', async () => {
    const world = threeRevisions();
    revise(world, 2, { status: { phase: 'Failed' } });
    expect(await world.run('rollback', 'shop', '--to', '2')).toBe(5);
    expect(world.stderr.text).toContain('it is not a revision that was applied; these were: 1, 3');
  });

  it('has nothing to go back to with one revision', async () => {
    const world = shopWorld();
    install(world, 'shop');
    revise(world, 1);
    expect(await world.run('rollback', 'shop')).toBe(2);
    expect(world.stderr.text).toContain('no earlier revision');
  });

  it('has nothing to go back to when a retry has only applied the same once more', async () => {
    const world = shopWorld();
    install(world, 'shop');
    for (const number of [1, 2]) revise(world, number, { version: '1.0.0' });
    expect(await world.run('rollback', 'shop')).toBe(2);
    expect(world.stderr.text).toContain('differs in version or values');
    expect(world.cluster.writes).toEqual([]);
  });

  it('refuses a package that is being removed', async () => {
    const world = threeRevisions();
    install(world, 'shop', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } });
    expect(await world.run('rollback', 'shop')).toBe(2);
    expect(world.stderr.text).toContain('kubepkg wait shop --for=Removed');
  });

  it('writes nothing with --dry-run, and prints what would be', async () => {
    const world = threeRevisions();
    expect(await world.run('rollback', 'shop', '--dry-run', '-o', 'json')).toBe(0);
    expect(world.cluster.writes).toMatchObject([{ verb: 'merge-patch', dryRun: true }]);
    const printed: unknown = JSON.parse(world.stdout.text);
    expect(printed).toMatchObject({ metadata: { annotations: { [ANNOTATION.rollbackTo]: '2' } } });
    expect(annotations(world)).not.toHaveProperty(ANNOTATION.rollbackTo);
  });

  it('names the right that is missing', async () => {
    const world = threeRevisions();
    world.cluster.writeFailure = new KubepkgError('ApiForbidden', 'user may not patch packages');
    expect(await world.run('rollback', 'shop')).toBe(4);
    expect(world.stderr.text).toContain('user may not patch packages');
  });
});

describe('kubepkg rollback, waiting', () => {
  async function waiting(): Promise<{ world: CliWorld; done: Promise<number> }> {
    const world = threeRevisions();
    const done = world.run('rollback', 'shop');
    await world.clock.armed(30 * 60_000);
    return { world, done };
  }

  it('is not content with the Ready from before, and ends when its own revision is applied', async () => {
    const { world, done } = await waiting();
    await world.clock.advance(60_000);
    expect(world.cluster.watchers).toBeGreaterThan(0);
    const restores = { version: '1.1.0', spec: { restoredFrom: 2 } };
    revise(world, 4, { ...restores, status: { phase: 'Applying' } });
    report(world, { ready: ['True', 'ReconciliationSucceeded', 'well'], revision: 3, version: '1.2.0' });
    revise(world, 4, { ...restores, status: APPLIED });
    expect(world.cluster.watchers).toBeGreaterThan(0);
    report(world, { ready: ['True', 'RolledBack', 'held'], revision: 4, version: '1.1.0' });
    expect(await done).toBe(0);
    expect(world.stdout.text).toBe('shop 1.1.0 is ready (revision 4), rolled back as requested\n');
  });

  it('ends when the operator refuses after all', async () => {
    const { world, done } = await waiting();
    const pkg = world.cluster.get(packageRef('shop'));
    if (pkg === undefined) throw new Error('the package is gone');
    world.cluster.set({ ...pkg, metadata: { ...pkg.metadata, annotations: {} } });
    report(world, { ready: ['False', 'RollbackFailed', 'refused: its record is gone'], revision: 3 });
    expect(await done).toBe(1);
    expect(world.stderr.text).toContain('its record is gone');
  });

  it('says how to come back when it is interrupted', async () => {
    const { world, done } = await waiting();
    world.interrupt();
    expect(await done).toBe(130);
    expect(world.stderr.text).toContain('kubepkg watch shop');
    expect(annotations(world)).toHaveProperty([ANNOTATION.rollbackTo]);
  });
});
