import { describe, expect, it } from 'vitest';
import { packageRef } from '../../../test/build/installed.ts';
import { answering, shopWorld, WELL } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { LiveRelease } from '../../compose/live-values.ts';
import { writeYaml } from '../../lib/yaml.ts';

function release(parts: Partial<LiveRelease> = {}): LiveRelease {
  const base = { revision: 3, status: 'deployed', chartName: 'store', chartVersion: '0.9.0', owner: undefined };
  return { ...base, values: { password: 'hunter2', replicas: 2 }, ...parts };
}

function withRelease(place = 'shop/store', parts: Partial<LiveRelease> = {}): CliWorld {
  const world = shopWorld();
  answering(world, WELL);
  world.liveReleases.set(place, release(parts));
  return world;
}

describe('kubepkg adopt', () => {
  it('P21 writes the values that run into the package, and that it may take over', async () => {
    const world = withRelease();
    expect(await world.run('adopt', 'shop@>=1')).toBe(0);
    expect(world.cluster.get(packageRef('shop'))).toMatchObject({
      metadata: { annotations: { [ANNOTATION.adopt]: 'true' } },
      spec: { version: '>=1', components: { store: { values: { password: 'hunter2', replicas: 2 } } } },
    });
    expect(world.stdout.text).toBe('shop 1.0.0 is ready\n');
  });

  it('shows what is taken over, by the keys of values alone', async () => {
    const world = withRelease();
    world.answer = 'n';
    expect(await world.run('adopt', 'shop')).toBe(130);
    expect(world.stderr.text).toMatch(/^store +shop\/store +store-0\.9\.0, revision 3, deployed +password, replicas$/m);
    expect(world.stderr.text).toMatch(/^app +shop\/app +no release: objects that exist are taken over +-$/m);
    expect(world.stderr.text).not.toContain('hunter2');
    expect(world.cluster.get(packageRef('shop'))).toBeUndefined();
  });

  it.each([
    ['yaml', '--dry-run'],
    ['json', '--dry-run'],
    ['yaml', '--no-wait'],
    ['yaml', '--timeout=5m'],
  ])('shows the values by their keys alone with -o %s %s', async (format, flag) => {
    const world = withRelease();
    expect(await world.run('adopt', 'shop', '-o', format, flag)).toBe(0);
    expect(world.stdout.text).toMatch(/"?password"?: "?\(hidden\)/);
    expect(world.stdout.text).not.toContain('hunter2');
  });

  it('shows the values that were in the package', async () => {
    const world = withRelease();
    const pkg = {
      ...packageRef('shop'),
      metadata: { name: 'shop' },
      spec: { components: { store: { values: { a: 'mine' } } } },
    };
    const { name: _name, ...object } = pkg;
    world.files.set('pkg', writeYaml(object));
    expect(await world.run('adopt', 'shop', '-f', 'pkg', '--dry-run', '-o', 'yaml')).toBe(0);
    expect(world.stdout.text).toContain('a: mine');
  });

  it('finds a release under another name, and says so in the package', async () => {
    const world = withRelease('default/my-store');
    expect(await world.run('adopt', 'shop', '--component', 'store=default/my-store', '--no-wait')).toBe(0);
    expect(world.cluster.get(packageRef('shop'))).toMatchObject({
      spec: { components: { store: { namespace: 'default', releaseName: 'my-store', values: { replicas: 2 } } } },
    });
  });

  it('leaves the values that the package has', async () => {
    const world = withRelease();
    const components = { store: { values: { replicas: 5 } } };
    const pkg = { ...packageRef('shop'), metadata: { name: 'shop' }, spec: { components } };
    const { name: _name, ...object } = pkg;
    world.files.set('pkg', writeYaml(object));
    await world.run('adopt', 'shop', '-f', 'pkg', '--no-wait');
    expect(world.cluster.get(packageRef('shop'))).toHaveProperty(['spec', 'components'], components);
    expect(world.stderr.text).toContain('those of the Package');
  });

  it('writes nothing with --dry-run', async () => {
    const world = withRelease();
    expect(await world.run('adopt', 'shop', '--dry-run', '-o', 'name')).toBe(0);
    expect(world.stdout.text).toBe('package.kubepkg.dev/shop\n');
    expect(world.cluster.get(packageRef('shop'))).toBeUndefined();
  });

  it.each<[string, CliWorld, readonly string[], number, string]>([
    ['a release of another package', withRelease('shop/store', { owner: 'db' }), [], 1, 'belongs to package db'],
    ['releases that are its own', ownWorld(), [], 2, 'kubepkg upgrade shop'],
    ['a release that does not exist', withRelease(), ['--component', 'store=a/b'], 2, 'there is no release a/b'],
    ['a component that does not exist', withRelease(), ['--component', 'stor=a/b'], 2, 'did you mean store?'],
    ['a component without its release', withRelease(), ['--component', 'store'], 2, 'COMPONENT=NAMESPACE/RELEASE'],
    ['a component twice', withRelease(), ['--component', 'a=b/c', '--component', 'a=b/d'], 2, 'given twice'],
  ])('refuses %s', async (_what, world, flags, exitCode, text) => {
    expect(await world.run('adopt', 'shop', ...flags)).toBe(exitCode);
    expect(world.stderr.text).toContain(text);
    expect(world.cluster.written()).toEqual([]);
  });

  it('refuses a package without a source', async () => {
    const world = withRelease();
    expect(await world.run('adopt', 'shpo')).toBe(2);
    expect(world.stderr.text).toContain('did you mean shop?');
  });
});

function ownWorld(): CliWorld {
  const world = withRelease('shop/store', { owner: 'shop' });
  world.liveReleases.set('shop/app', release({ owner: 'shop' }));
  return world;
}
