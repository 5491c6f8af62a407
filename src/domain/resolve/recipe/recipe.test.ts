import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/kube.ts';
import { parseRecipe, type Recipe } from '../../../api/recipe.ts';
import { parseYaml } from '../../../lib/yaml.ts';
import { checkRecipe, findPlugins, findUseless } from './check-recipe.ts';
import { draftRecipe } from './draft-recipe.ts';
import { editObjects, mergePatch, unusedPatches } from './edit-objects.ts';
import { buildTag, buildVersion } from './recipe-source.ts';
import { escapeTemplate, wrapManifests } from './wrap-manifests.ts';

const SOUND = `
apiVersion: kubepkg.dev/v1
kind: Recipe
metadata: {name: shop}
spec:
  version: 1.2.0
  sources: {up: {dir: up}}
  charts: {web: {from: [up]}}
  package:
    variants: [{name: default, components: [{name: web, path: web, install: {namespace: shop}}]}]
`;

function recipe(text: string): Recipe {
  const parsed = parseRecipe(parseYaml(text, 'recipe.yaml'));
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}

function object(kind: string, name: string, more: Readonly<Record<string, unknown>> = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name }, ...more };
}

describe('checkRecipe', () => {
  it('finds nothing in a sound one', () => {
    expect(checkRecipe(recipe(SOUND))).toEqual([]);
  });

  it.each([
    ['version: 1.2.0', 'version: v1.2', 'spec.version'],
    ['version: 1.2.0', 'version: ">=1"', 'spec.version'],
    ['from: [up]', 'from: [upp]', 'spec.charts.web.from[0]'],
    ['path: web', 'path: wep', 'spec.package.variants[0].components[0].path'],
    [
      'path: web,',
      'chart: {repository: "oci://r/x", name: web, version: 1.0.0},',
      'spec.package.variants[0].components[0].chart',
    ],
    ['package:\n', 'package:\n    version: 1.2.0\n', 'spec.package.version'],
    ['package:\n', 'package:\n    build: 2\n', 'spec.package.build'],
    ['package:\n', 'package:\n    sourceRef: {kind: OCIArtifact, url: "oci://r/x"}\n', 'spec.package.sourceRef'],
    ['{web: {from: [up]}}', '{web: {from: [up]}, "../x": {from: [up]}}', 'spec.charts.../x'],
    ['sources: {up:', 'sources: {"a/b": {dir: x}, up:', 'spec.sources.a/b'],
  ])('%s → %s is told at %s', (before, after, path) => {
    expect(checkRecipe(recipe(SOUND.replace(before, after))).map((problem) => problem.path)).toContain(path);
  });

  it('offers the name that was meant', () => {
    expect(checkRecipe(recipe(SOUND.replace('path: web', 'path: wep')))).toMatchObject([
      { remedy: 'did you mean web?' },
    ]);
  });

  it('a published chart is used alone, and has its own folder of CRDs', () => {
    const chart = `{repository: "oci://r/x", name: web, version: 1.0.0, digest: "sha256:${'a'.repeat(64)}"}`;
    const text = SOUND.replace('{dir: up}', `{chart: ${chart}}, more: {dir: more}`).replace(
      '[up]',
      '[more, up], crdsDir: true',
    );
    expect(checkRecipe(recipe(text)).map(({ path }) => path)).toEqual([
      'spec.charts.web.from[1]',
      'spec.charts.web.crdsDir',
    ]);
  });

  it('tells charts that nobody names, and variants that nobody can ask for', () => {
    const text = SOUND.replace('{web: {from: [up]}}', '{web: {from: [up]}, rest: {from: [up]}}').replace(
      'shop}}]}]',
      'shop}}]}, {name: default}]',
    );
    expect(checkRecipe(recipe(text))).toEqual([]);
    const paths = findUseless(recipe(text)).map(({ path }) => path);
    expect(paths).toEqual(['spec.charts.rest', 'spec.package.variants[1].name']);
  });

  it('names the programs that a build would need', () => {
    const text = SOUND.replace('{dir: up}', '{plugin: git}').replace('[up]', '[up], steps: [{plugin: move}]');
    expect(findPlugins(recipe(text)).map(({ path, message }) => `${path} ${message}`)).toEqual([
      expect.stringContaining('spec.sources.up.plugin needs the program kubepkg-source-git'),
      expect.stringContaining('spec.charts.web.steps[0] needs the program kubepkg-step-move'),
    ]);
  });
});

describe('editObjects', () => {
  const objects = [object('Deployment', 'a', { spec: { x: 1, y: 2 } }), object('Service', 'a'), object('Service', 'b')];

  it('leaves out what is excluded, by kind, by name, or by both', () => {
    const names = (exclude: readonly { kind?: string; name?: string }[]) =>
      editObjects(objects, { exclude: [...exclude] }).objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names([{ kind: 'Service' }])).toEqual(['Deployment/a']);
    expect(names([{ name: 'a' }])).toEqual(['Service/b']);
    expect(names([{ kind: 'Service', name: 'a' }])).toEqual(['Deployment/a', 'Service/b']);
  });

  it('changes what is selected, one patch after the other, and tells which matched nothing', () => {
    const patches = [
      { kind: 'Deployment', merge: { spec: { x: null, z: 1 } } },
      { name: 'a', merge: { metadata: { labels: { l: 'v' } } } },
      { kind: 'Job', name: 'c', merge: {} },
    ];
    const edited = editObjects(objects, { patches });
    expect(edited.objects[0]).toEqual({
      apiVersion: 'v1',
      kind: 'Deployment',
      metadata: { name: 'a', labels: { l: 'v' } },
      spec: { y: 2, z: 1 },
    });
    expect(edited.objects[2]).toEqual(objects[2]);
    expect(unusedPatches({ patches }, edited.used)).toEqual(['patches[2] (Job c)']);
  });

  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'foo' }, null, null],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 1 }, { __proto__x: 1 }, { a: 1, __proto__x: 1 }],
  ])('merges %j with %j as RFC 7386 says', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });
});

describe('wrapManifests', () => {
  it('what looks like a template is none', () => {
    expect(escapeTemplate('a {{ .x }} {{- y -}}')).toBe('a {{ "{{" }} .x }} {{ "{{" }}- y -}}');
  });

  it('puts CRDs into their folder where that is wanted', () => {
    const crd = { ...object('CustomResourceDefinition', 'c'), apiVersion: 'apiextensions.k8s.io/v1' };
    const sources = [{ name: 'up', objects: [crd, object('Service', 'a')] }];
    expect(Object.keys(wrapManifests(sources, { crdsDir: true }))).toEqual([
      'values.yaml',
      'crds/up.yaml',
      'templates/up.yaml',
    ]);
    expect(Object.keys(wrapManifests(sources, { crdsDir: false }))).toEqual(['values.yaml', 'templates/up.yaml']);
  });
});

describe('names of what is built', () => {
  it.each([
    ['1.2.0', 3, '1.2.0-3', '1.2.0-3'],
    ['1.2.0-rc.1', 0, '1.2.0-rc.1-0', '1.2.0-rc.1-0'],
    ['1.2.0+k8s.1', 2, '1.2.0-2+k8s.1', '1.2.0-2_k8s.1'],
  ])('%s, build %i is %s', (version, build, charts, tag) => {
    expect([buildVersion({ version, build }), buildTag({ version, build })]).toEqual([charts, tag]);
  });
});

describe('draftRecipe', () => {
  it('is a recipe that parses, and in which nothing is at fault', () => {
    const part = {
      name: 'web',
      source: { dir: 'charts/web' },
      isManifests: true,
      hasNamespaces: true,
      hasCrdFolder: true,
      isHook: false,
    };
    const hook = { ...part, name: 'migrate', isHook: true };
    const draft = draftRecipe({ name: 'shop', namespace: 'ns', version: '1.0.0', description: 'x', crds: ['a.b'] }, [
      part,
      hook,
    ]);
    const parsed = parseRecipe(draft);
    expect(parsed.ok && checkRecipe(parsed.value)).toEqual([]);
    expect(draft).toMatchObject({
      spec: {
        charts: { web: { exclude: [{ kind: 'Namespace' }], crdsDir: true } },
        package: {
          variants: [
            {
              components: [
                { install: { namespace: 'ns', upgradeCRDs: 'CreateReplace' } },
                { install: { phase: 'PreUpgrade' } },
              ],
            },
          ],
        },
      },
    });
  });
});
