import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { startControlPlane } from '../controlplane/control-plane.ts';
import { type DemoBackend, startDelivering } from './backend.ts';
import type { Choice } from './choice.ts';
import { environmentOf, fetchPrograms, openRegistry, startEmbeddedCluster } from './embedded-cluster.ts';
import { runProgram } from './run-program.ts';
import { DemoError, heading, say } from './terminal.ts';

/** Where the demo runs: the API server, a registry on the loopback, and the programs for both. */
export interface DemoCluster {
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly helm: string;
  readonly env: NodeJS.ProcessEnv;
  readonly registry: { readonly host: string; readonly caFile: string };
  /** What the operator is told about how to deliver. */
  readonly operatorFlags: readonly string[];
  /** The least that a component has to get ready in an upgrade that fails. */
  readonly timeoutMs: number;
  /** It is somebody's, and is left as it was found. */
  readonly borrowed: boolean;
  stop(): Promise<void>;
}

export interface Place {
  readonly root: string;
  /** For files; the caller removes it. */
  readonly dir: string;
}

export function openCluster(choice: Choice, place: Place): Promise<DemoCluster> {
  switch (choice.kind) {
    case 'embedded':
      return openEmbedded(place);
    case 'real':
      return openReal(choice.backend);
    case 'borrowed':
      return openBorrowed(choice.kubeconfig, place);
  }
}

async function openEmbedded({ root, dir }: Place): Promise<DemoCluster> {
  heading('A cluster inside of this program');
  say('Simulated: the API server (in memory, on the loopback), its controllers, a node, pods that run no container,');
  say('and a registry. Real: kubepkg, its operator, helm, kubectl, every request between them, and the time.');
  say('The same on a real control plane: make demo CLUSTER=real; on a cluster of yours: KUBECONFIG=FILE make demo');
  const programs = await fetchPrograms(say);
  const registry = await openRegistry(dir);
  const cluster = await startEmbeddedCluster(dir, join(root, 'dev', 'demo', 'scenario.yaml'));
  return {
    ...programs,
    kubeconfig: cluster.kubeconfig,
    env: await environmentOf(dir, programs, cluster.kubeconfig),
    registry,
    operatorFlags: [],
    timeoutMs: 1000,
    borrowed: false,
    stop: async () => {
      await cluster.stop();
      await registry.stop();
    },
  };
}

async function openReal(backend: DemoBackend): Promise<DemoCluster> {
  heading('A control plane: etcd, API server, controllers, scheduler, pretended nodes, a registry');
  const parts = { argocd: backend === 'argocd', flux: backend === 'flux' };
  const plane = await startControlPlane({ ...parts, registry: true, audit: false, onProgress: say });
  const { registry, binaries, kubeconfig, env } = plane;
  if (registry === undefined) throw new DemoError('the control plane came without a registry');
  const delivering = await startDelivering(backend, plane);
  return {
    kubeconfig,
    kubectl: binaries.kubectl,
    helm: binaries.helm,
    env,
    registry,
    operatorFlags: delivering.flags,
    timeoutMs: 15_000,
    borrowed: false,
    stop: async () => {
      await delivering.stop();
      await plane.stop();
    },
  };
}

async function openBorrowed(kubeconfig: string, { dir }: Place): Promise<DemoCluster> {
  heading('Your cluster, and a registry inside of this program');
  await askFor(kubeconfig);
  const programs = await fetchPrograms(say);
  const registry = await openRegistry(dir);
  return {
    ...programs,
    kubeconfig,
    env: await environmentOf(dir, programs, kubeconfig),
    registry,
    operatorFlags: [],
    timeoutMs: 15_000,
    borrowed: true,
    stop: () => registry.stop(),
  };
}

/** Nobody's cluster is touched unasked. */
async function askFor(kubeconfig: string): Promise<void> {
  const context = await currentContext();
  say(`KUBECONFIG is set: the demo would run on your cluster (${kubeconfig}, context ${context}).`);
  say(
    'The CRDs of kubepkg and its namespace kubepkg-system are installed and stay; a package in namespace kubepkg-demo',
  );
  say('is installed, too, and removed in the end.');
  if (process.env['KUBEPKG_DEMO_YES'] === '1') return;
  if (!process.stdin.isTTY) {
    throw new DemoError(
      'there is nobody to ask; set KUBEPKG_DEMO_YES=1 to agree, or unset KUBECONFIG for a cluster of its own',
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('  Go on? [y/N] ');
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new DemoError('nothing was touched');
}

async function currentContext(): Promise<string> {
  try {
    return (await runProgram('kubectl', ['config', 'current-context'], { env: process.env, quiet: true })).trim();
  } catch {
    return 'unknown';
  }
}
