import { KubepkgError } from '../../api/errors.ts';
import { isRecord } from '../../lib/json.ts';
import type { PresentRelease, ReleaseTarget } from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { interpretHeads } from '../../helm/interpret.ts';
import { encodeRecord, type ReleaseRecord } from '../../helm/record.ts';
import type { ReleaseStore } from '../../helm/release-store.ts';

const INTERRUPTED = 'interrupted: the process that began it ended before it was done';

/** A pending record whose owner is dead becomes a failed one; everything else of it stays. */
export function settled(record: ReleaseRecord): Readonly<Record<string, unknown>> {
  const info = isRecord(record.raw['info']) ? record.raw['info'] : {};
  const description = `${INTERRUPTED} (was ${record.status})`;
  return { ...record.raw, info: { ...info, status: 'failed', description } };
}

/** Settles exactly the record that was looked at, and only while nobody else changes it. */
export async function settlePending(
  target: ReleaseTarget,
  observed: PresentRelease,
  { store, cluster }: { readonly store: ReleaseStore; readonly cluster: Cluster },
): Promise<void> {
  const heads = await store.heads(target);
  const live = interpretHeads(target, heads);
  const newest = heads[0];
  const isSame = live.state === 'present' && live.revision === observed.revision && live.token === observed.token;
  if (!isSame || newest === undefined) throw movedOn(target, 'pending');
  if (live.delivery !== 'pending') return;
  const stored = await store.read(newest);
  if (stored?.secret.metadata.resourceVersion !== newest.resourceVersion) throw movedOn(target, 'pending');
  await cluster.write({ verb: 'replace', object: encodeRecord(stored.secret, settled(stored.record)) });
}

export function movedOn({ namespace, releaseName }: ReleaseTarget, found: 'pending' | 'delivered'): KubepkgError {
  return new KubepkgError('ApiConflict', `release ${namespace}/${releaseName} went on since it was found ${found}`);
}
