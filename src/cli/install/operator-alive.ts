import { KubepkgError } from '../../api/errors.ts';
import { OPERATOR_LEASE, OPERATOR_NAMESPACE } from '../../api/names.ts';
import { asNumber, asString, at } from '../../lib/json.ts';
import { formatAge, parseTime } from '../text/age.ts';
import type { Cluster } from '../host.ts';

const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: OPERATOR_NAMESPACE,
  name: OPERATOR_LEASE,
} as const;

/** Renewals that may be missed, and clocks that may differ, before the operator seems dead. */
const PATIENCE = 4;
const DEFAULT_DURATION_S = 15;

/** Why it seems that no operator is running; undefined when one is, or when that cannot be known. */
export async function operatorDoubt(cluster: Cluster, now: number): Promise<string | undefined> {
  try {
    return leaseDoubt(await cluster.read(LEASE), now);
  } catch (error) {
    // Who may install packages need not be allowed to read leases.
    if (error instanceof KubepkgError) return undefined;
    throw error;
  }
}

export function leaseDoubt(lease: unknown, now: number): string | undefined {
  const place = `Lease ${LEASE.namespace}/${LEASE.name}`;
  if (lease === undefined) return `there is no ${place}`;
  const renewed = parseTime(asString(at(lease, 'spec', 'renewTime')));
  if (renewed === undefined || (asString(at(lease, 'spec', 'holderIdentity')) ?? '') === '')
    return `nobody holds ${place}`;
  const patience = PATIENCE * 1000 * (asNumber(at(lease, 'spec', 'leaseDurationSeconds')) ?? DEFAULT_DURATION_S);
  return now - renewed <= patience ? undefined : `${place} was renewed last ${formatAge(now - renewed)} ago`;
}
