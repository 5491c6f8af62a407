import type { TestProject } from 'vitest/node';
import type { ControlPlane } from '../../dev/controlplane/contract.ts';
import { startControlPlane } from '../../dev/controlplane/control-plane.ts';
import { prepare } from '../../dev/controlplane/prepare.ts';
import './provided.ts';
import { TEST_USERS } from './provided.ts';

/** One control plane for all cluster tests of a run: each test file makes namespaces and names of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binaries = await prepare({ onProgress });
  const controlPlane = await startControlPlane({ binaries, users: TEST_USERS, registry: true, onProgress });
  provideAll(project, controlPlane);
  return () => controlPlane.stop();
}

function onProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

function provideAll(project: TestProject, controlPlane: ControlPlane): void {
  const { kubeconfig, binaries, registry, auditLog, caFile, env } = controlPlane;
  if (registry === undefined || auditLog === undefined) throw new Error('The control plane came without its parts.');
  project.provide('kubeconfig', kubeconfig);
  project.provide('kubeconfigs', {
    kubepkg: controlPlane.kubeconfigFor('kubepkg'),
    powerless: controlPlane.kubeconfigFor('powerless'),
  });
  project.provide('binaries', binaries);
  project.provide('helm', binaries.helm);
  project.provide('kubectl', binaries.kubectl);
  project.provide('registry', { host: registry.host, caFile });
  project.provide('auditLog', auditLog);
  project.provide('commandEnv', env);
}
