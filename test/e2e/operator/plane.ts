import type { ControlPlane, Registry } from '../../../dev/controlplane/contract.ts';
import type { Binaries } from '../../../dev/controlplane/prepare.ts';

/** What every cluster under test has, the embedded one too. */
export interface Plane
  extends Pick<ControlPlane, 'kubeconfig' | 'kubeconfigFor' | 'caFile' | 'auditLog' | 'env' | 'stop'> {
  readonly binaries: Pick<Binaries, 'helm'>;
  readonly registry: Pick<Registry, 'host'> | undefined;
}
