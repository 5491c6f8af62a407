import { describe, expect, it } from 'vitest';
import { aComponent } from '../../../test/build/objects.ts';
import { answering, shopSource, shopWorld, WELL } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { API_VERSION } from '../../api/names.ts';
import { writeYaml } from '../../lib/yaml.ts';

describe('kubepkg install, before anything is written', () => {
  const file = (name: string, text: string) => (world: CliWorld) => world.files.set(name, text);
  const nothing = (): undefined => undefined;
  const source = writeYaml(shopSource());
  const misspelt = source.replace('variants:', 'varaints:');

  it.each([
    ['no package', [], nothing, 2, 'name a package'],
    ['a package twice', ['shop', 'shop@1.0.0'], nothing, 2, 'name each package once'],
    ['a name that is none', ['Shop'], nothing, 2, 'lower-case'],
    ['an empty constraint', ['shop@'], nothing, 2, 'shop@1.2.3'],
    ['a constraint that is none', ['shop@latest'], nothing, 2, 'shop@1.2.3'],
    ['a duration that is none', ['shop', '--timeout', '10'], nothing, 2, 'such as 30s'],
    ['a wait of no time', ['shop', '--wait-timeout', '0s'], nothing, 2, 'such as 30s'],
    ['values for nothing', ['shop', '--values', 'v.yaml'], nothing, 2, '--values COMPONENT=FILE'],
    ['values twice', ['shop', '--values', 'app=a', '--values', 'app=a'], file('a', 'x: 1'), 2, 'into one file'],
    ['values that are a list', ['shop', '--values', 'app=a'], file('a', '- 1'), 2, 'KEY: VALUE'],
    ['values for one of two', ['shop', 'other', '--values', 'app=a'], file('a', 'x: 1'), 2, 'by itself'],
    ['a variant for one of two', ['shop', 'other', '--variant', 'x'], nothing, 2, 'by itself'],
    ['a file that is not there', ['-f', 'gone.yaml'], nothing, 2, 'path of a file'],
    ['a folder', ['-f', 'dir'], file('dir/a', 'x'), 2, 'each of its files by itself'],
    ['an empty file', ['-f', 'a'], file('a', '---\n'), 2, 'PackageSource or a Package'],
    ['a file that is no YAML', ['-f', 'a'], file('a', 'a: [1\nb: 2'), 2, 'correct the YAML'],
    ['stdin twice', ['-f', '-', '-f', '-'], nothing, 2, 'one file alone'],
    [
      'an object of another kind',
      ['-f', 'a'],
      file('a', 'apiVersion: v1\nkind: Secret\nmetadata: {name: x}'),
      2,
      'may hold',
    ],
    [
      'a kind with a mistake',
      ['-f', 'a'],
      file('a', 'kind: PackageSorce\nmetadata: {name: x}'),
      2,
      'did you mean PackageSource?',
    ],
    [
      'an object without metadata',
      ['-f', 'a'],
      file('a', 'apiVersion: kubepkg.dev/v1\nkind: Package'),
      2,
      'metadata.name',
    ],
    ['an unknown field', ['shop', '-f', 'a'], file('a', misspelt), 2, 'correct the file'],
    ['an object twice', ['shop', '-f', 'a'], file('a', `${source}---\n${source}`), 2, 'leave one'],
    ['a source that does not exist', ['other'], nothing, 2, 'kubepkg install other -f FILE'],
    ['a source with a mistake', ['shpo'], nothing, 2, 'did you mean shop?'],
    ['a variant with a mistake', ['shop', '--variant', 'lagre'], nothing, 2, 'did you mean large?'],
    ['a variant that does not exist', ['shop', '--variant', 'q'], nothing, 2, 'default, large'],
    ['a component with a mistake', ['shop', '--values', 'stoer=a'], file('a', 'x: 1'), 2, 'did you mean store?'],
    ['a version that the source does not have', ['shop@2.x'], nothing, 5, 'change the constraint'],
  ] as const)('refuses %s', async (_what, argv, prepare, exitCode, hint) => {
    const world = shopWorld();
    prepare(world);
    expect(await world.run('install', ...argv)).toBe(exitCode);
    expect(world.stderr.text).toMatch(/^error: .+\nhint: .+\n$/);
    expect(world.stderr.text).toContain(hint);
    expect(world.cluster.written()).toEqual([]);
  });

  it('P2 refuses components that depend on each other in a circle', async () => {
    const world = shopWorld();
    const components = [aComponent('a', { dependsOn: ['b'] }), aComponent('b', { dependsOn: ['a'] })];
    world.cluster.set(shopSource({ variants: [{ name: 'default', components }] }));
    expect(await world.run('install', 'shop')).toBe(5);
    expect(world.stderr.text).toContain('a → b → a');
  });

  it('says how a source is made whose charts nobody has pushed', async () => {
    const world = shopWorld();
    const { sourceRef: _pushed, ...spec } = shopSource().spec as Record<string, unknown>;
    world.files.set('built', writeYaml({ ...shopSource(), metadata: { name: 'blog' }, spec }));
    expect(await world.run('install', 'blog', '-f', 'built')).toBe(5);
    expect(world.stderr.text).toContain('hint: build it with --registry');
  });

  it('warns of a version that cannot be compared, and goes on', async () => {
    const world = shopWorld();
    answering(world, WELL);
    world.files.set('odd', writeYaml(shopSource({ version: 'banana' })));
    expect(await world.run('install', 'shop', '-f', 'odd')).toBe(0);
    expect(world.stderr.text).toContain(
      'warning: PackageSource shop has version banana, which is no semantic version:',
    );
    world.files.set('even', writeYaml(shopSource({ version: '1.1.0' })));
    world.stderr.text = '';
    await world.run('install', 'shop', '-f', 'even', '--no-wait');
    expect(world.stderr.text).not.toContain('warning');
  });

  it('names the field that was meant', async () => {
    const world = shopWorld();
    world.files.set('a', misspelt);
    await world.run('install', 'shop', '-f', 'a');
    expect(world.stderr.text).toContain('did you mean variants?');
  });

  it('leaves the choice to a repository when there is one', async () => {
    const world = shopWorld();
    answering(world, WELL);
    world.cluster.set({ apiVersion: API_VERSION, kind: 'Repository', metadata: { name: 'r' } });
    expect(await world.run('install', 'other')).toBe(0);
  });
});
