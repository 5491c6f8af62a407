import { freePorts } from '../controlplane/ports.ts';
import type { ControlPlane } from '../controlplane/contract.ts';
import { startHelmController } from '../../test/standin/helm-controller/standin.ts';
import { DemoError, say } from './terminal.ts';

const BACKENDS = ['helm', 'flux', 'argocd'] as const;

export type DemoBackend = (typeof BACKENDS)[number];

/** `BACKEND=flux make demo`; helm unless it says something else. */
export function chosenBackend(word: string | undefined): DemoBackend {
  const chosen = word === undefined || word === '' ? 'helm' : BACKENDS.find((name) => name === word);
  if (chosen !== undefined) return chosen;
  throw new DemoError(`BACKEND=${String(word)} is none of ${BACKENDS.join(', ')}`);
}

export interface Delivering {
  /** For the operator. */
  readonly flags: readonly string[];
  stop(): Promise<void>;
}

const NOTHING: Delivering = { flags: [], stop: () => Promise.resolve() };

/** What carries deliveries out besides the operator. */
export async function startDelivering(backend: DemoBackend, plane: ControlPlane): Promise<Delivering> {
  if (backend === 'helm') return NOTHING;
  const flags = ['--backend', backend, ...(await chartFlags())];
  if (backend === 'argocd') return { ...NOTHING, flags };
  say('Real here are the CRDs and the source-controller of Flux; helm-controller is a stand-in that acts like it.');
  const controller = await startHelmController({ kubeconfig: plane.kubeconfig, helm: plane.binaries.helm });
  return { flags, stop: () => controller.close() };
}

/** The charts of the demo are in a package tree, so the operator serves them. */
async function chartFlags(): Promise<readonly string[]> {
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${String(port)}`;
  return ['--charts-bind-address', address, '--charts-url', `http://${address}/charts`];
}
