import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { asArray, asString, at, type JsonObject } from '../../src/lib/json.ts';
import type { DesiredRelease, PresentRelease, ReleaseTarget } from '../../src/ports/backend.ts';
import type { FixtureChart } from '../build/fixture-chart.ts';
import { type BackendWorld, presentOf } from './backend-world.ts';
import type { HelmHarness } from './helm-harness.ts';

type World = BackendWorld & { readonly helm: HelmHarness };
type Policy = NonNullable<DesiredRelease['upgradeCRDs']>;

const OWNED_BY = 'kubepkg.dev/owned-by';
const GADGET = `apiVersion: {{ .Values.group }}/v1
kind: Gadget
metadata: { name: web }
spec: { size: 1{{ if .Values.color }}, color: {{ .Values.color }}{{ end }} }
`;

/** A schema needs a type. */
const NO_TYPE = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: {} } };

/** `upgradeCRDs`: what an upgrade does with the CRDs of the `crds/` folders. */
export function crdUpgradeCases(world: World): void {
  describe('the CRDs of a chart when it is upgraded', () => {
    policyCases(world);
    replacementCases(world);
    refusalCases(world);
    ownerCases(world);
  });
}

function policyCases(world: World): void {
  it.each<[Policy, boolean]>([
    ['Skip', false],
    ['Create', true],
  ])('F31 with %s a new field is not known, and that a new CRD is created is %s', async (upgradeCRDs, created) => {
    const { group, target } = await installed(world);
    const files = crdFiles(crd(group, ['size', 'color']), widget(group));
    const release = await upgrade(world, { group, target }, { files, values: { color: 'red' }, upgradeCRDs });
    const { outcome } = await world.deliver(release);
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ApiInvalid' } });
    expect(fieldsOf(await readCrd(world, `gadgets.${group}`))).toEqual(['size']);
    expect((await readCrd(world, `widgets.${group}`)) !== undefined).toBe(created);
  });

  it('F31 with CreateReplace a new field can be used by the same release, and a new CRD is created', async () => {
    const { group, target } = await installed(world);
    const files = crdFiles(crd(group, ['size', 'color']), widget(group));
    const shape = { files, values: { color: 'red' }, upgradeCRDs: 'CreateReplace' } as const;
    await world.delivered(await upgrade(world, { group, target }, shape));
    const gadget = { apiVersion: `${group}/v1`, kind: 'Gadget', name: 'web', namespace: target.namespace };
    expect(at(await world.harness.cluster.read(gadget), 'spec')).toEqual({ size: 1, color: 'red' });
    expect(await readCrd(world, `widgets.${group}`)).toBeDefined();
  });

  it('a rollback creates what is missing and replaces nothing', async () => {
    const scene = await installed(world);
    const older = crdFiles(crd(scene.group, []), widget(scene.group));
    const release = await upgrade(world, scene, { files: older, upgradeCRDs: 'CreateReplace' });
    await world.delivered({ ...release, rollback: true });
    expect(fieldsOf(await readCrd(world, `gadgets.${scene.group}`))).toEqual(['size']);
    expect(await readCrd(world, `widgets.${scene.group}`)).toBeDefined();
  });

  it('an installation over what an earlier one left replaces it when it is asked to', async () => {
    const { group, target } = await installed(world);
    await world.harness.removeByHand(target);
    const fresh = await world.target();
    const files = crdFiles(crd(group, ['size', 'color']));
    await world.delivered(await upgrade(world, { group, target: fresh }, { files, upgradeCRDs: 'CreateReplace' }));
    expect(fieldsOf(await readCrd(world, `gadgets.${group}`))).toEqual(['color', 'size']);
  });
}

function replacementCases(world: World): void {
  it('takes away what the chart no longer has, and leaves what others added', async () => {
    const group = newGroup();
    const names = { kind: 'Gadget', plural: 'gadgets', singular: 'gadget', shortNames: ['gd'] };
    const two = withSpec(withVersions(crd(group, ['size']), ['v1', 'v1alpha1']), { names });
    const scene = await installed(world, { group, files: crdFiles(two) });
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `gadgets.${group}` };
    const theirs = { metadata: { labels: { theirs: 'stays' } } };
    await world.harness.cluster.write({ verb: 'merge-patch', ref, patch: theirs });
    const files = crdFiles(crd(group, ['size']));
    await world.delivered(await upgrade(world, scene, { files, upgradeCRDs: 'CreateReplace' }));
    const after = await readCrd(world, ref.name);
    expect(versionsOf(after)).toEqual(['v1']);
    expect(at(after, 'spec', 'names', 'shortNames')).toBeUndefined();
    expect(after?.metadata.labels).toEqual({ theirs: 'stays' });
  });

  it('waits until a new version is served, so that the release can use it at once', async () => {
    const scene = await installed(world);
    const { group } = scene;
    const v2 = GADGET.replace('}}/v1', '}}/v2');
    const files = {
      ...crdFiles(withVersions(crd(group, ['size', 'color']), ['v2', 'v1'])),
      'templates/custom.yaml': v2,
    };
    await world.delivered(await upgrade(world, scene, { files, upgradeCRDs: 'CreateReplace' }));
    expect(versionsOf(await readCrd(world, `gadgets.${group}`))).toEqual(['v2', 'v1']);
  });

  it.each([
    [true, ['color', 'size']],
    [false, ['size']],
  ])('with a subchart that is enabled: %s, its CRD has %j', async (enabled, fields) => {
    const group = newGroup();
    const subchart = (...names: readonly string[]): Record<string, string> => ({
      'Chart.yaml':
        'apiVersion: v2\nname: custom\nversion: 1.0.0\ndependencies: [{ name: sub, version: 1.0.0, condition: sub.enabled }]\n',
      'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
      'charts/sub/crds/gadgets.yaml': JSON.stringify(crd(group, names)),
      'templates/custom.yaml': '',
    });
    const scene = await installed(world, { group, files: subchart('size'), values: { sub: { enabled: true } } });
    const files = subchart('size', 'color');
    const values = { sub: { enabled } };
    await world.delivered(await upgrade(world, scene, { files, values, upgradeCRDs: 'CreateReplace' }));
    expect(fieldsOf(await readCrd(world, `gadgets.${group}`))).toEqual(fields);
  });
}

function refusalCases(world: World): void {
  it.each<[string, string, (live: KubeObject) => KubeObject]>([
    ['lose a version in which objects are stored', 'ApiInvalid', (live) => withVersions(live, ['v2'])],
    ['change its scope', 'ImmutableField', (live) => withSpec(live, { scope: 'Cluster' })],
    ['be invalid', 'ApiInvalid', (live) => withSpec(live, { versions: [NO_TYPE] })],
  ])('I7 one that would %s is refused by name before anything is written', async (_, code, change) => {
    const scene = await installed(world);
    const { group, target } = scene;
    const files = crdFiles(widget(group), change(crd(group, ['size'])));
    const { outcome, observed } = await world.deliver(
      await upgrade(world, scene, { files, upgradeCRDs: 'CreateReplace' }),
    );
    expect(outcome).toMatchObject({ kind: 'refused', error: { code, class: 'terminal' } });
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining(`gadgets.${group}`) as string } });
    expect(await readCrd(world, `widgets.${group}`)).toBeUndefined();
    expect(presentOf(observed)).toEqual(scene.observed);
    expect(await world.observe(target)).toEqual(scene.observed);
  });
}

function ownerCases(world: World): void {
  it('P21 a CRD that is created says whose it is', async () => {
    const { group } = await installed(world);
    expect((await readCrd(world, `gadgets.${group}`))?.metadata.annotations).toEqual({ [OWNED_BY]: 'shop' });
  });

  it('one that an earlier kubepkg created, without a mark, is replaced and marked', async () => {
    const group = newGroup();
    await world.harness.cluster.write({ verb: 'create', object: crd(group, ['size']) });
    const scene = await installed(world, { group });
    const files = crdFiles(crd(group, ['size', 'color']));
    await world.delivered(await upgrade(world, scene, { files, upgradeCRDs: 'CreateReplace' }));
    const after = await readCrd(world, `gadgets.${group}`);
    expect(fieldsOf(after)).toEqual(['color', 'size']);
    expect(after?.metadata.annotations).toEqual({ [OWNED_BY]: 'shop' });
  });

  it.each<[string, (group: string) => Promise<void>]>([
    ['another package', (group) => createMarked(world, group)],
    ['nobody that kubepkg knows', (group) => installByHand(world, group)],
  ])('P21 I6 a CRD of %s is not replaced, unless it is to be adopted', async (_, create) => {
    const group = newGroup();
    await create(group);
    const scene = await installed(world, { group });
    const before = await readCrd(world, `gadgets.${group}`);
    const files = crdFiles(crd(group, ['size', 'color']));
    const release = await upgrade(world, scene, { files, upgradeCRDs: 'CreateReplace' });
    const { outcome, observed } = await world.deliver(release);
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict', class: 'terminal' } });
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining(`gadgets.${group}`) as string } });
    expect(observed).toEqual(scene.observed);
    expect(await readCrd(world, `gadgets.${group}`)).toEqual(before);
    await world.delivered({ ...release, adopt: true });
    const after = await readCrd(world, `gadgets.${group}`);
    expect(fieldsOf(after)).toEqual(['color', 'size']);
    expect(after?.metadata).toMatchObject({ uid: before?.metadata.uid, annotations: { [OWNED_BY]: 'shop' } });
  });
}

async function createMarked(world: World, group: string): Promise<void> {
  const object = crd(group, ['size']);
  const metadata = { ...object.metadata, annotations: { [OWNED_BY]: 'bar' } };
  await world.harness.cluster.write({ verb: 'create', object: { ...object, metadata } });
}

async function installByHand(world: World, group: string): Promise<void> {
  const { namespace } = await world.target();
  const files = { ...crdFiles(crd(group, ['size'])), 'templates/custom.yaml': '' };
  const chart = await world.harness.chart({ name: 'custom', files });
  await world.helm.helm('install', 'theirs', chart.path, '--namespace', namespace);
}

interface Scene {
  readonly group: string;
  readonly target: ReleaseTarget;
}

interface Shape {
  readonly files: Readonly<Record<string, string>>;
  readonly values?: JsonObject;
  readonly upgradeCRDs?: Policy;
}

async function installed(
  world: World,
  shape: Partial<Shape> & { readonly group?: string } = {},
): Promise<Scene & { readonly observed: PresentRelease }> {
  const { group = newGroup(), files = crdFiles(crd(group, ['size'])), values = {} } = shape;
  const scene = { group, target: await world.target() };
  return { ...scene, observed: await world.delivered(await upgrade(world, scene, { files, values })) };
}

async function upgrade(world: World, { group, target }: Scene, shape: Shape): Promise<DesiredRelease> {
  const chart: FixtureChart = { name: 'custom', files: { 'templates/custom.yaml': GADGET, ...shape.files } };
  const values = { group, color: '', ...shape.values };
  const release = await world.release(target, { chart, values });
  return shape.upgradeCRDs === undefined ? release : { ...release, upgradeCRDs: shape.upgradeCRDs };
}

function newGroup(): string {
  return `g${randomUUID().slice(0, 8)}.example.com`;
}

/** A kind with these fields in its specification; the API server drops all others. */
function crd(group: string, fields: readonly string[]): KubeObject {
  const properties = Object.fromEntries(
    fields.map((field) => [field, { 'x-kubernetes-preserve-unknown-fields': true }]),
  );
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

function widget(group: string): KubeObject {
  const object = withSpec(crd(group, []), { names: { kind: 'Widget', plural: 'widgets', singular: 'widget' } });
  return { ...object, metadata: { name: `widgets.${group}` } };
}

function withSpec(object: KubeObject, parts: Readonly<Record<string, unknown>>): KubeObject {
  return { ...object, spec: Object.assign({}, object['spec'], parts) };
}

/** The first one is the one that objects are stored in. */
function withVersions(object: KubeObject, names: readonly string[]): KubeObject {
  const [version] = asArray(at(object, 'spec', 'versions'));
  const versions = names.map((name, index) => Object.assign({}, version, { name, storage: index === 0 }));
  return withSpec(object, { versions });
}

function crdFiles(...objects: readonly KubeObject[]): Record<string, string> {
  return { 'crds/all.yaml': objects.map((object) => `---\n${JSON.stringify(object)}\n`).join('') };
}

function readCrd(world: World, name: string): Promise<KubeObject | undefined> {
  return world.read('CustomResourceDefinition', name);
}

function fieldsOf(object: KubeObject | undefined): readonly string[] {
  const [version] = asArray(at(object, 'spec', 'versions'));
  const properties = at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties');
  return Object.keys(Object.assign({}, properties)).sort();
}

function versionsOf(object: KubeObject | undefined): readonly string[] {
  return asArray(at(object, 'spec', 'versions')).map((version) => asString(at(version, 'name')) ?? '');
}
