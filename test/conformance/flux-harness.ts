import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { startControlPlane } from '../../dev/controlplane/control-plane.ts';
import { SystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createCluster } from '../../src/adapters/kube/create-cluster.ts';
import { createCommandRunner } from '../../src/adapters/process/command-runner.ts';
import { KubepkgError } from '../../src/api/errors.ts';
import type { ObjectRef } from '../../src/api/kube.ts';
import { createFluxBackend } from '../../src/backends/flux/backend.ts';
import { createChartLocator } from '../../src/helm/chart-location.ts';
import type { Backend, ReleaseTarget } from '../../src/ports/backend.ts';
import { packFixtureChart } from '../build/fixture-chart.ts';
import { TEST_USERS } from '../setup/provided.ts';
import { startHelmController } from '../standin/helm-controller/standin.ts';
import type { BackendHarness } from './backend-world.ts';
import { openChartShelf } from './chart-shelf.ts';

const LONGEST_WAIT = { timeout: 50_000, interval: 50 };
/** Of changes that nothing tells the controller of. */
const TIMING = { pauses: 0.2, deadlines: 1, intervals: 1 };

/** The Flux backend with the real source-controller, and a helm-controller that stands in for the real one. */
export async function startFluxHarness(): Promise<BackendHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'kubepkg-flux-'));
  const plane = await startControlPlane({
    users: [...TEST_USERS, { name: 'helm-controller', groups: ['system:masters'] }],
    flux: true,
  });
  const clock = new SystemClock();
  const clusterFor = (user: 'kubepkg' | 'powerless'): ReturnType<typeof createCluster> =>
    createCluster({ kubeconfig: plane.kubeconfigFor(user), clock, env: {}, userAgent: 'kubepkg/test' });
  const clusters = { kubepkg: clusterFor('kubepkg'), powerless: clusterFor('powerless') };
  const controller = await startHelmController({
    kubeconfig: plane.kubeconfigFor('helm-controller'),
    helm: plane.binaries.helm,
    timing: TIMING,
  });
  const shelf = await openChartShelf(folder, clock);
  const charts = createChartLocator({
    manifestDigest: ({ name }) => Promise.reject(new KubepkgError('ArtifactNotFound', `${name} is not published`)),
    chartsUrl: shelf.url,
  });
  const backendFor = (user: 'kubepkg' | 'powerless'): Backend =>
    createFluxBackend({
      cluster: clusters[user],
      runner: createCommandRunner({ clock }),
      helm: {
        binary: plane.binaries.helm,
        kubeconfig: plane.kubeconfigFor(user),
        environment: { PATH: '/usr/bin:/bin' },
      },
      tempDir: folder,
      clock,
      charts,
      options: {},
    });
  const { kubepkg: cluster } = clusters;
  const byHand = await packFixtureChart(folder, { name: 'web' });
  return {
    cluster,
    createBackend: () => backendFor('kubepkg'),
    createPowerlessBackend: () => backendFor('powerless'),
    chart: (fixture) => shelf.add(fixture),
    createForeign: async ({ releaseName, namespace }) => {
      const args = ['install', releaseName, byHand.path, '--namespace', namespace];
      await promisify(execFile)(plane.binaries.helm, args, { env: plane.env });
    },
    changeByHand: async (target) => {
      const before = await numberOf(backendFor('kubepkg'), target);
      await cluster.write({ verb: 'merge-patch', ref: refOf(target), patch: { spec: { values: { color: 'pink' } } } });
      const hasMoved = async (): Promise<boolean> => (await numberOf(backendFor('kubepkg'), target)) > before;
      await expect.poll(hasMoved, LONGEST_WAIT).toBe(true);
    },
    removeByHand: async (target) => {
      await cluster.write({ verb: 'delete', ref: refOf(target) });
      await expect.poll(() => cluster.read(refOf(target)), LONGEST_WAIT).toBeUndefined();
    },
    close: async () => {
      shelf.close();
      await controller.close();
      clusters.kubepkg.close();
      clusters.powerless.close();
      await plane.stop();
      await rm(folder, { recursive: true });
    },
  };
}

function refOf({ namespace, releaseName: name }: ReleaseTarget): ObjectRef {
  return { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', namespace, name };
}

async function numberOf(backend: Backend, target: ReleaseTarget): Promise<number> {
  const observed = await backend.observe(target);
  return observed.state === 'present' ? observed.revision : 0;
}
