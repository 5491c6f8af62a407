import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packFixtureChart } from '../../../test/build/fixture-chart.ts';
import { desiredRelease, releaseSecret } from '../../../test/build/helm-release.ts';
import { MemoryCluster } from '../../../test/fakes/memory-cluster.ts';
import type { ObjectMeta } from '../../api/kube.ts';
import type { FetchedChart } from '../../ports/artifacts.ts';
import { createHelmBackend } from './backend.ts';

const CONFLICT =
  'Error: INSTALLATION FAILED: unable to continue with install: ConfigMap "web" in namespace "shop-ns" exists and cannot be imported into the current release: invalid ownership metadata; annotation validation error: key "meta.helm.sh/release-name" must equal "app": current value is "web"\n';
const GOING = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.org/x'] };

describe('P10 a release whose object another release had', () => {
  let folder: string;
  let chart: FetchedChart;
  let cluster: MemoryCluster;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubepkg-deliver-'));
    chart = await packFixtureChart(folder, { name: 'web' });
    cluster = new MemoryCluster();
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n';
    cluster.put(releaseSecret({ status: 'uninstalled', manifest }));
  });
  afterEach(() => rm(folder, { recursive: true }));

  function backend(): ReturnType<typeof createHelmBackend> {
    const run = ({ args }: { readonly args: readonly string[] }): Promise<object> =>
      Promise.resolve(
        args[0] === 'version'
          ? { exitCode: 0, stdout: 'v4.1.4', stderr: '' }
          : { exitCode: 1, stdout: '', stderr: CONFLICT },
      );
    const runner = { run: run as never };
    return createHelmBackend({ cluster, runner, helm: { binary: 'helm', environment: {} }, tempDir: folder });
  }

  function put(metadata: Partial<ObjectMeta>): void {
    const annotations = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };
    const own = { name: 'web', namespace: 'shop-ns', annotations };
    cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...own, ...metadata } });
  }

  it.each<[string, Partial<ObjectMeta>, string]>([
    ['is delivered later while that object goes', GOING, 'failed transient ReleaseLocked'],
    ['P21 is not delivered while that object stands', {}, 'failed terminal OwnershipConflict'],
  ])('%s', async (_, metadata, expected) => {
    put(metadata);
    const release = desiredRelease({ chart, component: 'app', releaseName: 'app' });
    const action = { kind: 'install', release, observed: { state: 'absent' } } as const;
    const outcome = await backend().submit(action, new AbortController().signal);
    const said = outcome.kind === 'accepted' ? '' : `${outcome.error.class} ${outcome.error.code}`;
    expect(`${outcome.kind} ${said}`).toBe(expected);
  });

  it.each<[string, Partial<ObjectMeta>, string]>([
    ['is rendered later while that object goes', GOING, 'ReleaseLocked'],
    ['P21 is not rendered while that object stands', {}, 'OwnershipConflict'],
  ])('%s', async (_, metadata, code) => {
    put(metadata);
    const release = desiredRelease({ chart, component: 'app', releaseName: 'app' });
    await expect(backend().preview(release)).rejects.toMatchObject({ code });
  });
});

describe('P16 a hook whose release is gone', () => {
  it('is installed by helm once the Job that it left is removed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kubepkg-deliver-'));
    const cluster = new MemoryCluster();
    const calls: string[] = [];
    const run = ({ args }: { readonly args: readonly string[] }): Promise<object> => {
      calls.push(args[0] ?? '');
      const stdout = args[0] === 'version' ? 'v4.1.4' : 'apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n';
      return Promise.resolve({ exitCode: 0, stdout, stderr: '' });
    };
    const runner = { run: run as never };
    const backend = createHelmBackend({ cluster, runner, helm: { binary: 'helm', environment: {} }, tempDir: folder });
    const annotations = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };
    const metadata = { name: 'migrate', namespace: 'shop-ns', annotations, creationTimestamp: '2026-01-01T00:00:00Z' };
    const status = { conditions: [{ type: 'Complete', status: 'True' }] };
    cluster.put({ apiVersion: 'batch/v1', kind: 'Job', metadata, status });
    const release = desiredRelease({
      chart: await packFixtureChart(folder, { name: 'web' }),
      hookSince: Date.parse('2026-02-01T00:00:00Z'),
    });
    const action = { kind: 'install', release, observed: { state: 'absent' } } as const;
    const outcome = await backend.submit(action, new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ReleaseLocked' } });
    expect([calls.includes('install'), cluster.all('Job')]).toEqual([false, []]);
    expect(await backend.submit(action, new AbortController().signal)).toEqual({ kind: 'accepted' });
    expect(calls).toContain('install');
    await rm(folder, { recursive: true });
  });
});
