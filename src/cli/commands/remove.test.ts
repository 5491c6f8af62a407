import { describe, expect, it } from 'vitest';
import { APPLIED, install, packageRef, revise } from '../../../test/build/installed.ts';
import { aRevisionComponent } from '../../../test/build/objects.ts';
import { report, shopWorld } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { FINALIZER } from '../../api/names.ts';

/** `shop` requires `db`; both have one revision. */
function shopAndDb(): CliWorld {
  const world = shopWorld();
  install(world, 'db', { source: { crds: ['tables.example.org'] } });
  install(world, 'shop', { requires: [{ package: 'db', version: '>=1' }] });
  revise(world, 1);
  revise(world, 1, { name: 'db' });
  return world;
}

function names(world: CliWorld): readonly boolean[] {
  return ['shop', 'db'].map((name) => world.cluster.get(packageRef(name)) !== undefined);
}

/** The operator, when it has removed everything. */
function letGo(world: CliWorld, name: string): void {
  world.cluster.remove(packageRef(name));
}

describe('kubepkg remove', () => {
  it('P20 protects what a package requires that stays, and names it with the constraint', async () => {
    const world = shopAndDb();
    expect(await world.run('remove', 'db')).toBe(2);
    const [error, hint] = world.stderr.text.trimEnd().split('\n');
    expect(error).toBe('error: package db is needed: shop requires package db, version >=1');
    expect(hint).toBe('hint: remove them together: kubepkg remove db shop');
    expect(world.cluster.writes).toEqual([]);
  });

  it('P20 takes both when both are named, dependents first, and ends when they are really gone', async () => {
    const world = shopAndDb();
    const done = world.run('remove', 'db', 'shop');
    await world.clock.armed(30 * 60_000);
    expect(world.cluster.writes.map((write) => ('ref' in write ? write.ref.name : ''))).toEqual(['shop', 'db']);
    letGo(world, 'shop');
    await world.clock.advance(60_000);
    expect(world.cluster.watchers).toBeGreaterThan(0);
    letGo(world, 'db');
    expect(await done).toBe(0);
    expect(world.stdout.text).toBe('shop is removed\ndb is removed\n');
  });

  it('P16 lists no release of a hook that has succeeded', async () => {
    const world = shopAndDb();
    const hooks = [{ name: 'migrate', state: 'Ready', attempt: 1 }] as const;
    const spec = { hooks: [aRevisionComponent('migrate')] };
    revise(world, 2, { spec, status: { ...APPLIED, hooks: [...hooks] } });
    await world.run('remove', 'shop', '--dry-run');
    expect(world.stderr.text).not.toContain('migrate');
    revise(world, 2, { spec, status: { phase: 'Failed', hooks: [...hooks] } });
    await world.run('remove', 'shop', '--dry-run');
    expect(world.stderr.text).toContain('release shop/migrate');
  });

  it('shows what goes in its order, and what stays', async () => {
    const world = shopAndDb();
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
    world.cluster.set({ ...claim, metadata: { namespace: 'shop', name: 'data-store-0' } });
    const release = { 'meta.helm.sh/release-name': 'store' };
    world.cluster.set({ ...claim, metadata: { namespace: 'shop', name: 'charts', annotations: release } });
    expect(await world.run('remove', 'shop', 'db', '--dry-run')).toBe(0);
    const text = world.stderr.text;
    expect(text).toContain('goes, in this order:\n  release shop/app\n  release shop/store\n');
    expect(text.slice(text.indexOf('stays:'))).toBe(
      [
        'stays:',
        '  Namespace shop',
        '  CustomResourceDefinition tables.example.org and its objects (crdPolicy: Retain)',
        '  PersistentVolumeClaim shop/data-store-0',
        '  PackageSource shop',
        '  PackageSource db',
        '',
      ].join('\n'),
    );
    expect(names(world)).toEqual([true, true]);
  });

  it('says that CRDs go with their objects where that is the policy', async () => {
    const world = shopWorld();
    install(world, 'db', { source: { crds: ['tables.example.org'] }, spec: { crdPolicy: 'Delete' } });
    await world.run('remove', 'db', '--dry-run');
    expect(world.stderr.text).toContain('tables.example.org and all its objects (crdPolicy: Delete)');
    expect(world.stderr.text).not.toContain('Retain');
  });

  it.each([
    ['', 130],
    ['n', 130],
    ['y', 0],
  ])('asks, and takes only a yes for one: %j ends with %i', async (answer, exitCode) => {
    const world = shopWorld();
    install(world, 'shop', { metadata: { finalizers: [] } });
    world.answer = answer;
    expect(await world.run('remove', 'shop')).toBe(exitCode);
    expect(names(world)[0]).toBe(exitCode !== 0);
  });

  it('says which object holds it up when the time is over', async () => {
    const world = shopAndDb();
    const done = world.run('remove', 'shop', '--timeout', '1m');
    await world.clock.armed(60_000);
    report(world, { ready: ['False', 'Deleting', 'ConfigMap shop/a is held by finalizer x/y'] });
    await world.clock.advance(60_000);
    expect(await done).toBe(3);
    expect(world.stderr.text).toContain('package shop is not gone after 1m0s: Deleting: ConfigMap shop/a is held by');
  });

  it('says in a pipe what it waits for, each time that it is something else', async () => {
    const world = shopAndDb();
    const done = world.run('remove', 'shop');
    await world.clock.armed(30 * 60_000);
    for (const object of ['a', 'b']) {
      report(world, { ready: ['False', 'Deleting', `ConfigMap ${object}`] });
      await world.stderr.shows(`Deleting: ConfigMap ${object}\n`);
    }
    letGo(world, 'shop');
    expect(await done).toBe(0);
  });

  it('takes another package of that name for one that is gone', async () => {
    const world = shopAndDb();
    const done = world.run('remove', 'shop');
    await world.clock.armed(30 * 60_000);
    install(world, 'shop', { metadata: { uid: 'another', finalizers: [FINALIZER] } });
    expect(await done).toBe(0);
  });

  it('--autoremove takes what was pulled in and is needed no more', async () => {
    const world = shopAndDb();
    install(world, 'db', { metadata: { annotations: { 'kubepkg.dev/dependency': 'shop' } } });
    expect(await world.run('remove', 'shop', '--autoremove', '--no-wait')).toBe(0);
    expect(world.stdout.text).toBe('shop is to be removed\ndb is to be removed\n');
    expect(world.stderr.text).toContain('nothing needs it any more');
  });

  it('finds the name that was meant', async () => {
    const world = shopAndDb();
    expect(await world.run('remove', 'shop', 'dbb')).toBe(2);
    expect(world.stderr.text).toContain('did you mean db?');
    expect(names(world)).toEqual([true, true]);
  });
});
