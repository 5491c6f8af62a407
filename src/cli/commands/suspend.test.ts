import { describe, expect, it } from 'vitest';
import { install, packageRef } from '../../../test/build/installed.ts';
import { report, shopWorld } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { at } from '../../lib/json.ts';

function suspended(world: CliWorld): unknown {
  return at(world.cluster.get(packageRef('shop')), 'spec', 'suspend');
}

describe('kubepkg suspend and resume', () => {
  it('waits until the operator says that it takes no step, and until it is ready again', async () => {
    const world = shopWorld();
    install(world, 'shop');
    world.cluster.onWrite = () => {
      const ready = suspended(world) === true ? (['False', 'Suspended', 'no step'] as const) : (['True', 'x'] as const);
      report(world, { ready, version: '1.0.0', revision: 1 });
    };
    expect(await world.run('suspend', 'shop')).toBe(0);
    expect([world.stdout.text, suspended(world)]).toEqual(['shop is suspended\n', true]);
    world.stdout.text = '';
    expect(await world.run('resume', 'shop')).toBe(0);
    expect([world.stdout.text, suspended(world)]).toEqual(['shop 1.0.0 is ready\n', undefined]);
  });

  it.each([
    ['suspend', true, 'shop is suspended already\n'],
    ['resume', false, 'shop is resumed already\n'],
  ])('%s changes nothing when it is so', async (command, suspend, text) => {
    const world = shopWorld();
    install(world, 'shop', { spec: { suspend } });
    expect(await world.run(command, 'shop')).toBe(0);
    expect([world.stdout.text, world.cluster.writes]).toEqual([text, []]);
  });

  it.each(['suspend', 'resume'])(
    '%s finds the name that was meant, and changes none of the others',
    async (command) => {
      const world = shopWorld();
      install(world, 'shop', { spec: { suspend: command === 'resume' } });
      expect(await world.run(command, 'shop', 'shpo')).toBe(2);
      expect(world.stderr.text).toContain('did you mean shop?');
      expect(world.cluster.writes).toEqual([]);
    },
  );

  it('writes nothing with --dry-run', async () => {
    const world = shopWorld();
    install(world, 'shop');
    expect(await world.run('suspend', 'shop', '--dry-run')).toBe(0);
    expect(suspended(world)).toBeUndefined();
    expect(world.stdout.text).toContain('dry run');
  });
});
