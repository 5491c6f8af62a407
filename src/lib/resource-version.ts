/**
 * Whether a resource version is older than another of the same object. Kubernetes promises that decimal ones compare
 * as numbers (KEP-5504); of others nothing can be said, and the newcomer is believed.
 */
export function isOlderVersion(candidate: string | undefined, known: string | undefined): boolean {
  if (candidate === undefined || known === undefined) return false;
  if (!/^\d+$/.test(candidate) || !/^\d+$/.test(known)) return false;
  return BigInt(candidate) < BigInt(known);
}
