import type { DesiredRelease } from '../ports/backend.ts';
import type { DeliveryMode } from './helm-call.ts';

export type CrdPolicy = 'Skip' | 'Create' | 'CreateReplace';

/**
 * What happens to the CRDs of the chart's `crds/` folders. An installation creates what is missing whatever is asked,
 * and replaces too when that is asked: the CRDs of an earlier installation or attempt may still be there. A rollback
 * replaces none, since objects may have been written by the newer definition.
 */
export function crdPolicy(release: DesiredRelease, mode: DeliveryMode): CrdPolicy {
  const { upgradeCRDs = 'Skip', rollback = false } = release;
  if (upgradeCRDs === 'Skip') return mode === 'upgrade' ? 'Skip' : 'Create';
  return rollback ? 'Create' : upgradeCRDs;
}
