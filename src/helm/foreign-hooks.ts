import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refKey } from '../api/kube.ts';
import type { DesiredRelease, ReleaseTarget } from '../ports/backend.ts';
import { goingObject } from './awaited-object.ts';
import { HOOK, recordedHooks } from './hook-objects.ts';
import { type RecordHead, recordHeads } from './interpret.ts';
import { belongsTo, readMetadata } from './ownership.ts';
import { isTerminating } from './remains.ts';
import type { ChartTools } from './tools.ts';

/**
 * Helm deletes or writes over whatever has the name of a hook, and says nowhere whose hook an object is. So an object
 * is taken for ours when a record of the release names it, or when helm made it as a hook and no other release names
 * it: hooks are left behind when their release is removed.
 */
export async function refuseForeignHooks(
  hooks: readonly ObjectRef[],
  { release, heads }: { readonly release: DesiredRelease; readonly heads: readonly RecordHead[] },
  tools: ChartTools,
): Promise<void> {
  for (const ref of hooks) {
    const live = await readMetadata(ref, tools.cluster);
    if (live === undefined || belongsTo(live, release)) continue;
    const isOurs = isHook(live) && (await isRecorded(ref, heads, tools));
    if (isOurs || (isMadeByHelm(live) && !(await isHookOfOthers(ref, release, tools)))) continue;
    if (isTerminating(live)) throw await goingObject(live, { target: release }, tools.cluster);
    const name = `release ${release.namespace}/${release.releaseName}`;
    throw new KubepkgError(
      'OwnershipConflict',
      `${nameOf(ref)} exists and is not of ${name}, which has a hook so named`,
      {
        hint: 'remove it, or adopt it with the annotation kubepkg.dev/adopt: helm deletes it before it runs the hook',
      },
    );
  }
}

function isHook({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[HOOK] !== undefined;
}

/** Helm itself, and Flux, which has helm within. */
const HELMS: readonly string[] = ['helm', 'helm-controller'];

/** Other programs give hooks the same annotation. */
function isMadeByHelm(object: KubeObject): boolean {
  return isHook(object) && (object.metadata.managedFields ?? []).some(({ manager = '' }) => HELMS.includes(manager));
}

async function isRecorded(ref: ObjectRef, heads: readonly RecordHead[], { store }: ChartTools): Promise<boolean> {
  const key = refKey(ref);
  for (const head of heads) {
    const stored = await store.read(head);
    if (stored !== undefined && (await recordedHooks(stored.record, store)).has(key)) return true;
  }
  return false;
}

/** By the newest record of every other release that may have an object there; asked of a leftover only. */
async function isHookOfOthers(ref: ObjectRef, target: ReleaseTarget, tools: ChartTools): Promise<boolean> {
  const place = ref.namespace === undefined ? {} : { namespace: ref.namespace };
  const { items } = await tools.cluster.list({
    ...{ apiVersion: 'v1', kind: 'Secret', fieldSelector: 'type=helm.sh/release.v1', metadataOnly: true },
    ...{ ...place, labelSelector: 'owner=helm' },
  });
  const newest = new Map<string, RecordHead>();
  for (const head of recordHeads(items)) {
    const release = `${head.ref.namespace ?? ''}/${head.labels['name'] ?? ''}`;
    if (!newest.has(release)) newest.set(release, head);
  }
  newest.delete(`${target.namespace}/${target.releaseName}`);
  return isRecorded(ref, [...newest.values()], tools);
}
