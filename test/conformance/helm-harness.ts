import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createCluster } from '../../src/adapters/kube/create-cluster.ts';
import { createCommandRunner } from '../../src/adapters/process/command-runner.ts';
import { createHelmBackend } from '../../src/backends/helm/backend.ts';
import type { Backend, BackendAction } from '../../src/ports/backend.ts';
import type { Command, CommandRunner } from '../../src/ports/process.ts';
import { packFixtureChart } from '../build/fixture-chart.ts';
import '../setup/provided.ts';
import type { BackendHarness } from './backend-world.ts';

/** The Helm backend with the real helm, and what its own tests look at beside. */
export interface HelmHarness extends BackendHarness {
  /** Every command that was started, in order. */
  readonly started: readonly Command[];
  /** What a person does with helm. */
  helm(...args: readonly string[]): Promise<string>;
  /** A backend of which something happens to the commands that it starts. */
  createBackendOver(wrap: (runner: CommandRunner) => CommandRunner): Backend;
}

export async function startHelmHarness(): Promise<HelmHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'kubepkg-backend-'));
  const clock = new SystemClock();
  const runner = createCommandRunner({ clock });
  const started: Command[] = [];
  const recording: CommandRunner = {
    run: (command, signal) => {
      started.push(command);
      return runner.run(command, signal);
    },
  };
  const clusterFor = (kubeconfig: string): ReturnType<typeof createCluster> =>
    createCluster({ kubeconfig, clock, env: {}, userAgent: 'kubepkg/test' });
  const { kubepkg, powerless } = inject('kubeconfigs');
  const clusters = { kubepkg: clusterFor(kubepkg), powerless: clusterFor(powerless) };
  const backendFor = (user: 'kubepkg' | 'powerless', over: CommandRunner = recording): Backend =>
    createHelmBackend({
      cluster: clusters[user],
      runner: over,
      helm: { binary: inject('helm'), kubeconfig: inject('kubeconfigs')[user], environment: { PATH: '/usr/bin:/bin' } },
      tempDir: folder,
    });
  const helm = async (...args: readonly string[]): Promise<string> => {
    const env = { ...inject('commandEnv'), KUBECONFIG: inject('kubeconfig') };
    return (await promisify(execFile)(inject('helm'), args, { env })).stdout;
  };
  const byHand = await packFixtureChart(folder, { name: 'web' });
  return {
    started,
    helm,
    cluster: clusters.kubepkg,
    createBackend: () => backendFor('kubepkg'),
    createBackendOver: (wrap) => backendFor('kubepkg', wrap(recording)),
    createPowerlessBackend: () => backendFor('powerless'),
    chart: (chart) => packFixtureChart(folder, chart),
    createForeign: async ({ releaseName, namespace }) => {
      await helm('install', releaseName, byHand.path, '--namespace', namespace);
    },
    changeByHand: async ({ releaseName, namespace }) => {
      await helm('upgrade', releaseName, byHand.path, '--namespace', namespace, '--set', 'color=pink');
    },
    removeByHand: async ({ releaseName, namespace }) => {
      await helm('uninstall', releaseName, '--namespace', namespace);
    },
    interrupt: async (action) => {
      const own = createCommandRunner({ clock });
      const backend = backendFor('kubepkg', own);
      const running = backend.submit(action, new AbortController().signal);
      await expect.poll(() => hasBegun(backend, action), { timeout: 30_000, interval: 20 }).toBe(true);
      await own.killAll();
      await running;
    },
    close: async () => {
      clusters.kubepkg.close();
      clusters.powerless.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A hook of it runs: helm is in the middle. */
async function hasBegun(backend: Backend, action: BackendAction): Promise<boolean> {
  const observed = await backend.observe('release' in action ? action.release : action.target);
  if (observed.state !== 'present') return false;
  if (!('release' in action)) return observed.delivery === 'removing';
  return observed.token === action.release.token && observed.delivery === 'pending';
}
