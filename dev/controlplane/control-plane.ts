import { ARGOCD_NAMESPACE } from './argocd-objects.ts';
import { startArgocdController, startArgocdServers } from './argocd.ts';
import type { NodeSpec } from './cluster-objects.ts';
import { createNodes, createStorageClass, nodeSpecs } from './cluster-objects.ts';
import type { ComponentName } from './components.ts';
import { commandOf } from './components.ts';
import type { ControlPlane, ControlPlaneOptions, ProcessName, Registry } from './contract.ts';
import { FLUX_NAMESPACE, startFlux } from './flux.ts';
import { setNodeReady } from './node-outage.ts';
import type { PartName } from './pins.ts';
import { ARGOCD_PARTS, CORE_PARTS, FLUX_PARTS } from './pins.ts';
import type { Binaries } from './prepare.ts';
import { prepare } from './prepare.ts';
import { findProjectRoot } from './project-root.ts';
import {
  apiServerReady,
  createProbePod,
  defaultNamespaceReady,
  deleteProbePod,
  nodeReady,
  probePodReady,
} from './readiness.ts';
import { registryAnswers, startRegistry } from './registry.ts';
import type { Rig } from './rig.ts';
import { killProcess, restartProcess, startProcess, waitFor } from './rig.ts';
import { accessOf, writeSetup } from './setup.ts';
import { Supervisor } from './supervisor.ts';

const ATTEMPTS = 3;

interface ReadyOptions {
  readonly projectRoot: string;
  readonly binaries: Binaries<PartName>;
  readonly options: ControlPlaneOptions;
}

/** A real API server with controllers and scheduler, and nodes that only pretend. Ends with the caller at the latest. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const projectRoot = options.projectRoot ?? findProjectRoot();
  const binaries = await completeBinaries(projectRoot, options);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce({ projectRoot, binaries, options });
    } catch (error) {
      // A port taken in between, or a first pod that nobody picked up: another start finds other ports.
      if (attempt === ATTEMPTS) throw error;
      options.onProgress?.(
        `starting the control plane again: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}

/** Those of parts that were not asked for may be missing. */
async function completeBinaries(projectRoot: string, options: ControlPlaneOptions): Promise<Binaries<PartName>> {
  const { binaries = {}, argocd = false, flux = false, onProgress } = options;
  const parts = [...CORE_PARTS, ...(argocd ? ARGOCD_PARTS : []), ...(flux ? FLUX_PARTS : [])];
  const missing = parts.filter((part) => binaries[part] === undefined);
  return { ...binaries, ...(await prepare({ parts: missing, projectRoot, onProgress })) };
}

async function startOnce({ projectRoot, binaries, options }: ReadyOptions): Promise<ControlPlane> {
  const started = Date.now();
  const supervisor = new Supervisor(projectRoot);
  try {
    const setup = await writeSetup({ dir: supervisor.dir, projectRoot, binaries, options });
    const rig: Rig = { supervisor, setup, binaries, options, checks: new Map() };
    const registry = await bringUp(rig);
    supervisor.detach();
    return describeRig(rig, registry, Date.now() - started);
  } catch (error) {
    await supervisor.shutDown();
    throw error;
  }
}

async function bringUp(rig: Rig): Promise<Registry | undefined> {
  const { access } = rig.setup;
  startComponent(rig, 'etcd');
  startComponent(rig, 'kube-apiserver', () => apiServerReady(access));
  const registry = await startOptionalRegistry(rig);
  const argocdServers = rig.options.argocd === true ? await startArgocdServers(rig) : undefined;
  await waitFor(rig, 'The API server', () => apiServerReady(access));
  await Promise.all([
    bringUpCluster(rig),
    ...(argocdServers === undefined ? [] : [startArgocdController(rig, argocdServers, registry)]),
    ...(rig.options.flux === true ? [startFlux(rig)] : []),
  ]);
  if (registry !== undefined) {
    await waitFor(rig, 'The registry', () => registryAnswers(registry, access.ca));
  }
  return registry;
}

async function bringUpCluster(rig: Rig): Promise<void> {
  const { access } = rig.setup;
  startComponent(rig, 'kube-controller-manager');
  startComponent(rig, 'kube-scheduler');
  const nodes = nodeSpecs(rig.options.nodes ?? 1);
  await createNodes(access, nodes);
  startComponent(rig, 'kwok');
  await createStorageClass(access);
  await waitUntilUsable(rig, nodes);
}

async function waitUntilUsable(rig: Rig, nodes: readonly NodeSpec[]): Promise<void> {
  const { access } = rig.setup;
  await Promise.all([
    waitFor(rig, 'The default namespace', () => defaultNamespaceReady(access)),
    ...nodes.map(({ name, taints = [] }) =>
      waitFor(rig, `Node ${name}`, () => nodeReady(access, { name, taints: taints.length })),
    ),
    ...(nodes.length > 0 ? [proveWithPod(rig)] : []),
  ]);
}

async function proveWithPod(rig: Rig): Promise<void> {
  const { access } = rig.setup;
  await createProbePod(access);
  await waitFor(rig, 'A first pod', () => probePodReady(access));
  await deleteProbePod(access);
}

function startComponent(rig: Rig, name: ComponentName, answers?: () => Promise<boolean>): void {
  startProcess(rig, {
    name,
    command: commandOf(name, rig.binaries, rig.setup.layout),
    // These two wait for each other for as long as they are allowed to.
    stopSignal: name === 'etcd' || name === 'kube-apiserver' ? 'SIGKILL' : 'SIGTERM',
    ...(answers === undefined ? {} : { answers }),
  });
}

async function startOptionalRegistry(rig: Rig): Promise<Registry | undefined> {
  const wanted = rig.options.registry ?? false;
  if (wanted === false) return undefined;
  return startRegistry(rig, wanted === true ? {} : wanted);
}

function describeRig(rig: Rig, registry: Registry | undefined, startMs: number): ControlPlane {
  const { supervisor, setup, binaries, options } = rig;
  const { layout, access, users, url, env } = setup;
  return {
    dir: layout.dir,
    kubeconfig: layout.kubeconfigFor('admin'),
    url,
    ca: access.ca,
    caFile: layout.files.ca,
    logs: layout.logs,
    auditLog: layout.auditLog,
    binaries,
    registry,
    argocd: options.argocd === true ? { namespace: ARGOCD_NAMESPACE } : undefined,
    flux: options.flux === true ? { namespace: FLUX_NAMESPACE } : undefined,
    env,
    supervisorPid: supervisor.pid,
    startMs,
    kubeconfigFor: (user) => layout.kubeconfigFor(user),
    tokenFor: (user) => accessOf(users, user).token,
    pidOf: (name) => supervisor.pids.get(name),
    restartApiServer: () => restartProcess(rig, 'kube-apiserver'),
    pause: (name: ProcessName) => {
      supervisor.signal(name, 'SIGSTOP');
    },
    resume: (name: ProcessName) => {
      supervisor.signal(name, 'SIGCONT');
    },
    kill: (name: ProcessName) => killProcess(rig, name),
    restart: (name: ProcessName) => restartProcess(rig, name),
    setNodeReady: (node, ready) => setNodeReady(access, node, ready),
    stop: () => supervisor.shutDown(),
  };
}
