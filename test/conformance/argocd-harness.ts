import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { ControlPlane } from '../../dev/controlplane/contract.ts';
import { startControlPlane } from '../../dev/controlplane/control-plane.ts';
import { prepare } from '../../dev/controlplane/prepare.ts';
import { createChartServer } from '../../src/adapters/charts/chart-server.ts';
import { SystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createCluster } from '../../src/adapters/kube/create-cluster.ts';
import { createCommandRunner } from '../../src/adapters/process/command-runner.ts';
import { KubepkgError } from '../../src/api/errors.ts';
import type { KubeObject, ObjectRef } from '../../src/api/kube.ts';
import { applicationName } from '../../src/backends/argocd/application-name.ts';
import { type ArgoCdOptions, createArgoCdBackend } from '../../src/backends/argocd/backend.ts';
import { createChartLocator } from '../../src/helm/chart-location.ts';
import { asString, at, isRecord } from '../../src/lib/json.ts';
import type { FetchedChart } from '../../src/ports/artifacts.ts';
import type { Backend, ReleaseTarget } from '../../src/ports/backend.ts';
import { type FixtureChart, packFixtureChart } from '../build/fixture-chart.ts';
import { RecordingLog } from '../fakes/recording-log.ts';
import { TEST_USERS } from '../setup/provided.ts';
import type { BackendHarness } from './backend-world.ts';

const LONGEST_WAIT = { timeout: 50_000, interval: 50 };
export const ARGOCD: ArgoCdOptions = { namespace: 'argocd', project: 'default', inlineSecretValues: false };

/** The Argo CD backend with the real Argo CD, and what its own tests look at beside. */
export interface ArgoCdHarness extends BackendHarness {
  readonly controlPlane: ControlPlane;
  /** A chart of test/fixtures/charts in the registry. */
  publish(chart: FixtureChart): Promise<FetchedChart>;
  createBackendWith(options: Partial<ArgoCdOptions>): Backend;
  /** One whose clock shows something else. */
  createBackendAt(now: () => number): Backend;
  /** The Application of a release as it is now. */
  application(target: ReleaseTarget): Promise<KubeObject | undefined>;
  /** What a person does to it; tried again when Argo CD writes at the same time. */
  edit(target: ReleaseTarget, change: (application: KubeObject) => KubeObject): Promise<void>;
  /** What a person does with the sync button: the state of the last operation goes. */
  sync(target: ReleaseTarget, operation?: Readonly<Record<string, unknown>>): Promise<void>;
}

/** A control plane of its own: the one of all the other tests has no Argo CD. */
export async function startArgoCdHarness(): Promise<ArgoCdHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'kubepkg-argocd-'));
  const binaries = await prepare({});
  const controlPlane = await startControlPlane({ binaries, users: TEST_USERS, registry: true, argocd: true });
  const clock = new SystemClock();
  const clusterFor = (user: 'kubepkg' | 'powerless'): ReturnType<typeof createCluster> =>
    createCluster({ kubeconfig: controlPlane.kubeconfigFor(user), clock, env: {}, userAgent: 'kubepkg/test' });
  const clusters = { kubepkg: clusterFor('kubepkg'), powerless: clusterFor('powerless') };
  const shelf = new Map<string, FetchedChart>();
  const server = createChartServer({
    charts: { find: (digest) => Promise.resolve(shelf.get(digest)) },
    clock,
    log: new RecordingLog(),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const manifests = new Map<string, string>();
  const charts = createChartLocator({
    manifestDigest: ({ name, digest }) => {
      const manifest = manifests.get(digest);
      if (manifest !== undefined) return Promise.resolve(manifest);
      return Promise.reject(new KubepkgError('ArtifactNotFound', `${name} is not published`));
    },
    chartsUrl: `http://127.0.0.1:${String(port)}/charts`,
  });
  const backendFor = (
    user: 'kubepkg' | 'powerless',
    { now = () => clock.now(), ...options }: Partial<ArgoCdOptions> & { readonly now?: () => number } = {},
  ): Backend =>
    createArgoCdBackend({
      cluster: clusters[user],
      runner: createCommandRunner({ clock }),
      helm: {
        binary: controlPlane.binaries.helm,
        kubeconfig: controlPlane.kubeconfigFor(user),
        environment: { PATH: '/usr/bin:/bin' },
      },
      tempDir: folder,
      clock: { now, steady: now, random: () => 0, after: (ms, callback) => clock.after(ms, callback) },
      charts,
      options: { ...ARGOCD, ...options },
    });
  const cluster = clusters.kubepkg;
  const application = (target: ReleaseTarget): Promise<KubeObject | undefined> => cluster.read(refOf(target));
  const edit = async (target: ReleaseTarget, change: (live: KubeObject) => KubeObject): Promise<void> => {
    const tryEdit = async (): Promise<boolean> => {
      const live = await application(target);
      if (live === undefined) return false;
      return cluster.write({ verb: 'replace', object: change(live) }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof KubepkgError && error.code === 'ApiConflict') return false;
          throw error;
        },
      );
    };
    await expect.poll(tryEdit, LONGEST_WAIT).toBe(true);
  };
  const sync = async (target: ReleaseTarget, operation = SYNC): Promise<void> => {
    const before = asString(at(await application(target), 'status', 'operationState', 'startedAt'));
    await edit(target, (live) => withOperation(live, operation));
    const isOver = async (): Promise<boolean> => {
      const live = await application(target);
      const state = at(live, 'status', 'operationState');
      return live?.['operation'] === undefined && at(state, 'finishedAt') !== undefined && before !== undefined;
    };
    await expect.poll(isOver, LONGEST_WAIT).toBe(true);
  };
  const byHand = await packFixtureChart(folder, { name: 'web' });
  return {
    controlPlane,
    cluster,
    createBackend: () => backendFor('kubepkg'),
    createBackendWith: (options) => backendFor('kubepkg', options),
    createBackendAt: (now) => backendFor('kubepkg', { now }),
    createPowerlessBackend: () => backendFor('powerless'),
    application,
    edit,
    sync,
    chart: async (fixture) => {
      const chart = await packFixtureChart(folder, fixture);
      shelf.set(chart.digest, chart);
      return chart;
    },
    publish: async (fixture) => {
      const chart = await packFixtureChart(folder, fixture);
      const { host = '', hostByName = '', caFile = '' } = controlPlane.registry ?? {};
      const args = ['push', chart.path, `oci://${host}/charts`, '--ca-file', caFile];
      const { stdout, stderr } = await promisify(execFile)(controlPlane.binaries.helm, args, { env: controlPlane.env });
      const [manifest = ''] = /sha256:[0-9a-f]{64}/.exec(stdout + stderr) ?? [];
      manifests.set(chart.digest, manifest);
      return { ...chart, ref: { ...chart.ref, repository: `oci://${hostByName}/charts` } as FetchedChart['ref'] };
    },
    createForeign: async ({ releaseName, namespace }) => {
      const args = ['install', releaseName, byHand.path, '--namespace', namespace];
      await promisify(execFile)(controlPlane.binaries.helm, args, { env: controlPlane.env });
    },
    changeByHand: async (target) => {
      await edit(target, withPinkValues);
      await sync(target);
    },
    prunesFirst: true,
    heirMarks: ({ kind, namespace = '', name }) => ({
      'argocd.argoproj.io/tracking-id': `heir:/${kind}:${namespace}/${name}`,
    }),
    removeByHand: async (target) => {
      await edit(target, ({ metadata, ...rest }) => ({
        ...rest,
        ...KIND,
        metadata: { ...metadata, finalizers: ['resources-finalizer.argocd.argoproj.io'] },
      }));
      await cluster.write({ verb: 'delete', ref: refOf(target) });
      await expect.poll(() => application(target), LONGEST_WAIT).toBeUndefined();
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      clusters.kubepkg.close();
      clusters.powerless.close();
      await controlPlane.stop();
      await rm(folder, { recursive: true });
    },
  };
}

const KIND = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' } as const;
const SYNC = { initiatedBy: { username: 'admin' }, sync: { syncOptions: ['ServerSideApply=true'] } };

function refOf(target: ReleaseTarget): ObjectRef {
  return { ...KIND, namespace: ARGOCD.namespace, name: applicationName(target) };
}

function withOperation(live: KubeObject, operation: Readonly<Record<string, unknown>>): KubeObject {
  const { operationState: _state, ...status } = isRecord(live['status']) ? live['status'] : {};
  return { ...live, operation, status };
}

function withPinkValues(live: KubeObject): KubeObject {
  const changed = structuredClone(live) as KubeObject & {
    spec: { source: { helm: { valuesObject: Record<string, unknown> } } };
  };
  changed.spec.source.helm.valuesObject['color'] = 'pink';
  return changed;
}
