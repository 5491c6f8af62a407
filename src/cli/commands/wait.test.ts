import { describe, expect, it } from 'vitest';
import { install, packageRef } from '../../../test/build/installed.ts';
import { OPERATOR_LEASE, type Ready, report, setLease, shopWorld, WELL } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import type { Condition } from '../../api/kube.ts';
import { at } from '../../lib/json.ts';

const GOING: Ready = ['False', 'Progressing', 'component app: 1 of 3 replicas are ready'];

function shop(ready: Ready): CliWorld {
  const world = shopWorld();
  install(world, 'shop', { ready });
  return world;
}

/** Beside those that there are. */
function condition(world: CliWorld, type: string, status: Condition['status'], observedGeneration = 1): void {
  const pkg = world.cluster.get(packageRef('shop'));
  if (pkg === undefined) throw new Error('the package is gone');
  const found = (at(pkg, 'status', 'conditions') ?? []) as readonly Condition[];
  const added = { type, status, observedGeneration, reason: 'x', message: '', lastTransitionTime: '' };
  world.cluster.set({ ...pkg, status: { conditions: [...found, added] } });
}

describe('kubepkg wait', () => {
  it('returns at once when it holds already', async () => {
    const world = shop(WELL);
    expect(await world.run('wait', 'shop')).toBe(0);
    expect(world.stdout.text).toBe('shop 1.0.0 is ready\n');
  });

  it('returns when all of them are ready', async () => {
    const world = shop(GOING);
    install(world, 'db', { ready: GOING });
    const done = world.run('wait', 'shop', 'db');
    await world.clock.armed(30 * 60_000);
    report(world, { ready: WELL, version: '1.0.0' });
    expect(world.cluster.watchers).toBeGreaterThan(0);
    report(world, { name: 'db', ready: WELL, version: '1.0.0' });
    expect(await done).toBe(0);
  });

  it.each<[string, Ready, number]>([
    ['has failed', ['False', 'UpgradeFailed', 'component app: no'], 1],
    ['cannot be carried out', ['False', 'InvalidConfiguration', 'no'], 5],
  ])('ends at once when the package %s', async (_what, ready, exitCode) => {
    const world = shop(ready);
    expect(await world.run('wait', 'shop')).toBe(exitCode);
    expect(world.stderr.text).toMatch(/^error: package shop: \w+: .*no\nhint: .+\n$/);
  });

  it('ends when the package fails meanwhile', async () => {
    const world = shop(GOING);
    const done = world.run('wait', 'shop');
    await world.clock.armed(30 * 60_000);
    report(world, { ready: ['False', 'UpgradeFailed', 'no'] });
    expect(await done).toBe(1);
  });

  it.each([
    ['Available', 'Available', 'True'],
    ['condition=Stalled=False', 'Stalled', 'False'],
  ] as const)('--for=%s goes on when the upgrade has failed: that says nothing of %s', async (goal, type, status) => {
    const world = shop(['False', 'UpgradeFailed', 'no']);
    condition(world, type, status === 'True' ? 'False' : 'True');
    const done = world.run('wait', 'shop', `--for=${goal}`);
    await world.clock.armed(30 * 60_000);
    report(world, { ready: ['False', 'UpgradeFailed', 'no'] });
    condition(world, type, status);
    expect(await done).toBe(0);
  });

  it('does not take what only is not healthy for failed for good', async () => {
    const world = shop(['False', 'Degraded', 'a pod is down']);
    const done = world.run('wait', 'shop');
    await world.clock.armed(30 * 60_000);
    report(world, { ready: WELL, version: '1.0.0' });
    expect(await done).toBe(0);
  });

  it('does not believe what is about an older edit', async () => {
    const world = shop(WELL);
    install(world, 'shop', { metadata: { generation: 2 } });
    report(world, { ready: WELL, version: '1.0.0', generation: 1 });
    const done = world.run('wait', 'shop');
    await world.clock.armed(30 * 60_000);
    report(world, { ready: WELL, version: '1.1.0' });
    expect(await done).toBe(0);
    expect(world.stdout.text).toContain('1.1.0');
  });

  it.each([
    ['Available', 'Available', 'True'],
    ['available', 'Available', 'True'],
    ['condition=Stalled', 'Stalled', 'True'],
    ['condition=Reconciling=False', 'Reconciling', 'False'],
  ] as const)('--for=%s is reached by %s=%s', async (goal, type, status) => {
    const world = shop(GOING);
    condition(world, type, status);
    expect(await world.run('wait', 'shop', `--for=${goal}`)).toBe(0);
    expect(world.stdout.text).toBe(`shop is ${type}=${status}\n`);
  });

  it('--for=Removed returns when it is gone, and at once when it never was', async () => {
    const world = shop(WELL);
    const done = world.run('wait', 'shop', '--for=Removed');
    await world.clock.armed(30 * 60_000);
    world.cluster.remove(packageRef('shop'));
    expect(await done).toBe(0);
    expect(await world.run('wait', 'shop', '--for=Removed')).toBe(0);
    expect(world.stdout.text).toBe('shop is removed\nthere is no package shop\n');
    expect(world.stderr.text).not.toContain('warning');
  });

  it('--for=Removed does not say of what never was that it is removed, and names the one that may be meant', async () => {
    const world = shop(WELL);
    expect(await world.run('wait', 'shp', '--for=Removed')).toBe(0);
    expect(world.stdout.text).toBe('there is no package shp\n');
    expect(world.stderr.text).toBe('warning: there is no package shp\nhint: did you mean shop?\n');
    const done = world.run('wait', 'shp', 'shop', '--for=Removed');
    await world.clock.armed(30 * 60_000);
    world.stdout.text = '';
    world.cluster.remove(packageRef('shop'));
    expect(await done).toBe(0);
    expect(world.stdout.text).toBe('there is no package shp\nshop is removed\n');
  });

  it('--for=Removed is reached too when another one of that name has been made', async () => {
    const world = shop(WELL);
    const pkg = world.cluster.get(packageRef('shop'));
    if (pkg === undefined) throw new Error('the package is gone');
    const done = world.run('wait', 'shop', '--for=Removed');
    await world.clock.armed(30 * 60_000);
    world.cluster.set({ ...pkg, metadata: { ...pkg.metadata, uid: 'another' } });
    expect(await done).toBe(0);
    expect(world.stdout.text).toBe('shop is removed\n');
  });

  it('says at once that no operator runs', async () => {
    const world = shop(GOING);
    world.cluster.remove(OPERATOR_LEASE);
    expect(await world.run('wait', 'shop')).toBe(4);
    expect(world.stderr.text).toMatch(/^error: no operator seems to be running: there is no Lease.*\nhint: /);
  });

  it('does not give up by two clocks alone: a Lease that is renewed while it is watched is alive', async () => {
    const world = shop(GOING);
    setLease(world, { holderIdentity: 'x', renewTime: '2029-12-31T20:00:00Z', leaseDurationSeconds: 8 });
    const done = world.run('wait', 'shop');
    await world.clock.armed(500);
    setLease(world, { holderIdentity: 'x', renewTime: '2029-12-31T20:00:01Z', leaseDurationSeconds: 8 });
    await world.clock.advance(500);
    await world.clock.armed(30 * 60_000);
    report(world, { ready: WELL, version: '1.0.0' });
    expect(await done).toBe(0);
    expect(world.stderr.text).not.toContain('no operator');
  });

  it('gives up once a Lease that is old was watched for as long as it lasts', async () => {
    const world = shop(GOING);
    setLease(world, { holderIdentity: 'x', renewTime: '2029-12-31T20:00:00Z', leaseDurationSeconds: 1 });
    const done = world.run('wait', 'shop');
    for (let looks = 0; looks < 2; looks += 1) {
      await world.clock.armed(500);
      await world.clock.advance(500);
    }
    expect(await done).toBe(4);
    expect(world.stderr.text).toContain('was renewed last 4h ago');
  });

  it('needs no operator for what holds already', async () => {
    const world = shop(WELL);
    world.cluster.remove(OPERATOR_LEASE);
    expect(await world.run('wait', 'shop')).toBe(0);
  });

  it('looks once with --timeout 0', async () => {
    const world = shop(GOING);
    expect(await world.run('wait', 'shop', '--timeout', '0')).toBe(3);
    expect(world.stderr.text).toContain('1 of 3 replicas');
    expect(world.clock.pending()).toEqual([]);
  });

  it('ends with 3 and what is awaited when the time is over', async () => {
    const world = shop(GOING);
    const done = world.run('wait', 'shop', '--timeout', '5m');
    await world.clock.armed(300_000);
    await world.clock.advance(300_000);
    expect(await done).toBe(3);
    expect(world.stderr.text).toContain('is not ready after 5m0s: component app: 1 of 3 replicas are ready');
  });

  it.each([
    ['--for=Redy', 'did you mean Ready?'],
    ['--for=done', 'write one of'],
    ['--for=condition=Staled', 'did you mean Stalled?'],
    ['--for=condition=Stalled=yes', 'condition=Stalled=True'],
    ['--timeout=-1s', 'a number and a unit'],
  ])('refuses %s', async (flag, hint) => {
    const world = shop(WELL);
    expect(await world.run('wait', 'shop', flag)).toBe(2);
    expect(world.stderr.text).toContain(hint);
  });

  it('refuses a package that does not exist', async () => {
    const world = shop(WELL);
    expect(await world.run('wait', 'shpo')).toBe(2);
    expect(world.stderr.text).toContain('did you mean shop?');
  });
});
