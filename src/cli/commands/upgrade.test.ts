import { describe, expect, it } from 'vitest';
import { answering, SHOP, shopSource, shopWorld, WELL } from '../../../test/build/shop-world.ts';
import { ANNOTATION } from '../../api/names.ts';
import { at } from '../../lib/json.ts';
import { writeYaml } from '../../lib/yaml.ts';

describe('kubepkg upgrade', () => {
  it('upgrades what is installed as install does', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.files.set('new', writeYaml(shopSource({ version: '1.1.0' })));
    expect(await world.run('upgrade', 'shop@>=1.1', '-f', 'new', '--no-wait')).toBe(0);
    expect(world.stderr.text).toMatch(/^upgrade +shop +1\.0\.0 +1\.1\.0/m);
    expect(at(world.cluster.get(SHOP), 'spec', 'version')).toBe('>=1.1');
  });

  it('has a version wait for the values that are given with it, as the two are written one after the other', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    const generation = world.cluster.get(SHOP)?.metadata.generation ?? 0;
    world.files.set('new', writeYaml(shopSource({ version: '1.1.0' })));
    world.files.set('values', 'replicas: 2\n');
    await world.run('upgrade', 'shop', '-f', 'new', '--values', 'app=values', '--no-wait');
    const awaits = (): unknown =>
      at(world.cluster.get({ ...SHOP, kind: 'PackageSource' }), 'metadata', 'annotations', ANNOTATION.awaitsGeneration);
    expect(awaits()).toBe(`${world.cluster.get(SHOP)?.metadata.uid ?? ''}/${String(generation + 1)}`);
    expect(world.cluster.get(SHOP)?.metadata.generation).toBe(generation + 1);
  });

  it('refuses what is not installed, and writes nothing', async () => {
    const world = shopWorld();
    expect(await world.run('upgrade', 'shop')).toBe(2);
    expect(world.stderr.text).toContain('hint: it is not installed: kubepkg install shop');
    expect(world.cluster.writes).toEqual([]);
  });

  it('suggests the package that was meant', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    expect(await world.run('upgrade', 'shpo')).toBe(2);
    expect(world.stderr.text).toContain('did you mean shop?');
  });

  it.each([
    ['table', 'shop would be applied (dry run: nothing was written)\n'],
    ['name', 'package.kubepkg.dev/shop\n'],
  ])('writes nothing with --dry-run, and prints a %s', async (output, text) => {
    const world = shopWorld();
    expect(await world.run('install', 'shop', '--dry-run', '-o', output)).toBe(0);
    expect(world.stdout.text).toBe(text);
    expect(world.cluster.get(SHOP)).toBeUndefined();
  });
});
