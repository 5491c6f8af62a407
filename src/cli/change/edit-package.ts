import { API_VERSION } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import type { Cluster } from '../host.ts';
import { asPackage } from '../objects.ts';

/** A merge patch of a Package, on the condition that it is still the one that was looked at. */
export async function editPackage(
  cluster: Cluster,
  pkg: Package,
  { patch, dryRun }: { readonly patch: Patch; readonly dryRun: boolean },
): Promise<Package> {
  const { name, uid } = pkg.metadata;
  const ref = { apiVersion: API_VERSION, kind: 'Package', name };
  const metadata = { ...patch.metadata, ...(uid === undefined ? {} : { uid }) };
  return asPackage(await cluster.write({ verb: 'merge-patch', ref, patch: { ...patch, metadata }, dryRun }));
}

export interface Patch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string | null>> };
  readonly spec?: { readonly suspend: boolean | null };
}
