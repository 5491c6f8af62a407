import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { asArray, at } from '../../src/lib/json.ts';
import type { CommandRunner } from '../../src/ports/process.ts';
import type { FixtureChart } from '../build/fixture-chart.ts';
import type { BackendWorld } from './backend-world.ts';
import type { HelmHarness } from './helm-harness.ts';

const NO_ABORT = new AbortController().signal;
const SUBCHART = `apiVersion: v2
name: custom
version: 1.0.0
dependencies:
  - { name: sub, version: 1.0.0, condition: sub.enabled }
`;

type World = BackendWorld & { readonly helm: HelmHarness };

/** The `crds/` folder of a chart: what is missing is created, and nothing is ever written over. */
export function crdCases(world: World): void {
  describe('the crds folder of a chart', () => {
    existingCases(world);
    missingCases(world);
  });
}

function existingCases(world: World): void {
  it('P21 I6 a CRD that exists is left as it is, and the ones that are missing are created', async () => {
    const group = newGroup();
    const theirs = await world.harness.cluster.write({ verb: 'create', object: crd('gadgets', group, 'theirs') });
    const target = await world.target();
    const files = { 'crds/all.yaml': documents(crd('gadgets', group, 'ours'), crd('widgets', group, 'ours')) };
    await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
    const after = await readCrd(world, 'gadgets', group);
    expect(after?.metadata.uid).toBe(theirs.metadata.uid);
    expect(after?.metadata.generation).toBe(1);
    expect(descriptionOf(after)).toBe('theirs');
    expect(descriptionOf(await readCrd(world, 'widgets', group))).toBe('ours');
  });

  it('P21 I6 neither an adoption, nor an upgrade, nor an installation over a failed one writes a CRD', async () => {
    const group = newGroup();
    await world.harness.cluster.write({ verb: 'create', object: crd('gadgets', group, 'theirs') });
    const target = await world.target();
    const files = { 'crds/gadgets.yaml': documents(crd('gadgets', group, 'ours')) };
    const failing = await world.release(target, { chart: { name: 'broken', files } });
    expect((await world.deliver(failing)).outcome.kind).toBe('failed');
    await world.delivered(await world.release(target, { chart: { name: 'web', files }, adopt: true }));
    await world.delivered(await world.release(target, { chart: { name: 'web', files }, values: { color: 'red' } }));
    expect(descriptionOf(await readCrd(world, 'gadgets', group))).toBe('theirs');
  });
}

function missingCases(world: World): void {
  it('its kinds can be used by the templates of the same chart, at the price of one rendering', async () => {
    const group = newGroup();
    const target = await world.target();
    const before = world.helm.started.length;
    const observed = await world.delivered(await world.release(target, gadgetChart(group)));
    expect(world.helm.started.slice(before).map(({ args }) => args[0])).toEqual(['version', 'template', 'install']);
    expect(await readGadget(world, group, target.namespace)).toBeDefined();
    await world.uninstall(target, observed);
    expect(await readCrd(world, 'gadgets', group)).toBeDefined();
  });

  it('its kinds can be used although the chart does not render without an API server', async () => {
    const group = newGroup();
    const target = await world.target();
    const shape = gadgetChart(group);
    const template = '{{ if not (lookup "v1" "Namespace" "" "default") }}{{ fail "no cluster" }}{{ end }}';
    const files = { ...shape.chart.files, 'templates/insist.yaml': template };
    const values = { ...shape.values, object: false };
    await world.delivered(await world.release(target, { chart: { ...shape.chart, files }, values }));
    expect(await readCrd(world, 'gadgets', group)).toBeDefined();
  });

  it.each([
    [true, 'are created'],
    [false, 'are not created'],
  ])('with a subchart that is enabled: %s, its CRDs %s', async (enabled) => {
    const group = newGroup();
    const { chart, values } = gadgetChart(group);
    const files = {
      ...chart.files,
      'Chart.yaml': SUBCHART,
      'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
      'charts/sub/crds/widgets.yaml': documents(crd('widgets', group, 'of the subchart')),
    };
    const shape = { chart: { ...chart, files }, values: { ...values, sub: { enabled } } };
    await world.delivered(await world.release(await world.target(), shape));
    expect((await readCrd(world, 'widgets', group)) !== undefined).toBe(enabled);
    expect(await readCrd(world, 'gadgets', group)).toBeDefined();
  });

  it('F72 a delivery that was killed once the CRDs were there is simply done again', async () => {
    const group = newGroup();
    const target = await world.target();
    const release = await world.release(target, gadgetChart(group));
    const backend = world.helm.createBackendOver(killedBeforeInstall);
    const observed = { state: 'absent' } as const;
    const outcome = await backend.submit({ kind: 'install', release, observed }, NO_ABORT);
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'HelmKilled', class: 'transient' } });
    const uid = (await readCrd(world, 'gadgets', group))?.metadata.uid;
    expect(uid).toBeDefined();
    await world.delivered(release);
    expect((await readCrd(world, 'gadgets', group))?.metadata.uid).toBe(uid);
    expect(await readGadget(world, group, target.namespace)).toBeDefined();
  });
}

function killedBeforeInstall(runner: CommandRunner): CommandRunner {
  return {
    run: (command, signal) =>
      command.args[0] === 'install'
        ? Promise.resolve({ signal: 'SIGKILL', stdout: '', stderr: '' })
        : runner.run(command, signal),
  };
}

/** Its CRD is in the folder, its object among the templates. */
function gadgetChart(group: string): { chart: FixtureChart; values: { [key: string]: string | boolean } } {
  const files = { 'crds/gadgets.yaml': documents(crd('gadgets', group, 'ours')) };
  return { chart: { name: 'custom', files }, values: { group, crd: false, object: true } };
}

function newGroup(): string {
  return `g${randomUUID().slice(0, 8)}.example.com`;
}

function crd(plural: string, group: string, description: string): KubeObject {
  const singular = plural.replace(/s$/, '');
  const kind = singular.replace(/^./, (letter) => letter.toUpperCase());
  const openAPIV3Schema = { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

function documents(...objects: readonly KubeObject[]): string {
  return objects
    .map((object) => `---\n# Source: custom/templates/generated.yaml\n${JSON.stringify(object)}\n`)
    .join('');
}

function readCrd(world: World, plural: string, group: string): Promise<KubeObject | undefined> {
  return world.read('CustomResourceDefinition', `${plural}.${group}`);
}

function readGadget(world: World, group: string, namespace: string): Promise<KubeObject | undefined> {
  return world.harness.cluster.read({ apiVersion: `${group}/v1`, kind: 'Gadget', name: 'web', namespace });
}

function descriptionOf(object: KubeObject | undefined): unknown {
  const [version] = asArray(at(object, 'spec', 'versions'));
  return at(version, 'schema', 'openAPIV3Schema', 'description');
}
