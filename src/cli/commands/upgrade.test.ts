import { describe, expect, it } from 'vitest';
import { answering, report, SHOP, shopSource, shopWorld, WELL } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { ANNOTATION, API_VERSION } from '../../api/names.ts';
import { at } from '../../lib/json.ts';
import { writeYaml } from '../../lib/yaml.ts';

/** 1.0.0 runs, and the operator does not try 1.1.0 again. */
function heldWorld(status: 'True' | 'False', reason: string): CliWorld {
  const world = shopWorld();
  world.cluster.set(shopSource({ version: '1.1.0' }));
  const spec = { variant: 'default', revisionHistoryLimit: 10 };
  world.cluster.set({ apiVersion: API_VERSION, kind: 'Package', metadata: { name: 'shop', generation: 1 }, spec });
  report(world, { ready: [status, reason, 'm'], version: '1.0.0', revision: 3 });
  answering(world, [status, reason, 'm']);
  return world;
}

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

  it.each<readonly ['True' | 'False', string, string, number, string]>([
    ['True', 'RolledBack', 'shop', 3, 'package shop is held at 1.0.0'],
    ['True', 'RolledBack', 'shop@>=1.1', 3, 'package shop is held at 1.0.0'],
    ['False', 'UpgradeRolledBack', 'shop', 1, 'package shop: UpgradeRolledBack'],
  ])('P12 says of a package with Ready=%s %s that %s is held, and ends with its code', async (...row) => {
    const [status, reason, words, code, error] = row;
    const world = heldWorld(status, reason);
    expect(await world.run('upgrade', words)).toBe(code);
    expect(world.stderr.text).toMatch(/^held +shop +1\.0\.0 +1\.1\.0 +default +asked for; it is held, as nothing/m);
    expect(world.stderr.text).toContain(`error: ${error}`);
    expect(world.stderr.text).toMatch(/hint: .*kubepkg retry shop/);
  });

  it('P12 does not take for held what other values set free', async () => {
    const world = heldWorld('True', 'RolledBack');
    world.files.set('values', 'replicas: 2\n');
    await world.run('upgrade', 'shop', '--values', 'app=values', '--no-wait');
    expect(world.stderr.text).toMatch(/^upgrade +shop +1\.0\.0 +1\.1\.0 +default +asked for$/m);
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
