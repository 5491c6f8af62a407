import type { ControlPlane, ControlPlaneOptions } from '../../../../dev/controlplane/contract.ts';
import type { User } from '../../../../dev/controlplane/credentials.ts';
import { startArgocd } from './argocd.ts';
import type { BackendName, Ground, TestedBackend } from './backend.ts';
import { HELM_CONTROLLER, startFlux } from './flux.ts';
import { startHelm } from './helm.ts';

export interface PlaneParts extends Pick<ControlPlaneOptions, 'argocd' | 'flux'> {
  /** Of controllers that the control plane does not bring along. */
  readonly users: readonly User[];
}

const PLANE_PARTS: Readonly<Record<BackendName, PlaneParts>> = {
  helm: { users: [] },
  flux: { flux: true, users: [{ name: HELM_CONTROLLER, groups: ['system:masters'] }] },
  argocd: { argocd: true, users: [] },
};

const START = { helm: startHelm, flux: startFlux, argocd: startArgocd } as const;

export function planeOptionsOf(backend: BackendName): PlaneParts {
  return PLANE_PARTS[backend];
}

export function startBackend(backend: BackendName, ground: Ground<ControlPlane>): Promise<TestedBackend> {
  return START[backend](ground);
}
