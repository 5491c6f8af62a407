import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { gzipSync } from 'node:zlib';
import { parseRecipe } from '../api/recipe.ts';
import { asString, at, type JsonObject } from '../lib/json.ts';
import { parseYaml, parseYamlDocuments } from '../lib/yaml.ts';
import { sha256 } from '../lib/digest.ts';
import { readArchive } from '../adapters/oci/archive.ts';
import { createReadStream } from 'node:fs';
import { type OciWorld, ociTest } from '../../test/fakes/oci-world.ts';
import { ArmedClock } from '../../test/fakes/armed-clock.ts';
import { entriesOf, tgzOf } from '../../test/build/archives.ts';
import { packageOf, sourceOf } from '../../test/build/authored.ts';
import { createAuthoring, type RecipeInput } from './authoring.ts';

const OPERATOR = `
apiVersion: v1
kind: Namespace
metadata: {name: ops}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec: {group: example.org}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: op, labels: {note: "{{ kept }}"}}
spec: {replicas: 1, template: {spec: {affinity: {nodeAffinity: {a: 1}}}}}
`;

const authoring = createAuthoring({ clock: new ArmedClock(), env: {} });

function settings(world: OciWorld) {
  return { plainHttp: true, cacheDir: world.cacheDir };
}

/** A folder of a recipe, below which the files are. */
async function recipeOf(
  world: OciWorld,
  spec: string,
  files: Readonly<Record<string, string>> = {},
): Promise<RecipeInput> {
  const directory = await mkdtemp(join(world.folder, 'recipe-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  const text = `apiVersion: kubepkg.dev/v1\nkind: Recipe\nmetadata: {name: shop}\nspec:\n  version: 1.2.0\n  build: 3\n${spec}`;
  const value = parseYaml(text, 'recipe.yaml');
  const parsed = parseRecipe(value);
  if (!parsed.ok) throw parsed.error;
  const written = ((value as JsonObject)['spec'] as JsonObject)['package'] as JsonObject;
  return { directory, recipe: parsed.value, written };
}

const MANIFESTS = `
  sources: {op: {dir: manifests}}
  charts:
    op:
      from: [op]
      exclude: [{kind: Namespace}]
      crdsDir: true
      patches:
        - {kind: Deployment, name: op, merge: {spec: {replicas: 2, template: {spec: {affinity: {nodeAffinity: null}}}}}}
  package: {variants: [{name: default, components: [{name: op, path: op, install: {namespace: ops}}]}]}
`;

async function filesIn(archive: string): Promise<Record<string, string>> {
  const limits = { unpackedBytes: 1e8, entries: 1000, wantedBytes: 1e8 };
  const { files } = await readArchive(createReadStream(archive), { limits, subject: archive, wants: () => true });
  return Object.fromEntries([...files].map(([path, { content }]) => [path, content.toString('utf8')]));
}

describe('building a recipe', () => {
  ociTest('wraps manifests into a chart that applies them as they are', async ({ world }) => {
    const input = await recipeOf(world, MANIFESTS, { 'manifests/op.yaml': OPERATOR });
    const built = await authoring.build(input, { out: join(world.folder, 'dist') }, settings(world));
    expect(built.charts.map(({ name }) => name)).toEqual(['op']);
    expect(built.charts[0]?.file).toMatch(/shop-1\.2\.0-3\/charts\/op-1\.2\.0-3\.tgz$/);
    const files = await filesIn(built.charts[0]?.file ?? '');
    expect(Object.keys(files).sort()).toEqual([
      'op/Chart.yaml',
      'op/crds/op.yaml',
      'op/templates/op.yaml',
      'op/values.yaml',
    ]);
    expect(parseYaml(files['op/Chart.yaml'] ?? '', 'Chart.yaml')).toMatchObject({
      name: 'op',
      version: '1.2.0-3',
      appVersion: '1.2.0',
    });
    expect(files['op/templates/op.yaml']).toContain('{{ "{{" }} kept');
    const rendered = (files['op/templates/op.yaml'] ?? '').replaceAll('{{ "{{" }}', '{{');
    expect(parseYamlDocuments(rendered, 'op.yaml')).toEqual([
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'op', labels: { note: '{{ kept }}' } },
        spec: { replicas: 2, template: { spec: { affinity: {} } } },
      },
    ]);
  });

  ociTest('gives the same bytes twice, from wherever', async ({ world }) => {
    const texts: string[] = [];
    for (const name of ['one', 'two']) {
      const input = await recipeOf(world, MANIFESTS, { 'manifests/op.yaml': OPERATOR });
      const out = join(world.folder, name);
      const { charts, file } = await authoring.build(input, { out }, settings(world));
      const archives = await Promise.all(charts.map((chart) => readFile(chart.file, 'base64')));
      texts.push(
        JSON.stringify([await readFile(file, 'utf8'), archives, (await readdir(out, { recursive: true })).sort()]),
      );
    }
    expect(texts[0]).toBe(texts[1]);
  });

  ociTest(
    'takes a published chart, with values, an overlay, and changed CRDs of packed subcharts',
    async ({ world }) => {
      const crd = (name: string): string =>
        `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}\nspec: {}\n`;
      const packed = tgzOf(
        entriesOf({ 'sub/Chart.yaml': 'name: sub\nversion: 1.0.0\n', 'sub/crds/b.yaml': crd('b.example.org') }),
      );
      const content = tgzOf([
        ...entriesOf({
          'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 9.0.0\nappVersion: "9"\n',
          'web/values.yaml': 'a: {b: 1, c: 2}\n',
          'web/crds/a.yaml': crd('a.example.org'),
          'web/templates/x.yaml': 'old\n',
        }),
        { path: 'web/charts/sub-1.0.0.tgz', content: packed },
      ]);
      const mediaType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
      world.registry.publish('charts/web', '9.0.0', { mediaType, content });
      const spec = `
  sources:
    up: {chart: {repository: "oci://${world.registry.host}/charts", name: web, version: 9.0.0, digest: "sha256:${sha256(content)}"}}
  charts:
    shop:
      from: [up]
      values: {a: {b: 3}}
      overlay: over
      exclude: [{kind: CustomResourceDefinition, name: a.example.org}]
      patches: [{name: b.example.org, merge: {spec: {scope: Cluster}}}]
  package: {variants: [{name: default, components: [{name: shop, path: shop, install: {namespace: shop}}]}]}
`;
      const input = await recipeOf(world, spec, { 'over/templates/x.yaml': 'new\n' });
      const { tree = '' } = await authoring.build(input, { out: join(world.folder, 'dist') }, settings(world));
      expect((await readdir(join(tree, 'shop'), { recursive: true })).sort()).toEqual([
        'Chart.yaml',
        'charts',
        'charts/sub-1.0.0.tgz',
        'templates',
        'templates/x.yaml',
        'values.yaml',
      ]);
      expect(parseYaml(await readFile(join(tree, 'shop/Chart.yaml'), 'utf8'), '')).toEqual({
        apiVersion: 'v2',
        name: 'shop',
        version: '1.2.0-3',
        appVersion: '9',
      });
      expect(parseYaml(await readFile(join(tree, 'shop/values.yaml'), 'utf8'), '')).toEqual({ a: { b: 3, c: 2 } });
      expect(await readFile(join(tree, 'shop/templates/x.yaml'), 'utf8')).toBe('new\n');
      const sub = await filesIn(join(tree, 'shop/charts/sub-1.0.0.tgz'));
      expect(parseYaml(sub['sub/crds/b.yaml'] ?? '', '')).toMatchObject({ spec: { scope: 'Cluster' } });
    },
  );

  ociTest('pushes each chart by itself, pins it in the PackageSource, and pushes nothing twice', async ({ world }) => {
    const input = await recipeOf(world, MANIFESTS, { 'manifests/op.yaml': OPERATOR });
    const target = { out: join(world.folder, 'dist'), registry: `oci://${world.registry.host}/pkgs/` };
    const first = await authoring.build(input, target, settings(world));
    const repository = `oci://${world.registry.host}/pkgs/shop`;
    const chart = { repository, name: 'op', version: '1.2.0-3', digest: first.charts[0]?.digest ?? '' };
    const written = parseYaml(await readFile(first.file, 'utf8'), '');
    const components = [{ name: 'op', chart, install: { namespace: 'ops' } }];
    expect(written).toMatchObject({
      spec: { version: '1.2.0', build: 3, variants: [{ name: 'default', components }] },
    });
    expect(at(written, 'spec', 'sourceRef')).toBeUndefined();
    const { digest, name, version } = await world.source().fetch({ kind: 'chart', ...chart });
    expect({ digest, name, version }).toEqual({ digest: chart.digest, name: 'op', version: '1.2.0-3' });
    const before = world.registry.seen.length;
    const again = await authoring.build(input, target, settings(world));
    expect(again.publication).toEqual(first.publication);
    expect(world.registry.seen.slice(before).map(({ method }) => method)).toEqual(['GET']);
  });

  ociTest(
    'a pushed chart is one for helm: its manifest has the metadata and nothing that changes',
    async ({ world }) => {
      const input = await recipeOf(world, MANIFESTS, { 'manifests/op.yaml': OPERATOR });
      const target = { out: join(world.folder, 'dist'), registry: `oci://${world.registry.host}/pkgs` };
      await authoring.build(input, target, settings(world));
      const base = `http://${world.registry.host}/v2/pkgs/shop/op`;
      const manifest: unknown = await (await fetch(`${base}/manifests/1.2.0-3`)).json();
      expect(manifest).toMatchObject({
        config: { mediaType: 'application/vnd.cncf.helm.config.v1+json' },
        layers: [{ mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip' }],
        annotations: { 'org.opencontainers.image.title': 'op', 'org.opencontainers.image.version': '1.2.0-3' },
      });
      const config = asString(at(manifest, 'config', 'digest')) ?? '';
      expect(await (await fetch(`${base}/blobs/${config}`)).json()).toMatchObject({ name: 'op', version: '1.2.0-3' });
    },
  );

  const LIBRARY = MANIFESTS.replace('{name: default, ', '{name: default, libraries: [{path: op, name: common}], ');
  ociTest('with libraries the tree is pushed, and named with its digest', async ({ world }) => {
    const input = await recipeOf(world, LIBRARY, { 'manifests/op.yaml': OPERATOR });
    const target = { out: join(world.folder, 'dist'), registry: `oci://${world.registry.host}/pkgs/` };
    const first = await authoring.build(input, target, settings(world));
    const url = asString(at(first.source, 'spec', 'sourceRef', 'url')) ?? '';
    expect(url).toMatch(/^oci:\/\/[^/]+\/pkgs\/shop:1\.2\.0-3@sha256:[a-f0-9]{64}$/);
    expect(first.publication).toEqual({ kind: 'tree', url });
    expect((await authoring.build(input, target, settings(world))).publication).toEqual(first.publication);
    const chart = await world.source().fetch(world.treeRef({ url, path: 'op' }));
    expect(chart.digest).toBe(first.charts[0]?.digest);
  });

  ociTest.for([
    ['charts', MANIFESTS],
    ['a tree', LIBRARY],
  ] as const)('refuses to publish other content as the same build, as %s', async ([, spec], { world }) => {
    const target = { out: join(world.folder, 'dist'), registry: `oci://${world.registry.host}/pkgs` };
    await authoring.build(await recipeOf(world, spec, { 'manifests/op.yaml': OPERATOR }), target, settings(world));
    const changed = await recipeOf(world, spec, { 'manifests/op.yaml': OPERATOR.replace('kept', 'changed') });
    await expect(authoring.build(changed, target, settings(world))).rejects.toMatchObject({ code: 'DigestMismatch' });
    const kept = join(target.out, 'shop-1.2.0-3', 'tree', 'op', 'templates', 'op.yaml');
    expect(await readFile(kept, 'utf8')).toContain('kept');
  });

  const dir = (path: string): string => MANIFESTS.replace('dir: manifests', `dir: ${path}`);
  ociTest.for([
    ['a folder above', dir('../out'), 'InvalidInput', /leads out/],
    ['an absolute folder', dir('/etc'), 'InvalidInput', /leads out/],
    ['a folder behind a link that leads out', dir('link'), 'InvalidInput', /leads out/],
    ['a link inside of a folder', dir('linked'), 'TreeInvalid', /is a link/],
    ['a folder that is not there', dir('nowhere'), 'InvalidInput', /there is no folder nowhere/],
    [
      'a patch that matches nothing',
      MANIFESTS.replace('name: op, merge', 'name: other, merge'),
      'InvalidInput',
      /patches\[0\] \(Deployment other\) matches no object/,
    ],
    ['manifests that are none', dir('prose'), 'InvalidInput', /is no object/],
  ] as const)('refuses %s, and writes nothing', async ([, spec, code, message], { world }) => {
    const input = await recipeOf(world, spec, {
      'manifests/op.yaml': OPERATOR,
      'prose/a.yaml': 'a: b\n',
      'linked/op.yaml': OPERATOR,
    });
    await symlink(world.folder, join(input.directory, 'link'));
    await symlink('/etc/hostname', join(input.directory, 'linked', 'x.yaml'));
    const out = join(world.folder, 'dist');
    const refusal = await authoring.build(input, { out }, settings(world)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) as unknown });
    expect(await readdir(world.folder)).not.toContain('dist');
  });

  const PACKED = `
  sources: {up: {dir: chart}}
  charts:
    shop: {from: [up], exclude: [{kind: CustomResourceDefinition, name: things.example.org}]}
  package: {variants: [{name: default, components: [{name: shop, path: shop, install: {namespace: shop}}]}]}
`;

  /** A recipe of a chart with packed subcharts by file name. */
  async function withSubcharts(world: OciWorld, subcharts: Readonly<Record<string, Buffer>>): Promise<RecipeInput> {
    const input = await recipeOf(world, PACKED, { 'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 9.0.0\n' });
    await mkdir(join(input.directory, 'chart/charts'));
    for (const [name, content] of Object.entries(subcharts))
      await writeFile(join(input.directory, 'chart/charts', name), content);
    return input;
  }

  ociTest('refuses a chart whose subcharts are packed too deeply inside one another', async ({ world }) => {
    const own = entriesOf({ 'sub/Chart.yaml': 'name: sub\nversion: 1.0.0\n' });
    const nested = (times: number): Buffer =>
      tgzOf(times === 1 ? own : [...own, { path: 'sub/charts/sub.tgz', content: nested(times - 1) }]);
    const build = async (times: number) => {
      const input = await withSubcharts(world, { 'sub.tgz': nested(times) });
      return authoring.build(input, { out: join(world.folder, `dist-${String(times)}`) }, settings(world));
    };
    expect((await build(5)).charts).toHaveLength(1);
    const refusal = expect.stringMatching(/^chart shop: charts\/sub\.tgz: .*packed too deeply/) as unknown;
    await expect(build(6)).rejects.toMatchObject({ code: 'ChartInvalid', message: refusal });
  });

  ociTest('reads sources from addresses by their checksum, also out of archives', async ({ world }) => {
    const archive = tgzOf(entriesOf({ 'release/deploy/op.yaml': OPERATOR, 'release/README.md': 'x' }));
    world.registry.put('/release.tar.gz', archive);
    const url = `http://${world.registry.host}/release.tar.gz`;
    const spec = MANIFESTS.replace(
      '{dir: manifests}',
      `{url: "${url}", sha256: ${sha256(archive)}, path: release/deploy}`,
    );
    const input = await recipeOf(world, spec);
    const built = await authoring.build(input, { out: join(world.folder, 'dist') }, settings(world));
    expect(built.charts).toHaveLength(1);
    await world.forget();
    world.registry.put('/release.tar.gz', gzipSync('other'));
    await expect(authoring.build(input, { out: join(world.folder, 'dist') }, settings(world))).rejects.toMatchObject({
      code: 'DigestMismatch',
    });
  });
});

describe('rendering for others', () => {
  async function render(world: OciWorld, format: 'flux' | 'argo' | 'helmfile') {
    world.publishChart();
    const chart = { repository: `oci://${world.registry.host}/charts`, name: 'web', version: '1.2.3' };
    const source = sourceOf('shop', [
      {
        name: 'web',
        chart,
        install: {
          namespace: 'shop',
          dependsOn: ['store'],
          readyWhen: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', condition: 'Ready' }],
        },
      },
      { name: 'store', chart, install: { namespace: 'data', privileged: true, upgradeCRDs: 'CreateReplace' } },
      { name: 'migrate', chart, install: { namespace: 'shop', phase: 'PreUpgrade' } },
    ]);
    const packages = [{ source, package: packageOf('shop', { web: { values: { replicas: 3 } } }) }];
    const request = { packages, format, argoNamespace: 'argo', argoProject: 'team' };
    const [rendered] = await authoring.render(request, settings(world));
    return {
      objects: parseYamlDocuments(rendered?.text ?? '', 'out').filter((each) => each !== null),
      losses: rendered?.losses ?? [],
    };
  }

  ociTest(
    'Flux gets releases in their order, with CRDs and waits of its own, and nothing of an attempt',
    async ({ world }) => {
      const { objects, losses } = await render(world, 'flux');
      expect(objects.map((each) => (each as JsonObject)['kind'])).toEqual([
        'Namespace',
        'Namespace',
        'OCIRepository',
        'Secret',
        'HelmRelease',
        'OCIRepository',
        'Secret',
        'HelmRelease',
      ]);
      expect(objects[4]).toMatchObject({
        metadata: { name: 'store', namespace: 'data' },
        spec: { install: { crds: 'Create' }, upgrade: { crds: 'CreateReplace' } },
      });
      expect(objects[7]).toMatchObject({ spec: { dependsOn: [{ name: 'store', namespace: 'data' }] } });
      expect(JSON.stringify(objects)).not.toMatch(/disableWaitForJobs|instructed-at|requestedAt/);
      expect(losses.join()).toMatch(/migrate.*web/);
    },
  );

  ociTest('Argo CD gets Applications that sync by themselves, one wave after the other', async ({ world }) => {
    const { objects } = await render(world, 'argo');
    expect(objects.slice(2)).toMatchObject([
      {
        metadata: { namespace: 'argo', annotations: { 'argocd.argoproj.io/sync-wave': '0' } },
        spec: { project: 'team', syncPolicy: { automated: {} } },
      },
      {
        metadata: { annotations: { 'argocd.argoproj.io/sync-wave': '1' } },
        spec: { source: { helm: { valuesObject: { replicas: 3 } } } },
      },
    ]);
    expect(JSON.stringify(objects)).not.toMatch(/"operation"|skipCrds|kubepkg.dev\/attempt/);
  });

  ociTest('helmfile gets one release for each component, and what each needs', async ({ world }) => {
    const { objects } = await render(world, 'helmfile');
    expect(objects).toMatchObject([
      {
        repositories: [{ oci: true }],
        releases: [
          { name: 'store' },
          { name: 'web', needs: ['data/store'], values: [{ replicas: 3 }], version: '1.2.3' },
        ],
      },
    ]);
  });

  ociTest('a chart in a tree is refused, as nobody else can get it', async ({ world }) => {
    world.publishTree({});
    const source = sourceOf(
      'shop',
      [{ name: 'web', path: 'web', install: { namespace: 'shop' } }],
      `oci://${world.registry.host}/trees/shop:1.0.0`,
    );
    const request = {
      packages: [{ source, package: packageOf('shop') }],
      format: 'flux',
      argoNamespace: '',
      argoProject: '',
    } as const;
    await expect(authoring.render(request, settings(world))).rejects.toMatchObject({ code: 'Unsupported' });
  });
});
