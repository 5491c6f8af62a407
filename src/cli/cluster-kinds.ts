import { KubepkgError } from '../api/errors.ts';
import { API_VERSION } from '../api/names.ts';
import type { Cluster } from './host.ts';

/** Fails with the remedy when the cluster does not know kubepkg's kinds. */
export async function requireKinds(cluster: Cluster): Promise<void> {
  if ((await cluster.served(API_VERSION, 'Package')) !== undefined) return;
  throw new KubepkgError('KindNotServed', "the cluster does not have kubepkg's CustomResourceDefinitions", {
    hint: 'install them: kubepkg crds | kubectl apply --server-side -f -',
  });
}
