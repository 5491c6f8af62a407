import { createInterface } from 'node:readline/promises';
import { startControlPlane } from '../controlplane/control-plane.ts';
import { type DemoBackend, startDelivering } from './backend.ts';
import { runProgram } from './run-program.ts';
import { DemoError, say } from './terminal.ts';

/** Where the demo runs: the API server, a registry on the loopback, and the programs for both. */
export interface DemoCluster {
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly helm: string;
  readonly env: NodeJS.ProcessEnv;
  readonly registry: { readonly host: string; readonly caFile: string };
  /** What the operator is told about how to deliver. */
  readonly operatorFlags: readonly string[];
  /** It is somebody's, and is left as it was found. */
  readonly borrowed: boolean;
  stop(): Promise<void>;
}

export async function openCluster(backend: DemoBackend): Promise<DemoCluster> {
  const own = process.env.KUBECONFIG;
  const borrowed = own !== undefined && own !== '';
  if (borrowed && backend !== 'helm') {
    throw new DemoError(`BACKEND=${backend} is shown on a control plane of its own: unset KUBECONFIG`);
  }
  if (borrowed) await askFor(own);
  const parts = { argocd: backend === 'argocd', flux: backend === 'flux' };
  const plane = await startControlPlane({ ...parts, registry: true, audit: false, onProgress: say });
  const { registry, binaries } = plane;
  if (registry === undefined) throw new DemoError('the control plane came without a registry');
  const delivering = await startDelivering(backend, plane);
  const kubeconfig = borrowed ? own : plane.kubeconfig;
  return {
    kubeconfig,
    kubectl: binaries.kubectl,
    helm: binaries.helm,
    env: { ...plane.env, KUBECONFIG: kubeconfig },
    registry: { host: registry.host, caFile: plane.caFile },
    operatorFlags: delivering.flags,
    borrowed,
    stop: async () => {
      await delivering.stop();
      await plane.stop();
    },
  };
}

/** Nobody's cluster is touched unasked. */
async function askFor(kubeconfig: string): Promise<void> {
  const context = await currentContext();
  say(`KUBECONFIG is set: the demo would run on your cluster (${kubeconfig}, context ${context}).`);
  say('It installs the CRDs of kubepkg, a package in namespace kubepkg-demo, and removes all of it in the end.');
  if (process.env.KUBEPKG_DEMO_YES === '1') return;
  if (!process.stdin.isTTY) {
    throw new DemoError(
      'there is nobody to ask; set KUBEPKG_DEMO_YES=1 to agree, or unset KUBECONFIG for a control plane of its own',
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
