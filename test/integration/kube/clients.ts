import { inject } from 'vitest';
import { SystemClock } from '../../../src/adapters/clock/system-clock.ts';
import type { ClusterAccess } from '../../../src/adapters/kube/access.ts';
import { type ClientSettings, createClient, findAccess } from '../../../src/adapters/kube/create-cluster.ts';
import type { KubeClient } from '../../../src/adapters/kube/kube-client.ts';
import '../../setup/provided.ts';

/** The administrator's way to the control plane. */
export function adminAccess(): ClusterAccess {
  return findAccess({ kubeconfig: inject('kubeconfigs').kubepkg, env: {} });
}

export function clientOf(access: ClusterAccess, settings: Partial<ClientSettings> = {}): KubeClient {
  return createClient(access, { clock: new SystemClock(), env: {}, userAgent: 'kubepkg/test', ...settings });
}
