import { describe, expect, it } from 'vitest';
import {
  answering,
  OPERATOR_LEASE,
  setLease,
  SHOP,
  shopSource,
  shopWorld,
  WELL,
} from '../../../test/build/shop-world.ts';
import { CliWorld } from '../../../test/fakes/cli-world.ts';
import { API_VERSION } from '../../api/names.ts';
import { at } from '../../lib/json.ts';
import { writeYaml } from '../../lib/yaml.ts';

describe('kubepkg install', () => {
  it('creates the package with what was given and no more, and waits until it is ready', async () => {
    const world = shopWorld();
    answering(world, WELL);
    world.files.set('v.yaml', 'replicas: 2\n');
    const flags = ['--variant', 'large', '--timeout', '15m', '--values', 'app=v.yaml'];
    expect(await world.run('install', 'shop@>=1 <2', ...flags)).toBe(0);
    expect(world.stdout.text).toBe('shop 1.0.0 is ready\n');
    expect(world.cluster.writes.at(-1)).toMatchObject({
      verb: 'apply',
      object: {
        apiVersion: API_VERSION,
        kind: 'Package',
        metadata: { name: 'shop' },
        spec: {
          version: '>=1 <2',
          variant: 'large',
          upgrade: { timeout: '15m' },
          components: { app: { values: { replicas: 2 } } },
        },
      },
    });
  });

  it('applies sources from files first, several documents and stdin included', async () => {
    const world = new CliWorld();
    answering(world, WELL);
    const pkg = { apiVersion: API_VERSION, kind: 'Package', metadata: { name: 'shop' }, spec: { suspend: false } };
    world.stdin = `${writeYaml(shopSource())}---\n${writeYaml(pkg)}`;
    expect(await world.run('install', '-f', '-', '-o', 'json')).toBe(0);
    expect(world.cluster.written().map(({ kind }) => kind)).toEqual(['PackageSource', 'Package']);
    expect(JSON.parse(world.stdout.text)).toMatchObject({ kind: 'Package', spec: { suspend: false } });
  });

  it('keeps what was given before, and replaces the values of a component as a whole', async () => {
    const world = shopWorld();
    answering(world, WELL);
    world.files.set('one', 'a: 1\nb: 2\n');
    world.files.set('two', 'b: 3\n');
    await world.run('install', 'shop@1.x', '--values', 'app=one', '--variant', 'large');
    await world.run('install', 'shop', '--values', 'app=two');
    const spec = world.cluster.get(SHOP)?.['spec'];
    expect(spec).toMatchObject({ version: '1.x', variant: 'large' });
    expect(at(spec, 'components', 'app', 'values')).toEqual({ b: 3 });
  });

  it('leaves what else is said of a component', async () => {
    const world = shopWorld();
    answering(world, WELL);
    const spec = { components: { app: { releaseName: 'front', values: { a: 1 } } } };
    world.files.set('pkg', writeYaml({ apiVersion: API_VERSION, kind: 'Package', metadata: { name: 'shop' }, spec }));
    world.files.set('values', 'b: 2\n');
    await world.run('install', '-f', 'pkg', '--values', 'app=values');
    const components = { app: { releaseName: 'front', values: { b: 2 } } };
    expect(world.cluster.get(SHOP)?.spec).toMatchObject({ components });
    expect(at(world.cluster.get(SHOP), 'spec', 'components', 'app', 'values')).toEqual({ b: 2 });
  });

  it('says what it is about to do', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.stderr.text = '';
    world.files.set('new', writeYaml(shopSource({ version: '1.1.0' })));
    const done = world.run('install', 'shop', '-f', 'new', '--no-wait');
    expect(await done).toBe(0);
    expect(world.stderr.text).toBe(
      'ACTION    PACKAGE   FROM    TO      VARIANT   WHY\nupgrade   shop      1.0.0   1.1.0   default   asked for\n',
    );
    expect(world.stdout.text).toContain('shop applied');
  });

  it.each([
    ['n', 130, 1],
    ['y', 0, 1],
    ['', 0, 1],
    [undefined, 0, 1],
  ])('asks where somebody can answer: %j ends with %i', async (answer, exitCode, asked) => {
    const world = shopWorld();
    answering(world, WELL);
    world.answer = answer;
    expect(await world.run('install', 'shop')).toBe(exitCode);
    expect([world.asked, world.cluster.get(SHOP) !== undefined]).toEqual([asked, exitCode === 0]);
  });

  it('does not ask with --yes, nor when nothing changes', async () => {
    const world = shopWorld();
    answering(world, WELL);
    world.answer = 'n';
    await world.run('install', 'shop', '--yes');
    expect(await world.run('install', 'shop')).toBe(0);
    expect(world.asked).toBe(0);
  });

  it('says install until something of it runs, and does not ask twice', async () => {
    const world = shopWorld();
    await world.run('install', 'shop', '--no-wait');
    world.answer = 'n';
    world.asked = 0;
    for (const flags of [[], ['--variant', 'large', '--yes']]) {
      world.stderr.text = '';
      expect(await world.run('install', 'shop', '--no-wait', ...flags)).toBe(0);
      expect(world.stderr.text).toMatch(/\ninstall {3}shop {6}- {6}1\.0\.0 /);
    }
    expect(world.asked).toBe(0);
    expect(await world.run('install', 'shop', '--no-wait', '--variant', 'default')).toBe(130);
    expect(world.asked).toBe(1);
  });

  it.each([
    ['there is none', undefined, 'there is no Lease'],
    ['nobody holds the Lease', { holderIdentity: '', renewTime: '2029-12-31T23:59:55Z' }, 'nobody holds'],
    ['the Lease is old', { holderIdentity: 'x', renewTime: '2029-12-31T23:58:00Z' }, 'renewed last 2m ago'],
  ])('warns, and goes on, when no operator seems to run: %s', async (_what, spec, why) => {
    const world = shopWorld();
    answering(world, WELL);
    world.cluster.remove(OPERATOR_LEASE);
    if (spec !== undefined) setLease(world, spec);
    expect(await world.run('install', 'shop')).toBe(0);
    expect(world.stderr.text).toContain('warning: no operator seems to be running');
    expect(world.stderr.text).toContain(why);
  });
});
