import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KubepkgError } from '../../api/errors.ts';
import type { RenderRequest } from '../../compose/authoring.ts';
import { CliWorld } from '../../../test/fakes/cli-world.ts';
import { sourceOf } from '../../../test/build/authored.ts';
import { asArray, at } from '../../lib/json.ts';
import { parseYaml, writeYaml } from '../../lib/yaml.ts';

const RECIPE = `apiVersion: kubepkg.dev/v1
kind: Recipe
metadata: {name: shop}
spec:
  version: 1.2.0
  sources: {up: {dir: up}}
  charts: {web: {from: [up]}}
  package:
    variants: [{name: default, components: [{name: web, path: web, install: {namespace: shop}}]}]
`;
const CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n';

/** A folder with a recipe, and a command line whose caches are in it too. */
const it = test.extend<{ folder: string; world: CliWorld }>({
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kubepkg-authoring-'));
    await mkdir(join(folder, 'up'));
    await writeFile(join(folder, 'recipe.yaml'), RECIPE);
    await writeFile(join(folder, 'up', 'a.yaml'), CONFIG);
    await use(folder);
    await rm(folder, { recursive: true });
  },
  world: async ({}, use) => {
    await use(new CliWorld());
  },
});

describe('kubepkg validate', () => {
  it('shows findings, ends with 5, and only with warnings not', async ({ folder, world }) => {
    await writeFile(join(folder, 'recipe.yaml'), RECIPE.replace('path: web', 'path: wep'));
    expect(await world.run('validate', folder)).toBe(5);
    expect(world.stdout.text).toMatch(
      /recipe\.yaml: 1 error, 1 warning\nSEVERITY {3}FINDING\nERROR .*recipe\.yaml:9: .*did you mean web\?/,
    );
  });

  it.for([
    ['error', 'warning', 0],
    ['warning', 'warning', 5],
    ['never', 'error', 0],
  ] as const)(
    '--fail-on %s: a finding of severity %s ends with %i',
    async ([failOn, severity, code], { folder, world }) => {
      const problem = { variant: 'default', problem: 'no' };
      const failed = severity === 'error' ? [problem] : [];
      world.authoring = { examine: () => Promise.resolve({ variants: failed }) };
      await writeFile(join(folder, 'recipe.yaml'), RECIPE.replace('name: default', 'name: full'));
      expect(await world.run('validate', folder, '--fail-on', failOn)).toBe(code);
    },
  );

  it('prints findings of several recipes as data', async ({ folder, world }) => {
    world.authoring = { examine: () => Promise.resolve({ variants: [] }) };
    await mkdir(join(folder, 'bad'));
    await writeFile(join(folder, 'bad', 'recipe.yaml'), 'kind: [\n');
    expect(await world.run('validate', folder, join(folder, 'bad'), '-o', 'json')).toBe(5);
    expect(JSON.parse(world.stdout.text)).toMatchObject({
      recipes: [
        { package: 'shop', findings: [] },
        { file: join(folder, 'bad', 'recipe.yaml'), findings: [{ code: 'RecipeInvalid', severity: 'error' }] },
      ],
    });
  });

  it('wraps for a narrow terminal', async ({ folder, world }) => {
    Object.assign(world.stdout, { isTerminal: true, columns: 40 });
    world.authoring = {
      examine: () =>
        Promise.resolve({ variants: [{ variant: 'default', problem: 'one word after the other '.repeat(5) }] }),
    };
    await world.run('validate', folder, '--no-color');
    const [, ...lines] = world.stdout.text.split('\n');
    expect(lines.filter((line) => line.length > 40)).toEqual([]);
  });

  it('a folder without a recipe, and no helm, are one clear error', async ({ folder, world }) => {
    expect(await world.run('validate', join(folder, 'up'))).toBe(2);
    expect(world.stderr.text).toContain('there is no recipe');
    world.authoring = {
      examine: () => Promise.reject(new KubepkgError('HelmNotFound', 'no helm at helm', { hint: 'install helm' })),
    };
    expect(await world.run('validate', folder)).toBe(1);
    expect(world.stderr.text).toContain('recipe.yaml: no helm at helm\nhint: install helm');
  });
});

describe('kubepkg build', () => {
  it('writes charts and PackageSource, and says the next step', async ({ folder, world }) => {
    const out = join(folder, 'dist');
    expect(await world.run('build', folder, '-o', out, '--cache-dir', join(folder, 'cache'))).toBe(0);
    expect(world.stdout.text).toBe(`${join(out, 'shop-1.2.0-0.yaml')}\n`);
    expect(world.stderr.text).toContain('--registry oci://HOST/PATH');
    expect((await readdir(out)).sort()).toEqual(['shop-1.2.0-0', 'shop-1.2.0-0.yaml']);
  });

  it('a build takes the place of the one before, and nothing half written stays', async ({ folder, world }) => {
    const build = () => world.run('build', folder, '-o', join(folder, 'dist'), '--cache-dir', join(folder, 'cache'));
    await build();
    await writeFile(join(folder, 'up', 'a.yaml'), CONFIG.replace('name: x', 'name: z'));
    expect(await build()).toBe(0);
    const place = join(folder, 'dist', 'shop-1.2.0-0', 'tree', 'web', 'templates');
    expect(await readFile(join(place, 'up.yaml'), 'utf8')).toContain('name: z');
    expect((await readdir(join(folder, 'dist'))).sort()).toEqual(['shop-1.2.0-0', 'shop-1.2.0-0.yaml']);
  });

  it('a recipe at fault is refused with its place, and nothing is written', async ({ folder, world }) => {
    await writeFile(
      join(folder, 'recipe.yaml'),
      RECIPE.replace('sources: {up: {dir: up}}', 'sources: {up: {plugin: git}}'),
    );
    expect(await world.run('build', folder, '-o', join(folder, 'dist'))).toBe(2);
    expect(world.stderr.text).toMatch(
      /recipe\.yaml:6: spec\.sources\.up\.plugin: needs the program kubepkg-source-git/,
    );
    expect(await readdir(folder)).not.toContain('dist');
  });

  it('signatures that are asked for are not passed over in silence', async ({ folder, world }) => {
    await writeFile(
      join(folder, 'recipe.yaml'),
      RECIPE.replace('  package:', '  verify: {charts: [{sources: [up], keyring: k}]}\n  package:'),
    );
    const words = ['build', folder, '-o', join(folder, 'dist'), '--cache-dir', join(folder, 'cache')];
    expect(await world.run(...words)).toBe(2);
    expect(world.stderr.text).toContain('--no-verify');
    expect(await world.run(...words, '--no-verify')).toBe(0);
  });

  it.for(['registry.example.org/x', 'https://registry.example.org', 'oci://'])(
    '%s is no registry',
    async (word, { folder, world }) => {
      expect(await world.run('build', folder, '--registry', word)).toBe(2);
    },
  );
});

describe('kubepkg init', () => {
  const cache = (folder: string): readonly string[] => [
    '--cache-dir',
    join(folder, 'cache'),
    '--helm',
    '/nowhere/helm',
  ];

  it('writes a recipe from manifests that validates, and overwrites nothing without --force', async ({
    folder,
    world,
  }) => {
    const place = join(folder, 'new');
    const words = ['init', place, '--manifest', join(folder, 'up', 'a.yaml'), '--version', '1.9.0', ...cache(folder)];
    expect(await world.run(...words)).toBe(0);
    expect(world.stdout.text).toBe(`${join(place, 'recipe.yaml')}\n`);
    expect(world.stderr.text).toContain(`next: kubepkg validate ${place}`);
    expect(await readFile(join(place, 'recipe.yaml'), 'utf8')).toContain('version: 1.9.0');
    expect(await readdir(join(place, 'manifests', 'a'))).toEqual(['a.yaml']);
    await writeFile(join(place, 'recipe.yaml'), 'mine');
    expect(await world.run(...words)).toBe(2);
    expect(await readFile(join(place, 'recipe.yaml'), 'utf8')).toBe('mine');
    expect(await world.run(...words, '--force')).toBe(0);
    expect(await readFile(join(place, 'recipe.yaml'), 'utf8')).toContain('kind: Recipe');
  });

  it('takes a chart that reads what only hooks are told for one, and says so', async ({ folder, world }) => {
    const charts = [
      ['migrate', '{{ .Values.kubepkg.fromVersion }}'],
      ['web', '{{ .Values.kubepkg }}'],
    ] as const;
    for (const [name, text] of charts) {
      await mkdir(join(folder, 'up', name, 'templates'), { recursive: true });
      await writeFile(join(folder, 'up', name, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
      await writeFile(join(folder, 'up', name, 'templates', 'a.yaml'), `${CONFIG}data: {from: "${text}"}\n`);
    }
    const given = charts.flatMap(([name]) => ['--chart', join(folder, 'up', name)]);
    expect(await world.run('init', join(folder, 'new'), ...given, ...cache(folder))).toBe(0);
    const recipe = parseYaml(await readFile(join(folder, 'new', 'recipe.yaml'), 'utf8'), 'recipe.yaml');
    const [variant] = asArray(at(recipe, 'spec', 'package', 'variants'));
    const install = { namespace: 'new' };
    expect(at(variant, 'components')).toEqual([
      { name: 'migrate', path: 'migrate', install: { ...install, phase: 'PreUpgrade' } },
      { name: 'web', path: 'web', install },
    ]);
    expect(world.stderr.text).toContain('note: migrate is taken for a hook');
  });

  it('a recipe that is there already is not touched, and nothing is put beside it', async ({ folder, world }) => {
    const words = ['--manifest', join(folder, 'up', 'a.yaml'), '--version', '1.0.0', ...cache(folder)];
    expect(await world.run('init', folder, ...words)).toBe(2);
    expect(await readdir(folder)).not.toContain('manifests');
    expect(await readFile(join(folder, 'recipe.yaml'), 'utf8')).toBe(RECIPE);
  });

  it('--version is that of the package here, and that of the program elsewhere', async ({ folder, world }) => {
    const manifest = join(folder, 'up', 'a.yaml');
    expect(
      await world.run('init', '--version=2.0.0', join(folder, 'new'), '--manifest', manifest, ...cache(folder)),
    ).toBe(0);
    expect(await readFile(join(folder, 'new', 'recipe.yaml'), 'utf8')).toContain('version: 2.0.0');
    const other = new CliWorld();
    expect(await other.run('--version')).toBe(0);
    expect(other.stdout.text).toBe('1.2.3\n');
  });

  it.for([
    ['nothing', [], 'there is nothing to make a package of'],
    ['a chart without a version', ['--chart', 'oci://registry.example.org/web'], 'names no chart with its version'],
    ['a folder that is no chart', ['--chart', '/'], 'there is no Chart.yaml in it'],
    ['a manifest that is not there', ['--manifest', '/nowhere'], 'cannot be read'],
    ['manifests without a version', ['--manifest', 'A'], '--version'],
    ['a name that is none', ['--manifest', 'A', '--version', '1.0.0', '--name', 'No Name'], 'metadata.name'],
  ] as const)('%s is one clear error, and nothing is written', async ([, words, message], { folder, world }) => {
    const given = words.map((word) => (word === 'A' ? join(folder, 'up', 'a.yaml') : word));
    expect(await world.run('init', join(folder, 'new'), ...given, ...cache(folder))).toBe(2);
    expect(world.stderr.text).toContain(message);
    expect(await readdir(folder)).not.toContain('new');
  });
});

describe('kubepkg render', () => {
  const chart = { repository: 'oci://registry.example.org/charts', name: 'web', version: '1.0.0' };
  const shop = { ...sourceOf('shop', [{ name: 'web', chart, install: { namespace: 'shop' } }]) };
  const requiring = { ...shop, spec: { ...shop.spec, variants: [{ name: 'default', requires: [{ package: 'db' }] }] } };
  const db = { ...shop, metadata: { name: 'db' } };

  it('gives packages after those that they require, with values, and tells what is lost on stderr', async ({
    world,
  }) => {
    const requests: RenderRequest[] = [];
    world.authoring = {
      render: (request) => {
        requests.push(request);
        return Promise.resolve([{ name: 'shop', version: '1.0.0', text: '---\n', losses: ['nothing waits'] }]);
      },
    };
    world.files.set('a.yaml', [requiring, db].map((each) => `---\n${writeYaml(each)}`).join(''));
    expect(await world.run('render', 'shop', 'db', '-f', 'a.yaml', '--format', 'argo', '--argo-project', 'team')).toBe(
      0,
    );
    expect(requests[0]).toMatchObject({
      format: 'argo',
      argoProject: 'team',
      packages: [{ source: { metadata: { name: 'db' } } }, {}],
    });
    expect(world.stdout.text).toBe('---\n');
    expect(world.stderr.text).toBe('note: shop: nothing waits\n');
  });

  it.for([
    ['a package that no file has', ['render', 'shp', '-f', 'a.yaml'], 'did you mean shop?'],
    ['a component that it has not', ['render', 'shop', '-f', 'a.yaml', '--values', 'wep=v.yaml'], 'did you mean web?'],
    ['a variant that it has not', ['render', 'shop', '-f', 'a.yaml', '--variant', 'full'], 'variant full not found'],
    ['a format that there is not', ['render', 'shop', '-f', 'a.yaml', '--format', 'helm'], '--format'],
    ['no file', ['render', 'shop'], '--file'],
  ] as const)('%s is one clear error', async ([, words, message], { world }) => {
    world.files.set('a.yaml', writeYaml(shop));
    world.files.set('v.yaml', 'a: 1\n');
    expect(await world.run(...words)).not.toBe(0);
    expect(world.stderr.text).toContain(message);
    expect(world.stdout.text).toBe('');
  });
});
