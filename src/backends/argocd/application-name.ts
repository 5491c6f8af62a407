import { sha256 } from '../../lib/digest.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';

/** Argo CD also writes the name as the value of a label. */
const MAX_LENGTH = 63;
const HASH_LENGTH = 8;

/**
 * All Applications share one namespace, and `a` with `b-c` reads like `a-b` with `c`: the hash keeps them apart (R13).
 * Should two ever have the same hash, the one that comes second finds an Application of another release.
 */
export function applicationName({ namespace, releaseName }: Pick<ReleaseTarget, 'namespace' | 'releaseName'>): string {
  const hash = sha256(`${namespace}/${releaseName}`).slice(0, HASH_LENGTH);
  const head = `${namespace}-${releaseName}`.replaceAll('.', '-').slice(0, MAX_LENGTH - HASH_LENGTH - 1);
  return `${head.replace(/-+$/, '')}-${hash}`;
}
