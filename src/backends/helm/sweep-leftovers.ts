import { type ObjectRef, refKey } from '../../api/kube.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { PresentRelease, ReleaseTarget } from '../../ports/backend.ts';
import { interpretHeads, type RecordHead, unsweptHeads } from '../../helm/interpret.ts';
import { manifestDocuments } from '../../helm/manifest.ts';
import { belongsTo, holdsData, isKept, readMetadata, unlessGone } from '../../helm/ownership.ts';
import { movedOn } from './settle.ts';
import type { HelmTools } from './tools.ts';

/**
 * Deletes what only failed attempts created: helm compares a new manifest with that of the last delivered revision,
 * and never looks at those in between. Free of cost when no attempt failed. That it was done is written on the records
 * of those attempts, last: until then it is done again.
 */
export async function sweepLeftovers(
  target: ReleaseTarget,
  before: readonly RecordHead[],
  tools: HelmTools,
): Promise<void> {
  const failed = unsweptHeads(before);
  if (failed.length === 0) return;
  const heads = await tools.store.heads(target);
  const wanted = new Set((await tools.store.inventory(target, { heads })).map((ref) => refKey(ref)));
  const created = new Map<string, ObjectRef>();
  for (const head of failed) {
    const stored = await tools.store.read(head);
    const documents = manifestDocuments(stored?.record.manifest ?? '');
    for (const { ref } of await tools.store.placed(documents, target.namespace)) created.set(refKey(ref), ref);
  }
  for (const [key, ref] of created) {
    if (!wanted.has(key) && !holdsData(ref)) await sweep(ref, target, tools);
  }
  // As they are now: helm itself may have gone on with the one that it replaced.
  const swept = unsweptHeads(heads).filter(({ uid }) => failed.some((head) => head.uid === uid));
  for (const head of swept) await unlessGone(() => markSwept(head, tools));
}

/** For what was cut off after helm had ended; only on the delivery that was looked at. */
export async function putInOrder(
  { target, observed }: { readonly target: ReleaseTarget; readonly observed: PresentRelease },
  tools: HelmTools,
): Promise<void> {
  const heads = await tools.store.heads(target);
  const live = interpretHeads(target, heads);
  const isSame = live.state === 'present' && live.delivery === 'delivered' && live.revision === observed.revision;
  if (!isSame) throw movedOn(target, 'delivered');
  await sweepLeftovers(target, heads, tools);
}

/** Helm carries no annotation over from one record to another. */
async function markSwept({ ref, resourceVersion }: RecordHead, { cluster }: HelmTools): Promise<void> {
  const metadata = { resourceVersion, annotations: { [ANNOTATION.swept]: 'true' } };
  await cluster.write({ verb: 'merge-patch', ref, patch: { metadata } });
}

async function sweep(ref: ObjectRef, target: ReleaseTarget, { cluster }: HelmTools): Promise<void> {
  const live = await readMetadata(ref, cluster);
  if (live === undefined || !belongsTo(live, target) || isKept(live)) return;
  const { uid } = live.metadata;
  await unlessGone(() => cluster.write({ verb: 'delete', ref, propagation: 'Background', uid }));
}
