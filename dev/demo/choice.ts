import { type DemoBackend, chosenBackend } from './backend.ts';
import { DemoError } from './terminal.ts';

/** Where the demo takes place, and what delivers there. */
export type Choice =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'real'; readonly backend: DemoBackend }
  /** Somebody's own cluster. */
  | { readonly kind: 'borrowed'; readonly kubeconfig: string };

/** By `CLUSTER`, `BACKEND` and `KUBECONFIG`; the embedded cluster when none of them says anything. */
export function chooseCluster(env: NodeJS.ProcessEnv): Choice {
  const cluster = env['CLUSTER'] ?? '';
  const kubeconfig = env['KUBECONFIG'] ?? '';
  const backend = chosenBackend(env['BACKEND']);
  if (!['', 'embedded', 'real'].includes(cluster)) {
    throw new DemoError(`CLUSTER=${cluster} is none of embedded, real`);
  }
  if (cluster === 'real') return { kind: 'real', backend };
  if (backend !== 'helm') return realFor(backend, { cluster, kubeconfig });
  return cluster === '' && kubeconfig !== '' ? { kind: 'borrowed', kubeconfig } : { kind: 'embedded' };
}

function realFor(
  backend: DemoBackend,
  { cluster, kubeconfig }: { readonly cluster: string; readonly kubeconfig: string },
): Choice {
  if (cluster === 'embedded') {
    throw new DemoError(`BACKEND=${backend} needs the real control plane: leave CLUSTER away`);
  }
  if (kubeconfig !== '') {
    throw new DemoError(`BACKEND=${backend} is shown on a control plane of its own: unset KUBECONFIG`);
  }
  return { kind: 'real', backend };
}
