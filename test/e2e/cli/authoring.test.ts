import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import '../../setup/provided.ts';
import { asArray, asString, at } from '../../../src/lib/json.ts';
import { parseYaml, parseYamlDocuments, writeYaml } from '../../../src/lib/yaml.ts';
import { Program } from './program.ts';

const dir = mkdtempSync(join(tmpdir(), 'kubepkg-authoring-'));
const { host, caFile } = inject('registry');
// No kubeconfig: none of these commands may ask a cluster.
const program = new Program({ KUBECONFIG: '/nowhere', HOME: dir });
const HELM = ['--helm', inject('helm'), '--cache-dir', join(dir, 'cache')];
const REGISTRY = ['--registry-ca-file', caFile, '--cache-dir', join(dir, 'cache')];

const OPERATOR = `
apiVersion: v1
kind: Namespace
metadata: {name: ops}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: op, annotations: {note: "{{ no template }}"}}
spec:
  selector: {matchLabels: {app: op}}
  template:
    metadata: {labels: {app: op}}
    spec: {containers: [{name: op, image: "example.org/op:1"}]}
`;

afterAll(async () => {
  await rm(dir, { recursive: true });
});

/** A recipe from manifests and a chart of ours, as `init` makes it. */
async function started(name: string): Promise<string> {
  await writeFile(join(dir, 'operator.yaml'), OPERATOR);
  await cp('test/fixtures/charts/web', join(dir, 'web'), { recursive: true });
  const place = join(dir, name);
  const words = [
    'init',
    place,
    '--manifest',
    join(dir, 'operator.yaml'),
    '--chart',
    join(dir, 'web'),
    '--version',
    '1.2.0',
  ];
  expect(await program.run([...words, ...HELM])).toMatchObject({
    exitCode: 0,
    stdout: `${join(place, 'recipe.yaml')}\n`,
  });
  return place;
}

async function change(place: string, before: string | RegExp, after: string): Promise<void> {
  const file = join(place, 'recipe.yaml');
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(before);
  await writeFile(file, text.replace(before, after));
}

async function validate(
  place: string,
): Promise<{ readonly exitCode: number | null; readonly codes: readonly string[] }> {
  const { exitCode, stdout } = await program.run(['validate', place, '-o', 'json', ...HELM]);
  const { recipes } = JSON.parse(stdout) as { recipes: { findings: { severity: string; code: string }[] }[] };
  return {
    exitCode,
    codes: recipes.flatMap(({ findings }) => findings.map(({ severity, code }) => `${severity} ${code}`)),
  };
}

describe('a package from its beginning', () => {
  it('is started, found sound, built twice to the same bytes, pushed, and rendered from the registry', async () => {
    const place = await started('shop');
    expect(await validate(place)).toEqual({ exitCode: 0, codes: ['warning ImagesNotPinned'] });
    const files: string[] = [];
    for (const out of ['one', 'two']) {
      const words = ['build', place, '-o', join(dir, out), '--registry', `oci://${host}/pkgs`, ...REGISTRY];
      const built = await program.run(words);
      expect(built).toMatchObject({ exitCode: 0, stdout: `${join(dir, out, 'shop-1.2.0-1.yaml')}\n` });
      files.push(await readFile(built.stdout.trim(), 'utf8'));
    }
    expect(files[0]).toBe(files[1]);
    const source = parseYaml(files[0] ?? '', 'source');
    const [variant] = asArray(at(source, 'spec', 'variants'));
    for (const component of asArray(at(variant, 'components'))) {
      const name = asString(at(component, 'name'));
      const chart = { repository: `oci://${host}/pkgs/shop`, name, version: '1.2.0-1' };
      expect(at(component, 'chart')).toMatchObject({ ...chart, digest: expect.stringMatching(/^sha256:/) as unknown });
    }
    await writeFile(join(dir, 'values.yaml'), 'text: changed\n');
    const words = [
      'render',
      'shop',
      '-f',
      join(dir, 'one', 'shop-1.2.0-1.yaml'),
      '--values',
      `web=${join(dir, 'values.yaml')}`,
    ];
    const rendered = await program.run([...words, ...HELM, '--registry-ca-file', caFile]);
    expect(rendered.exitCode).toBe(0);
    expect(rendered.stderr).toContain('note: shop: nothing is rolled back');
    const objects = parseYamlDocuments(rendered.stdout, 'out').filter((each) => each !== null);
    const names = objects.map((each) => `${String(at(each, 'kind'))} ${String(at(each, 'metadata', 'name'))}`);
    expect(names).toEqual(
      expect.arrayContaining(['Namespace ops', 'CustomResourceDefinition things.example.org', 'Deployment op']),
    );
    expect(objects.find((each) => at(each, 'metadata', 'name') === 'op')).toMatchObject({
      metadata: { namespace: 'ops', annotations: { note: '{{ no template }}' } },
    });
    const crd = objects.find((each) => at(each, 'kind') === 'CustomResourceDefinition');
    expect(at(crd, 'metadata', 'namespace')).toBeUndefined();
  });

  it('is pushed as charts that helm installs by itself, and that Flux and Argo CD are told of', async () => {
    const out = join(dir, 'plain');
    const built = await program.run([
      ...['build', await started('plain'), '-o', out],
      ...['--registry', `oci://${host}/plain`, ...REGISTRY],
    ]);
    expect(built.exitCode).toBe(0);
    expect(built.stderr).toContain(`pushed oci://${host}/plain/plain/web 1.2.0-1 (sha256:`);
    const words = ['template', 'web', `oci://${host}/plain/plain/web`, '--version', '1.2.0-1', '--ca-file', caFile];
    const env = { ...inject('commandEnv') };
    expect(execFileSync(inject('helm'), words, { env, encoding: 'utf8', stdio: 'pipe' })).toContain('kind: ');
    for (const [format, kind] of [
      ['flux', 'HelmRelease'],
      ['argo', 'Application'],
    ] as const) {
      const rendered = await program.run([
        'render',
        'plain',
        '-f',
        built.stdout.trim(),
        '--format',
        format,
        ...REGISTRY,
      ]);
      expect(rendered.exitCode).toBe(0);
      const kinds = parseYamlDocuments(rendered.stdout, 'out').map((each) => at(each, 'kind'));
      expect(kinds.filter((each) => each === kind)).toHaveLength(2);
    }
  });

  it('a pushed tree is not replaced by another one under the same tag, unless that is said', async () => {
    const tree = join(dir, 'tree');
    await cp('test/fixtures/charts/web', join(tree, 'web'), { recursive: true });
    const push = (...more: readonly string[]) =>
      program.run(['push', tree, `oci://${host}/trees/kept:1.0.0`, '--ca-file', caFile, ...more]);
    const first = await push();
    expect(await push()).toMatchObject({ exitCode: 0, stdout: first.stdout });
    await writeFile(join(tree, 'web', 'README.md'), 'changed\n');
    const refused = await push();
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: .*kept:1\.0\.0 is published already, with other content\nhint: .*--force\n$/,
    );
    const moved = await push('--force');
    expect(moved.exitCode).toBe(0);
    expect(moved.stdout).not.toBe(first.stdout);
  });

  it('a published chart is pinned by its digest, and given to Flux as it is published', async () => {
    const packed = join(dir, 'packed');
    await mkdir(packed);
    const push = await program.run(['build', await started('lib'), '-o', packed, ...REGISTRY]);
    expect(push.exitCode).toBe(0);
    const archive = join(packed, 'lib-1.2.0-1', 'charts', 'web-1.2.0-1.tgz');
    execFileSync(inject('helm'), ['push', archive, `oci://${host}/charts`, '--ca-file', caFile], {
      env: { ...inject('commandEnv') },
      stdio: 'pipe',
    });
    const place = join(dir, 'published');
    const words = ['init', place, '--chart', `oci://${host}/charts/web@1.2.0-1`, ...HELM, '--registry-ca-file', caFile];
    expect((await program.run(words)).exitCode).toBe(0);
    const recipe = parseYaml(await readFile(join(place, 'recipe.yaml'), 'utf8'), 'recipe');
    const chart = at(recipe, 'spec', 'sources', 'web', 'chart');
    expect(chart).toMatchObject({ name: 'web', version: '1.2.0-1' });
    const component = { name: 'web', chart, install: { namespace: 'shop' } };
    const source = {
      apiVersion: 'kubepkg.dev/v1',
      kind: 'PackageSource',
      metadata: { name: 'web' },
      spec: { version: '1.0.0', variants: [{ name: 'default', components: [component] }] },
    };
    await writeFile(join(dir, 'web.yaml'), writeYaml(source));
    const rendered = await program.run(['render', 'web', '-f', join(dir, 'web.yaml'), '--format', 'flux', ...REGISTRY]);
    expect(rendered.exitCode).toBe(0);
    const kinds = parseYamlDocuments(rendered.stdout, 'out').map((each) => at(each, 'kind'));
    expect(kinds.filter((kind) => kind !== undefined)).toEqual(['Namespace', 'OCIRepository', 'Secret', 'HelmRelease']);
  });
});

describe('kubepkg validate says of a chart that helm renders', () => {
  it.each([
    ['a CRD that is not declared', / *crds:\n\s+- things.example.org\n/, '', 'error CRDNotDeclared'],
    ['a namespace that kubepkg makes itself', / *exclude:\n\s+- kind: Namespace\n/, '', 'error NamespaceInChart'],
    [
      'an image that is not pinned',
      'rollback:',
      `images: ["example.org/other:1@sha256:${'a'.repeat(64)}"]\n    rollback:`,
      'error ImageUnpinned',
    ],
    [
      'a dependency that does not exist',
      'upgradeCRDs: CreateReplace',
      'dependsOn: [nobody]',
      'error InvalidConfiguration',
    ],
    [
      'an expression that is none',
      'upgradeCRDs: CreateReplace',
      'healthCheckExprs: [{apiVersion: v1, kind: Pod, current: "status.("}]',
      'error InvalidConfiguration',
    ],
    [
      'a patch that matches nothing',
      'exclude:',
      'patches: [{name: gone, merge: {a: 1}}]\n      exclude:',
      'error InvalidInput',
    ],
  ])('%s', async (what, before, after, finding) => {
    const place = await started(what.replaceAll(' ', '-'));
    await change(place, before, after);
    const { exitCode, codes } = await validate(place);
    expect(codes).toContain(finding);
    expect(exitCode).toBe(5);
  });

  it('a template that does not render, and values that its schema refuses', async () => {
    const place = await started('broken');
    await writeFile(
      join(place, 'charts', 'web', 'templates', 'bad.yaml'),
      '{{ required "give a name" .Values.name }}\n',
    );
    expect(await validate(place)).toMatchObject({
      exitCode: 5,
      codes: expect.arrayContaining(['error RenderFailed']) as unknown,
    });
    await rm(join(place, 'charts', 'web', 'templates', 'bad.yaml'));
    await writeFile(join(place, 'charts', 'web', 'values.schema.json'), '{"type": "object", "required": ["name"]}');
    expect(await validate(place)).toMatchObject({
      exitCode: 5,
      codes: expect.arrayContaining(['error ValuesInvalid']) as unknown,
    });
  });
});
