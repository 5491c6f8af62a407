import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/api/errors.ts';
import { type KubeObject, refOf } from '../../../src/api/kube.ts';
import { sha256 } from '../../../src/lib/digest.ts';
import { at } from '../../../src/lib/json.ts';
import type { DesiredRelease, ReleaseTarget } from '../../../src/ports/backend.ts';
import { alarms, kubeObject } from '../../build/plan-facts.ts';
import { BackendWorld, type Delivery } from '../../conformance/backend-world.ts';
import { type HelmHarness, startHelmHarness } from '../../conformance/helm-harness.ts';
import { data, definition, FAILING_UPGRADES, type FailingUpgrade, job, workload } from './failing-upgrades.ts';
import { type Asked, foretell } from './plan-scene.ts';

const capabilities = { runsProcesses: true, adoptsObjects: true, secretValues: true, previewsObjects: true };
const world = new BackendWorld({ capabilities, start: startHelmHarness });

beforeAll(() => world.start());
afterAll(() => world.close());

describe('what a plan foresees is what becomes of the upgrade', () => {
  it.each(Object.entries(FAILING_UPGRADES))('%s', async (_name, row) => {
    const { former, release } = await upgradeOf(row);
    const asked = { former, ...(row.component === undefined ? {} : { component: row.component }) };
    const tried = await foretell(world, release, { ...asked, tries: true });
    const known = await foretell(world, release, { ...asked, tries: false });
    expect(tried.map(({ code }) => code)).toContain(row.code);
    expect(known.map(({ code }) => code).includes(row.code)).toBe(row.byTrial !== true);
    const delivery = await world.deliver({ ...release, recreate: row.component?.recreate ?? 'FinishedJobs' });
    expect(failureCode(delivery)).toEqual(row.fails ?? (expect.any(String) as string));
  });

  it('F52 a finished Job is made again: no error is foreseen, and none comes', async () => {
    const { former, release } = await upgradeOf({ before: job('1'), after: job('2') });
    const isComplete = async (): Promise<unknown> =>
      at(await world.harness.cluster.read({ ...JOB, namespace: release.namespace }), 'status', 'succeeded');
    await expect.poll(isComplete, { timeout: 30_000 }).toBe(1);
    const findings = await foretell(world, release, { former, tries: true });
    expect(findings).toContainEqual(expect.objectContaining({ code: 'JobRecreated', severity: 'info' }));
    expect(alarms(findings)).toEqual([]);
    await world.delivered(release);
  });

  it('F34 a record with an API version that is served no more fails every upgrade', async () => {
    const target = await world.target();
    const crd = inNamespace(definition(['v1']), target);
    await world.harness.cluster.write({ verb: 'create', object: crd });
    await expect.poll(() => world.harness.cluster.served(`${target.namespace}.example.org/v1`, 'Part')).toBeDefined();
    const part = '{apiVersion: NS.example.org/v1, kind: Part, metadata: {name: a}, spec: {size: 1}}';
    await world.delivered(await releaseOf(target, part));
    await world.harness.cluster.write({ verb: 'delete', ref: refOf(crd) });
    await expect.poll(() => world.harness.cluster.read(refOf(crd))).toBeUndefined();
    const release = await releaseOf(target, data('ConfigMap', 'data: {a: b}'));
    const isAway = async (): Promise<readonly string[]> =>
      (await foretell(world, release, { tries: false })).map(({ code }) => code);
    await expect.poll(isAway, { timeout: 30_000 }).toContain('RecordUnreadable');
    expect(failureCode(await world.deliver(release))).toBe('KindNotServed');
  });

  it.each([
    ['that nobody has', undefined],
    ['of another release', 'other'],
  ])('an object %s stands in the way', async (_name, other) => {
    const target = await world.target();
    const object = data('ConfigMap', 'data: {a: b}');
    const made = inNamespace(object, target);
    if (other === undefined) await world.harness.cluster.write({ verb: 'create', object: made });
    else await world.delivered(await releaseOf({ ...target, releaseName: other }, object));
    const release = await releaseOf(target, object);
    const [finding] = await foretell(world, release, { tries: true });
    expect(finding).toMatchObject({ code: 'ForeignObject', severity: 'error' });
    expect(failureCode(await world.deliver(release))).toBe('OwnershipConflict');
    const adopted = await foretell(world, release, { around: { package: { adopts: true } }, tries: true });
    expect(alarms(adopted)).toEqual([]);
    await world.delivered({ ...release, adopt: true });
  });

  it('a release record that does not fit into a Secret', async () => {
    const target = await world.target();
    const noise = randomBytes(900_000).toString('base64');
    const files = { 'templates/web.yaml': '', 'files/noise.txt': noise };
    const release = await world.release(target, { chart: { name: 'web', files } });
    const largest = [{ path: 'files/noise.txt', bytes: noise.length }];
    const record = { chartBytes: release.chart.sizeBytes, textBytes: 0, largest };
    const [finding] = await foretell(world, release, { rest: { record }, tries: false });
    expect(finding?.code).toBe('ReleaseTooLarge');
    expect(finding?.message).toContain('files/noise.txt');
    expect(failureCode(await world.deliver(release))).toBe('ReleaseTooLarge');
  });

  it('F82 F83 values that the schema refuses, and a hook whose schema is strict', async () => {
    const target = await world.target();
    const strict = { name: 'strict' };
    const wrong = await world.release(target, { chart: strict, values: { port: 'eighty' } });
    expect(alarms(await foretell(world, wrong, { tries: true }))).toEqual(['ValuesInvalid component store']);
    expect(failureCode(await world.deliver(wrong))).toBe('ValuesInvalid');
    const versions = { fromVersion: '1.0.0', toVersion: '1.1.0' };
    const hook = await world.release(target, { chart: strict, values: { port: 80, kubepkg: versions } });
    const plain = await world.release(target, { chart: strict, values: { port: 80 } });
    const asked: Asked = { component: { hook: true }, rest: { valuesKeys: ['port', 'password'] }, tries: true };
    expect(alarms(await foretell(world, plain, asked))).toEqual(['HookValuesRefused hook store']);
    expect(failureCode(await world.deliver(hook))).toBe('ValuesInvalid');
    const remote = { ...strict, files: { 'values.schema.json': '{"$ref": "https://schemas.example.org/a.json"}' } };
    const far = await world.release(target, { chart: remote, values: {} });
    expect(alarms(await foretell(world, far, { tries: true }))).toEqual(['ValuesInvalid component store']);
    expect(failureCode(await world.deliver(far))).toBe('ValuesInvalid');
  });

  it('a chart that does not render', async () => {
    const release = await world.release(await world.target(), { chart: { name: 'broken' }, values: { render: false } });
    expect(alarms(await foretell(world, release, { tries: true }))).toEqual(['RenderFailed component store']);
    expect(failureCode(await world.deliver(release))).toBe('RenderFailed');
  });

  it('F31 a CRD that differs, and is not upgraded', async () => {
    const target = await world.target();
    const chart = (crd: string): Promise<DesiredRelease> =>
      world.release(target, { chart: { name: 'web', files: { 'templates/web.yaml': '', 'crds/part.yaml': crd } } });
    const [first, second] = ['', ', color: {type: string}'].map((extra) =>
      definition(['v1'], { extra }).replaceAll('NS', target.namespace),
    );
    if (first === undefined || second === undefined) throw new Error('there are two');
    await world.delivered(await chart(first));
    const release = await chart(second);
    const crds = [kubeObject(second)];
    expect(alarms(await foretell(world, release, { crds, tries: true }))).toEqual([
      `CRDNotUpgraded component store: CustomResourceDefinition parts.${target.namespace}.example.org`,
    ]);
    await world.delivered(release);
    expect(JSON.stringify(await world.harness.cluster.read(refOf(kubeObject(second))))).not.toContain('color');
    const replacing = { component: { upgradeCRDs: 'CreateReplace' } as const, crds, tries: true };
    expect(alarms(await foretell(world, release, replacing))).toEqual([]);
    await world.delivered({ ...(await chart(second)), upgradeCRDs: 'CreateReplace' });
    expect(JSON.stringify(await world.harness.cluster.read(refOf(kubeObject(second))))).toContain('color');
  });

  it('F78 a field that somebody has set by hand, and replicas that an autoscaler sets', async () => {
    const [before, after] = ['example.org/a:1', 'example.org/a:2'].map((image) =>
      workload('Deployment', 'a', 'replicas: 1, ').replace('example.org/a:1', image),
    );
    const { former, release } = await upgradeOf({ before: before ?? '', after: after ?? '' });
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: release.namespace, name: 'a' };
    const { cluster } = world.harness;
    await cluster.write({ verb: 'json-patch', ref, patch: [{ op: 'replace', path: '/spec/replicas', value: 3 }] });
    const managers = ['helm'];
    expect(alarms(await foretell(world, release, { former, around: { managers }, tries: true }))).toEqual([
      `FieldOverwritten component store: Deployment ${release.namespace}/a`,
    ]);
    const refuses = { former, around: { managers, forcesConflicts: false }, tries: false };
    const [conflict] = await foretell(world, release, refuses);
    expect(conflict).toMatchObject({
      code: 'FieldConflict',
      message: expect.stringContaining('spec.replicas') as string,
    });
    const [wanted] = await world.harness.createBackend().preview(release);
    if (wanted === undefined) throw new Error('the chart has a Deployment');
    const unforced = cluster.write({ verb: 'apply', object: wanted, dryRun: true });
    await expect(unforced).rejects.toMatchObject({ code: 'ApiConflict' });
    const scaleTargetRef = '{apiVersion: apps/v1, kind: Deployment, name: a}';
    const scaler = kubeObject(
      `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a, namespace: ${release.namespace}}, spec: {scaleTargetRef: ${scaleTargetRef}, minReplicas: 2, maxReplicas: 3}}`,
    );
    const autoscalers = [await cluster.write({ verb: 'create', object: scaler })];
    const around = { cluster: { autoscalers } };
    expect(alarms(await foretell(world, release, { former, around, tries: true }))).toEqual([
      `ReplicasAutoscaled component store: Deployment ${release.namespace}/a`,
    ]);
    await world.delivered(release);
    expect(at(await cluster.read(ref), 'spec', 'replicas')).toBe(1);
  });
});

describe('a plan without a word of alarm is an upgrade without a failure', () => {
  it('of a chart as helm creates it', async () => {
    const harness = world.harness as HelmHarness;
    const folder = await mkdtemp(join(tmpdir(), 'kubepkg-created-'));
    await harness.helm('create', join(folder, 'created'));
    await harness.helm('package', join(folder, 'created'), '--destination', folder);
    const target = await world.target();
    const release = async (tag: string): Promise<DesiredRelease> => {
      const made = await world.release(target, { values: { image: { tag } }, digest: tag });
      return { ...made, chart: { ...made.chart, path: join(folder, 'created-0.1.0.tgz'), name: 'created' } };
    };
    const first = await release('1');
    expect(alarms(await foretell(world, first, { tries: true }))).toEqual([]);
    await world.delivered(first);
    const former = await world.harness.createBackend().preview(first);
    const second = await release('2');
    expect(alarms(await foretell(world, second, { former, tries: true }))).toEqual([]);
    expect(alarms(await foretell(world, second, { former, tries: false }))).toEqual([]);
    await world.delivered(second);
  });
});

const JOB = { apiVersion: 'batch/v1', kind: 'Job', name: 'a' };

/** The first edition runs; the second is about to be delivered. */
async function upgradeOf({
  before,
  after,
}: Pick<FailingUpgrade, 'before' | 'after'>): Promise<{ former: readonly KubeObject[]; release: DesiredRelease }> {
  const target = await world.target();
  const first = await releaseOf(target, before);
  await world.delivered(first);
  const former = await world.harness.createBackend().preview(first);
  return { former, release: await releaseOf(target, after) };
}

function releaseOf(target: ReleaseTarget, template: string): Promise<DesiredRelease> {
  const text = template.replaceAll('NS', '{{ .Release.Namespace }}');
  return world.release(target, {
    chart: { name: 'web', files: { 'templates/web.yaml': text } },
    digest: sha256(text).slice(0, 16),
  });
}

function inNamespace(text: string, { namespace }: ReleaseTarget): KubeObject {
  const object = kubeObject(text.replaceAll('NS', namespace));
  return object.kind === 'CustomResourceDefinition'
    ? object
    : { ...object, metadata: { ...object.metadata, namespace } };
}

/** Undefined: it did not fail. */
function failureCode({ outcome }: Delivery): ErrorCode | undefined {
  return outcome.kind === 'accepted' ? undefined : outcome.error.code;
}
