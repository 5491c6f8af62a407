import { join } from 'node:path';
import type { NodeSpec } from './cluster-objects.ts';
import { createNodes, createStorageClass, nodeSpecs } from './cluster-objects.ts';
import type { ComponentName } from './components.ts';
import { commandOf } from './components.ts';
import type { ControlPlane, ControlPlaneOptions, ProcessName } from './contract.ts';
import { setNodeReady } from './node-outage.ts';
import type { Binaries } from './prepare.ts';
import { prepare } from './prepare.ts';
import { lastLines, readQuietly } from './processes.ts';
import { findProjectRoot } from './project-root.ts';
import {
  apiServerReady,
  createProbePod,
  defaultNamespaceReady,
  deleteProbePod,
  nodeReady,
  probePodReady,
} from './readiness.ts';
import type { Registry } from './registry.ts';
import { registryAnswers, startRegistry } from './registry.ts';
import type { Setup } from './setup.ts';
import { accessOf, writeSetup } from './setup.ts';
import { Supervisor } from './supervisor.ts';
import { UserError } from './user-error.ts';
import { GiveUp, waitUntil } from './wait.ts';

const TIMEOUT_MS = 45_000;
const ATTEMPTS = 3;

type ReadyOptions = ControlPlaneOptions & { readonly projectRoot: string; readonly binaries: Binaries };

interface Rig {
  readonly supervisor: Supervisor;
  readonly setup: Setup;
  readonly binaries: Binaries;
  readonly options: ControlPlaneOptions;
}

/** A real API server with controllers and scheduler, and nodes that only pretend. Ends with the caller at the latest. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const projectRoot = options.projectRoot ?? findProjectRoot();
  const binaries = options.binaries ?? (await prepare({ projectRoot, onProgress: options.onProgress }));
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce({ ...options, projectRoot, binaries });
    } catch (error) {
      // A port taken in between, or a first pod that nobody picked up: another start finds other ports.
      if (attempt === ATTEMPTS) throw error;
      options.onProgress?.(
        `starting the control plane again: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}

async function startOnce(options: ReadyOptions): Promise<ControlPlane> {
  const { projectRoot, binaries } = options;
  const started = Date.now();
  const supervisor = new Supervisor(projectRoot);
  try {
    const setup = await writeSetup({ dir: supervisor.dir, projectRoot, binaries, options });
    const rig: Rig = { supervisor, setup, binaries, options };
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
  startComponent(rig, 'kube-apiserver');
  const registry = await startOptionalRegistry(rig);
  await waitFor(rig, 'The API server', () => apiServerReady(access));
  startComponent(rig, 'kube-controller-manager');
  startComponent(rig, 'kube-scheduler');
  const nodes = nodeSpecs(rig.options.nodes ?? 1);
  await createNodes(access, nodes);
  startComponent(rig, 'kwok');
  await createStorageClass(access);
  await waitUntilUsable(rig, nodes);
  if (registry !== undefined) {
    await waitFor(rig, 'The registry', () => registryAnswers(registry, access.ca));
  }
  return registry;
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

function startComponent({ supervisor, setup, binaries }: Rig, name: ComponentName): void {
  supervisor.start({
    name,
    command: commandOf(name, binaries, setup.layout),
    log: logOf(setup, name),
    // These two wait for each other for as long as they are allowed to.
    stopSignal: name === 'etcd' || name === 'kube-apiserver' ? 'SIGKILL' : 'SIGTERM',
  });
}

async function startOptionalRegistry({ supervisor, setup, binaries, options }: Rig): Promise<Registry | undefined> {
  const wanted = options.registry ?? false;
  if (wanted === false) return undefined;
  const place = {
    binary: binaries.registry,
    logs: setup.layout.logs,
    authority: setup.authority,
    caFile: setup.layout.files.ca,
  };
  return startRegistry(supervisor, place, wanted === true ? {} : wanted);
}

/** Waits, but gives up at once when one of the processes has ended. */
async function waitFor(rig: Rig, what: string, check: () => Promise<boolean>): Promise<void> {
  await waitUntil(
    () => {
      refuseDeadProcesses(rig);
      return check();
    },
    { what, timeoutMs: TIMEOUT_MS },
  );
}

function refuseDeadProcesses({ supervisor }: Rig): void {
  const exit = supervisor.exits()[0];
  if (exit === undefined) return;
  const log = lastLines(readQuietly(exit.log), 15);
  throw new GiveUp(
    new UserError(
      `${exit.name} ended while the control plane was starting (${exit.reason}). The end of its log:\n${log}`,
      'Mend the cause and start again; a port that was taken in between is gone by then.',
    ),
  );
}

function logOf({ layout }: Setup, name: string): string {
  return join(layout.logs, `${name}.log`);
}

function describeRig(rig: Rig, registry: Registry | undefined, startMs: number): ControlPlane {
  const { supervisor, setup, binaries } = rig;
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
    env,
    supervisorPid: supervisor.pid,
    startMs,
    kubeconfigFor: (user) => layout.kubeconfigFor(user),
    tokenFor: (user) => accessOf(users, user).token,
    pidOf: (name) => supervisor.pids.get(name),
    restartApiServer: () => restartApiServer(rig),
    pause: (name: ProcessName) => {
      supervisor.signal(name, 'SIGSTOP');
    },
    resume: (name: ProcessName) => {
      supervisor.signal(name, 'SIGCONT');
    },
    setNodeReady: (node, ready) => setNodeReady(access, node, ready),
    stop: () => supervisor.shutDown(),
  };
}

async function restartApiServer(rig: Rig): Promise<void> {
  const { supervisor, setup } = rig;
  supervisor.signal('kube-apiserver', 'SIGKILL');
  await waitUntil(() => Promise.resolve(supervisor.exitOf('kube-apiserver') !== undefined), {
    what: 'The end of the API server',
    timeoutMs: TIMEOUT_MS,
  });
  startComponent(rig, 'kube-apiserver');
  await waitFor(rig, 'The API server', () => apiServerReady(setup.access));
}
