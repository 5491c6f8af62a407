import { describe, expect, it } from 'vitest';
import { APPLIED, install, packageRef, revise } from '../../../test/build/installed.ts';
import { type Ready, report, shopWorld } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { PackageRevisionStatus } from '../../api/package-revision.ts';

function tokenOf(world: CliWorld, name = 'shop'): string | undefined {
  return world.cluster.get(packageRef(name))?.metadata.annotations?.[ANNOTATION.retry];
}

describe('kubepkg retry', () => {
  it('gives every package the time as a token that is new', async () => {
    const world = shopWorld();
    for (const name of ['shop', 'db']) install(world, name, { ready: ['False', 'UpgradeFailed', 'no'] });
    expect(await world.run('retry', 'shop', 'db', '--no-wait')).toBe(0);
    expect([tokenOf(world), tokenOf(world, 'db')]).toEqual(Array(2).fill('2030-01-01T00:00:00.000Z'));
    expect(world.stdout.text).toBe('shop is to be tried again\ndb is to be tried again\n');
    await world.clock.advance(1);
    await world.run('retry', 'shop', '--no-wait');
    expect(tokenOf(world)).toBe('2030-01-01T00:00:00.001Z');
  });

  it.each<[Ready, string]>([
    [['True', 'ReconciliationSucceeded'], 'put back'],
    [['True', 'RolledBack'], 'goes on to the version that is wanted'],
    [['False', 'UpgradeFailed'], 'has failed (UpgradeFailed)'],
    [['False', 'RequirementsNotMet'], 'does not change what it waits for'],
    [['False', 'Progressing'], 'after that'],
  ])('says what it means for a package that is %j', async (ready, text) => {
    const world = shopWorld();
    install(world, 'shop', { ready });
    expect(await world.run('retry', 'shop', '--dry-run')).toBe(0);
    expect(world.stderr.text).toContain(text);
    expect(tokenOf(world)).toBeUndefined();
  });

  const run = (...hooks: readonly string[]): PackageRevisionStatus => ({
    phase: 'Failed',
    hooks: hooks.map((word) => {
      const [name = '', state] = word.split('=');
      return { name, state: state as 'Ready', attempt: state === 'Pending' ? 0 : 1 };
    }),
  });

  it.each<[string, PackageRevisionStatus, string, readonly string[]]>([
    ['that failed', run('backup=Ready', 'migrate=Failed', 'more=Pending'), '1.1.0', ['backup, which', 'migrate runs']],
    ['that a rollback left', { ...run('migrate=Ready'), phase: 'RolledBack' }, '1.1.0', ['migrate, which']],
    ['of the version that runs', run('migrate=Ready'), '1.0.0', []],
    ['that is in progress', { ...run('migrate=Ready'), phase: 'Applying' }, '1.1.0', []],
  ])('P13 P16 says which hooks of a revision %s run again', async (_what, status, version, hooks) => {
    const world = shopWorld();
    install(world, 'shop', { ready: ['False', 'UpgradeFailed'] });
    revise(world, 1);
    revise(world, 2, { version, status });
    if (status.phase === 'RolledBack') revise(world, 3, { version: '1.0.0', spec: { restoredFrom: 1 } });
    await world.run('retry', 'shop', '--dry-run');
    const said = world.stderr.text.split('\n').filter((line) => line.includes('hook'));
    expect(said).toEqual(hooks.map((text) => expect.stringContaining(text) as string));
  });

  it('says that a suspended one is tried when it is resumed', async () => {
    const world = shopWorld();
    install(world, 'shop', { spec: { suspend: true } });
    await world.run('retry', 'shop', '--dry-run');
    expect(world.stderr.text).toContain('once it is resumed');
  });

  it('waits for the revision that answers, not for the failure from before', async () => {
    const world = shopWorld();
    install(world, 'shop', { ready: ['False', 'UpgradeFailed', 'no'] });
    const done = world.run('retry', 'shop');
    await world.clock.armed(30 * 60_000);
    await world.clock.advance(60_000);
    expect(world.cluster.watchers).toBeGreaterThan(0);
    const annotations = { [ANNOTATION.retry]: tokenOf(world) ?? '' };
    revise(world, 2, { annotations, status: APPLIED });
    report(world, { ready: ['True', 'ReconciliationSucceeded', 'well'], revision: 2, version: '1.1.0' });
    expect(await done).toBe(0);
    expect(world.stdout.text).toBe('shop 1.1.0 is ready (revision 2)\n');
  });

  it('does not wait for what cannot start', async () => {
    const world = shopWorld();
    install(world, 'shop', { ready: ['False', 'InvalidConfiguration', 'no such chart'] });
    const done = world.run('retry', 'shop');
    await world.clock.armed(5000);
    expect(world.cluster.watchers).toBeGreaterThan(0);
    await world.clock.advance(5000);
    expect(await done).toBe(5);
  });
});
