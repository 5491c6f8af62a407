import { describe, expect, it } from 'vitest';
import { install, packageRef } from '../../../test/build/installed.ts';
import { report, shopWorld, WELL } from '../../../test/build/shop-world.ts';

function lines(text: string): readonly unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

describe('kubepkg watch', () => {
  it('shows every package, those included that are yet to come, until it is interrupted', async () => {
    const world = shopWorld();
    install(world, 'shop');
    const done = world.run('watch');
    await world.stdout.shows('shop: Ready: ReconciliationSucceeded: all is well');
    install(world, 'db', { ready: ['False', 'UpgradeFailed', 'no'] });
    expect(world.stdout.text).toContain('db: Failed: UpgradeFailed: no');
    world.interrupt();
    expect(await done).toBe(130);
    expect(world.cluster.watchers).toBe(0);
  });

  it('ends when those that were named are gone', async () => {
    const world = shopWorld();
    install(world, 'shop');
    install(world, 'db');
    const done = world.run('watch', 'shop');
    await world.stdout.shows('shop: Ready');
    expect(world.stdout.text).not.toContain('db');
    world.cluster.remove(packageRef('shop'));
    expect(await done).toBe(0);
  });

  it('shows none but those that were named', async () => {
    const world = shopWorld();
    for (const name of ['shop', 'db', 'web']) install(world, name);
    const done = world.run('watch', 'shop', 'web');
    await world.stdout.shows('web: Ready');
    expect(world.stdout.text).toContain('shop: Ready');
    expect(world.stdout.text).not.toContain('db');
    world.interrupt();
    await done;
  });

  it('prints one JSON object a line for each change', async () => {
    const world = shopWorld();
    install(world, 'shop');
    const done = world.run('watch', 'shop', '-o', 'json');
    await world.stdout.shows('\n');
    report(world, { ready: WELL, version: '1.0.0', revision: 1 });
    report(world, { ready: ['False', 'Degraded', 'a pod is down'], version: '1.0.0', revision: 1 });
    world.cluster.remove(packageRef('shop'));
    expect(await done).toBe(0);
    const time = '2030-01-01T00:00:00Z';
    expect(lines(world.stdout.text)).toEqual([
      {
        time,
        name: 'shop',
        version: '1.0.0',
        state: 'Ready',
        reason: 'ReconciliationSucceeded',
        message: 'all is well',
      },
      { time, name: 'shop', version: '1.0.0', state: 'Failed', reason: 'Degraded', message: 'a pod is down' },
      { time, name: 'shop', state: 'Removed' },
    ]);
  });

  it('is redrawn on a terminal, which it leaves as it was', async () => {
    const world = shopWorld();
    install(world, 'shop');
    world.stdout.isTerminal = true;
    const done = world.run('watch');
    await world.stdout.shows('shop');
    world.interrupt();
    await done;
    expect(world.stdout.text.endsWith('\u001b[?25h')).toBe(true);
    expect(world.clock.pending()).toEqual([]);
  });

  it('refuses a package that does not exist, and a cluster without the CRDs', async () => {
    const world = shopWorld();
    install(world, 'shop');
    expect(await world.run('watch', 'shpo')).toBe(2);
    world.cluster.missingKinds.add('Package');
    expect(await world.run('watch')).toBe(4);
  });
});
