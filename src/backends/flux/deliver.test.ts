import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packFixtureChart } from '../../../test/build/fixture-chart.ts';
import { helmRelease } from '../../../test/build/flux-release.ts';
import { desiredRelease, releaseSecret, TARGET } from '../../../test/build/helm-release.ts';
import { FluxScene, RELEASE_REF } from '../../../test/fakes/flux-scene.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { FetchedChart } from '../../ports/artifacts.ts';
import type { DesiredRelease, ReleaseObservation, SubmitOutcome } from '../../ports/backend.ts';

const ABSENT = { state: 'absent' } as const;

describe('delivering a release with Flux', () => {
  let folder: string;
  let scene: FluxScene;
  let chart: FetchedChart;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubepkg-flux-'));
    scene = new FluxScene(folder);
    chart = await packFixtureChart(folder, { name: 'web' });
  });
  afterEach(() => rm(folder, { recursive: true }));

  function release(shape: Partial<DesiredRelease> = {}): DesiredRelease {
    return desiredRelease({ chart, token: 'token-1', digest: 'digest-1', ...shape });
  }

  function install(shape: Partial<DesiredRelease> = {}, observed: ReleaseObservation = ABSENT): Promise<SubmitOutcome> {
    return scene.submit({ kind: 'install', release: release(shape), observed });
  }

  function upgrade(shape: Partial<DesiredRelease>, observed: ReleaseObservation): Promise<SubmitOutcome> {
    return scene.submit({ kind: 'upgrade', release: release(shape), observed });
  }

  function namesOf(kind: string): readonly string[] {
    return scene.cluster.all(kind).map(({ metadata }) => metadata.name);
  }

  it('creates a HelmRelease that may not begin, then what it needs, and then lets it begin', async () => {
    expect(await install()).toEqual({ kind: 'accepted' });
    const { metadata } = scene.helmRelease;
    const [source = '', values = ''] = [...namesOf('OCIRepository'), ...namesOf('Secret')];
    expect(scene.cluster.writes()).toEqual([
      'create HelmRelease shop-ns/web',
      `create OCIRepository shop-ns/${source}`,
      `create Secret shop-ns/${values}`,
      'replace HelmRelease shop-ns/web',
    ]);
    const [created] = scene.cluster.requests.flatMap(({ write }) => (write?.verb === 'create' ? [write.object] : []));
    expect(created).toMatchObject({ spec: { suspend: true } });
    expect(created?.metadata.annotations).not.toHaveProperty('reconcile.fluxcd.io/requestedAt');
    expect(scene.helmRelease['spec']).not.toHaveProperty('suspend');
    expect(metadata.annotations).toMatchObject({ 'kubepkg.dev/attempt': 'token-1', 'kubepkg.dev/former-release': '' });
    expect(metadata.annotations).not.toHaveProperty('kubepkg.dev/stopped');
    for (const kind of ['OCIRepository', 'Secret']) {
      const [object] = scene.cluster.all(kind);
      expect(object?.metadata.ownerReferences).toMatchObject([{ kind: 'HelmRelease', name: 'web', uid: metadata.uid }]);
    }
  });

  it('P16 of a hook whose release is gone begins once the Job that it left is removed', async () => {
    const stdout = 'apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n';
    scene.rendering = { exitCode: 0, stdout, stderr: '' };
    const annotations = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };
    const metadata = { name: 'migrate', namespace: 'shop-ns', annotations, creationTimestamp: '2026-01-01T00:00:00Z' };
    const status = { conditions: [{ type: 'Complete', status: 'True' }] };
    scene.cluster.put({ apiVersion: 'batch/v1', kind: 'Job', metadata, status });
    const hookSince = Date.parse('2026-02-01T00:00:00Z');
    expect(await install({ hookSince })).toMatchObject({ kind: 'failed', error: { code: 'ReleaseLocked' } });
    expect([namesOf('Job'), namesOf('HelmRelease')]).toEqual([[], []]);
    expect(await install({ hookSince })).toEqual({ kind: 'accepted' });
  });

  it('P22 submitted twice is written once', async () => {
    await install();
    const before = scene.cluster.writes().length;
    expect(await install()).toEqual({ kind: 'accepted' });
    expect(scene.cluster.writes()).toHaveLength(before);
  });

  it('goes on where a process died after the first write', async () => {
    scene.cluster.before = ({ line }) => {
      if (line.startsWith('create OCIRepository')) throw new KubepkgError('ApiUnreachable', 'gone');
    };
    expect(await install()).toMatchObject({ kind: 'failed', error: { code: 'ApiUnreachable' } });
    scene.cluster.before = () => undefined;
    const observed = await scene.present();
    expect(observed).toMatchObject({ delivery: 'failed', token: 'token-1', failure: { code: 'HelmKilled' } });
    expect(await upgrade({ token: 'token-2' }, observed)).toEqual({ kind: 'accepted' });
    expect(await scene.present()).toMatchObject({ delivery: 'underway', token: 'token-2' });
  });

  it('replaces the spec whole, and keeps what others put on the object', async () => {
    await install();
    const { metadata, ...rest } = scene.helmRelease;
    const annotations = { ...metadata.annotations, theirs: 'a' };
    const labels = { ...metadata.labels, theirs: 'b' };
    const finalizers = ['finalizers.fluxcd.io', 'example.org/theirs'];
    const status = { history: [{ version: 1, status: 'deployed', digest: 'sha256:one' }] };
    scene.cluster.put({
      ...rest,
      spec: { interval: '1h', test: { enable: true } },
      status,
      metadata: { ...metadata, annotations, labels, finalizers },
    });
    expect(await upgrade({ token: 'token-2' }, await scene.present())).toEqual({ kind: 'accepted' });
    const after = scene.helmRelease;
    expect(after['spec']).not.toHaveProperty('test');
    expect(after['status']).toEqual(status);
    expect(after.metadata).toMatchObject({ labels: { theirs: 'b' }, finalizers });
    expect(after.metadata.annotations).toMatchObject({ theirs: 'a', 'kubepkg.dev/former-release': 'sha256:one' });
  });

  it('R14 leaves what the spec before used until the next delivery, and no more', async () => {
    await install({ values: { color: 'red' } });
    await upgrade({ token: 'token-2', values: { color: 'green' } }, await scene.present());
    expect(namesOf('Secret')).toHaveLength(2);
    const [first] = namesOf('OCIRepository');
    scene.location = { kind: 'http', repository: 'https://charts.example.com', name: 'web', version: '1.1.0' };
    await upgrade({ token: 'token-3', values: { color: 'blue' } }, await scene.present());
    expect(namesOf('Secret')).toHaveLength(2);
    expect([namesOf('OCIRepository'), namesOf('HelmRepository').length]).toEqual([[first], 1]);
    await upgrade({ token: 'token-4', values: { color: 'blue' } }, await scene.present());
    expect([namesOf('Secret').length, namesOf('OCIRepository')]).toEqual([1, []]);
  });

  it('makes what it uses right where somebody changed it', async () => {
    await install();
    const [source] = scene.cluster.all('OCIRepository');
    const [values] = scene.cluster.all('Secret');
    if (source === undefined || values === undefined) throw new Error('nothing was written');
    scene.cluster.put({ ...source, spec: { url: 'oci://elsewhere' } });
    scene.cluster.put({ ...values, data: { 'values.yaml': 'eA==' } });
    await upgrade({ token: 'token-2' }, await scene.present());
    expect(scene.cluster.all('OCIRepository')[0]?.['spec']).toEqual(source['spec']);
    expect(scene.cluster.all('Secret')[0]?.['data']).toEqual(values['data']);
  });

  it('waits for a source of that name that is still being deleted', async () => {
    await install();
    const [source] = scene.cluster.all('OCIRepository');
    if (source === undefined) throw new Error('nothing was written');
    scene.cluster.put({
      ...source,
      metadata: { ...source.metadata, finalizers: ['x.org/y'], deletionTimestamp: '2030-01-01T00:00:00Z' },
    });
    expect(await upgrade({ token: 'token-2' }, await scene.present())).toMatchObject({
      error: { code: 'ApiConflict' },
    });
  });

  it('is replaced although helm-controller writes its status in between', async () => {
    await install();
    const observed = await scene.present();
    scene.disturb('replace HelmRelease', 3);
    expect(await upgrade({ token: 'token-2' }, observed)).toEqual({ kind: 'accepted' });
    scene.disturb('replace HelmRelease', 5);
    const outcome = await upgrade({ token: 'token-3' }, await scene.present());
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ApiConflict' } });
  });

  it('does not write over an attempt that somebody else made meanwhile', async () => {
    await install();
    const observed = await scene.present();
    scene.cluster.before = ({ line }) => {
      if (!line.startsWith('create Secret')) return;
      const { metadata } = scene.helmRelease;
      const annotations = { ...metadata.annotations, 'kubepkg.dev/attempt': 'token-9' };
      scene.cluster.put({ ...scene.helmRelease, metadata: { ...metadata, annotations } });
    };
    expect(await upgrade({ token: 'token-2', values: {} }, observed)).toMatchObject({ error: { code: 'ApiConflict' } });
    expect(scene.helmRelease.metadata.annotations?.['kubepkg.dev/attempt']).toBe('token-9');
  });

  it('P21 creates nothing over what appeared a moment ago', async () => {
    scene.cluster.before = ({ line }) => {
      if (line.startsWith('create HelmRelease')) scene.cluster.put(helmRelease({ labels: {} }));
    };
    expect(await install()).toMatchObject({ kind: 'failed', error: { code: 'ApiConflict' } });
    expect(scene.cluster.all('Secret')).toEqual([]);
  });

  it.each([
    ['a HelmRelease that is not ours', () => scene.cluster.put(helmRelease({ labels: {} }))],
    [
      'a HelmRelease of another package',
      () => scene.cluster.put(helmRelease({ labels: { 'kubepkg.dev/package': 'bar' } })),
    ],
    ['a release without a HelmRelease', () => scene.cluster.put(releaseSecret({ labels: {} }))],
  ])('P21 refuses %s, and writes nothing', async (_, put) => {
    put();
    const outcome = await install({}, await scene.observe());
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
    expect(scene.cluster.writes()).toEqual([]);
  });

  it('P21 tells Flux nothing when somebody installs a release of that name while the chart is examined', async () => {
    scene.cluster.before = ({ line }) => {
      if (line.startsWith('create OCIRepository')) scene.cluster.put(releaseSecret({ labels: {} }));
    };
    expect(await install()).toMatchObject({ kind: 'failed', error: { code: 'ApiConflict' } });
    scene.cluster.before = () => undefined;
    expect(scene.helmRelease['spec']).toMatchObject({ suspend: true });
    const outcome = await upgrade({ token: 'token-2' }, await scene.present());
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
    expect(scene.helmRelease['spec']).toMatchObject({ suspend: true });
    expect(await upgrade({ token: 'token-3', adopt: true }, await scene.present())).toEqual({ kind: 'accepted' });
    expect(scene.helmRelease.metadata.annotations).toMatchObject({ 'kubepkg.dev/adopted-release': '1' });
  });

  it('P21 refuses a source of that name that is not ours, before anything is written', async () => {
    await install();
    const [source] = scene.cluster.all('OCIRepository');
    const other = new FluxScene(folder);
    if (source !== undefined) other.cluster.put({ ...source, metadata: { ...source.metadata, labels: {} } });
    const outcome = await other.submit({ kind: 'install', release: release(), observed: ABSENT });
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
    expect(other.cluster.writes()).toEqual([]);
  });

  it('takes over a release when told to, and remembers whose it was until something is delivered', async () => {
    scene.cluster.put(releaseSecret({ revision: 7, labels: {} }));
    expect(await install({ adopt: true }, await scene.observe())).toEqual({ kind: 'accepted' });
    expect(scene.helmRelease.metadata.annotations).toMatchObject({ 'kubepkg.dev/adopted-release': '7' });
    expect(scene.commands.at(-1)).toContain('--take-ownership');
    await upgrade({ token: 'token-2' }, await scene.present());
    expect(scene.helmRelease.metadata.annotations).toMatchObject({ 'kubepkg.dev/adopted-release': '7' });
    scene.cluster.put(releaseSecret({ revision: 8, labels: {} }));
    await upgrade({ token: 'token-3' }, await scene.present());
    expect(scene.helmRelease.metadata.annotations).not.toHaveProperty('kubepkg.dev/adopted-release');
  });

  it('takes over a HelmRelease when told to', async () => {
    scene.cluster.put(helmRelease({ labels: { theirs: 'a' } }));
    expect(await install({ adopt: true }, await scene.observe())).toEqual({ kind: 'accepted' });
    expect(scene.helmRelease.metadata.labels).toMatchObject({ theirs: 'a', 'kubepkg.dev/package': 'shop' });
  });

  it.each([
    ['another namespace', { targetNamespace: 'elsewhere', releaseName: 'web' }],
    ['another name', { releaseName: 'other' }],
    ['the name that Flux makes of a namespace', { targetNamespace: 'shop-ns' }],
    ['records elsewhere', { storageNamespace: 'elsewhere' }],
    ['another cluster', { kubeConfig: { secretRef: { name: 'x' } } }],
  ])('I6 never takes over a HelmRelease that delivers to %s, since Flux would uninstall that', async (_, spec) => {
    const theirs = { ...helmRelease({ labels: {} }), spec };
    scene.cluster.put(theirs);
    const outcome = await install({ adopt: true }, await scene.observe());
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
    expect(scene.cluster.get(RELEASE_REF)?.['spec']).toEqual(spec);
  });

  it.each([
    ['a template that fails', 'Error: execution error at (web/templates/a.yaml:1:2): no', 'failed', 'RenderFailed'],
    [
      "values that the chart's schema refuses",
      "Error: values don't meet the specifications of the schema(s)",
      'refused',
      'ValuesInvalid',
    ],
  ])('leaves the HelmRelease as it is for %s', async (_, stderr, kind, code) => {
    await install();
    const before = scene.helmRelease;
    const observed = await scene.present();
    scene.rendering = { exitCode: 1, stdout: '', stderr };
    expect(await upgrade({ token: 'token-2' }, observed)).toMatchObject({ kind, error: { code } });
    expect(scene.helmRelease).toEqual(before);
  });

  it('F84 delivers a chart with dots in its name, and refuses what Flux does not take', async () => {
    const http = { kind: 'http', repository: 'https://charts.example.com', version: '1.0.0' } as const;
    scene.location = { ...http, name: 'internal.my-chart' };
    expect(await install()).toEqual({ kind: 'accepted' });
    scene.location = { ...http, name: 'My_Chart' };
    const outcome = await upgrade({ token: 'token-2' }, await scene.present());
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'Unsupported' } });
  });

  it.each<[string, string, string | undefined]>([
    ['oci://registry.example.com/charts', 'My_Chart', undefined],
    ['https://charts.example.com', 'internal.my-chart', undefined],
    ['https://charts.example.com', 'My_Chart', 'Unsupported'],
  ])('F84 says of a chart at %s named %s before a revision begins: %s', (repository, name, code) => {
    const ref = { kind: 'chart', repository, name, version: '1.0.0' } as const;
    expect(scene.backend.surroundings?.refuses({ ...chart, ref, name })?.code).toBe(code);
  });

  it('F03 does not resume what somebody suspended', async () => {
    await install();
    scene.cluster.put({ ...scene.helmRelease, spec: { suspend: true } });
    const observed = await scene.present();
    expect(observed).toMatchObject({ delivery: 'underway', message: expect.stringContaining('suspended') as string });
    expect(await upgrade({ token: 'token-2' }, observed)).toMatchObject({ error: { code: 'ReleaseLocked' } });
    expect(scene.helmRelease['spec']).toEqual({ suspend: true });
  });

  it.each([
    ['it was looked at before', () => ABSENT],
    ['another attempt was there', async () => ({ ...(await scene.present()), token: 'token-0' })],
    ['another release was the newest', async () => ({ ...(await scene.present()), revision: 9 })],
  ])('does nothing on old knowledge: %s', async (_, observed) => {
    await install();
    expect(await upgrade({ token: 'token-2' }, await observed())).toMatchObject({ error: { code: 'ApiConflict' } });
    expect(scene.helmRelease.metadata.annotations?.['kubepkg.dev/attempt']).toBe('token-1');
  });

  it('R11 a namespace that is not there is transient', async () => {
    const elsewhere = release({ namespace: 'never-made' });
    const outcome = await scene.submit({ kind: 'install', release: elsewhere, observed: ABSENT });
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ApiNotFound', class: 'transient' } });
  });

  it('does nothing that was stopped before it began, and hands nothing back', async () => {
    const action = { kind: 'install', release: release(), observed: ABSENT } as const;
    expect(await scene.submit(action, AbortSignal.abort())).toMatchObject({ error: { code: 'HelmKilled' } });
    expect(scene.cluster.requests).toEqual([]);
    await install();
    const observed = await scene.present();
    expect(await scene.submit({ kind: 'hand-back', target: TARGET, observed })).toEqual({ kind: 'accepted' });
    const unlocked = await scene.submit({ kind: 'unlock', target: TARGET, observed });
    expect(unlocked).toMatchObject({ kind: 'refused', error: { code: 'Unsupported' } });
  });
});
