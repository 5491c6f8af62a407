import { type ObjectRef, refKey } from '../../api/kube.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';
import type { RecordHead } from '../../helm/interpret.ts';
import { manifestDocuments } from '../../helm/manifest.ts';
import { belongsTo, holdsData, isKept, readMetadata } from '../../helm/ownership.ts';
import type { HelmTools } from './tools.ts';

/**
 * Deletes what only failed attempts created: helm compares a new manifest with that of the last delivered revision,
 * and never looks at those in between. Free of cost when no attempt failed.
 */
export async function sweepLeftovers(
  target: ReleaseTarget,
  before: readonly RecordHead[],
  tools: HelmTools,
): Promise<void> {
  const failed = before.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return;
  const wanted = new Set((await tools.store.inventory(target)).map((ref) => refKey(ref)));
  const created = new Map<string, ObjectRef>();
  for (const head of failed) {
    const stored = await tools.store.read(head);
    const documents = manifestDocuments(stored?.record.manifest ?? '');
    for (const { ref } of await tools.store.placed(documents, target.namespace)) created.set(refKey(ref), ref);
  }
  for (const [key, ref] of created) {
    if (!wanted.has(key) && !holdsData(ref)) await sweep(ref, target, tools);
  }
}

async function sweep(ref: ObjectRef, target: ReleaseTarget, { cluster }: HelmTools): Promise<void> {
  const live = await readMetadata(ref, cluster);
  if (live === undefined || !belongsTo(live, target) || isKept(live)) return;
  const { uid } = live.metadata;
  await cluster.write({ verb: 'delete', ref, propagation: 'Background', ...(uid === undefined ? {} : { uid }) });
}
