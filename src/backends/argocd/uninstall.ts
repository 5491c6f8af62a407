import { KubepkgError } from '../../api/errors.ts';
import { type KubeObject, refKey, refOf } from '../../api/kube.ts';
import { holdsData, isCrd, isNamespace, readMetadata, unlessGone } from '../../helm/ownership.ts';
import type { BackendAction, InventoryItem, ReleaseTarget, SubmitOutcome } from '../../ports/backend.ts';
import { applicationRef } from './application.ts';
import { readInventory } from './inventory.ts';
import { observeWith } from './observe.ts';
import { operationInProgress, withoutOperation } from './operation.ts';
import { protect } from './protect.ts';
import { findReturned } from './remains.ts';
import { rewrite } from './rewrite.ts';
import type { ArgoCdTools } from './tools.ts';
import { isOurs, releaseMarks } from './tracking.ts';

/** With it, Argo CD deletes the objects, dependents first, before it lets go of the Application. */
const CASCADE = 'resources-finalizer.argocd.argoproj.io';
const ACCEPTED: SubmitOutcome = { kind: 'accepted' };

/** Marks what stays, then lets Argo CD remove the rest; that it is gone is for `observe` to see. */
export async function uninstall(
  { target, keepData = false }: Extract<BackendAction, { kind: 'uninstall' }>,
  tools: ArgoCdTools,
): Promise<SubmitOutcome> {
  const ref = applicationRef(target, tools.options.namespace);
  const live = await tools.cluster.read(ref);
  const standing = await observeWith(target, live, tools);
  if (standing.state === 'foreign') {
    return { kind: 'refused', error: new KubepkgError('OwnershipConflict', standing.message) };
  }
  if (live === undefined) return ACCEPTED;
  if (live.metadata.deletionTimestamp !== undefined) return removeReturned(live, target, tools);
  await protectAll(live, { target, keepData }, tools);
  await rewrite(ref, (newest) => (newest === undefined ? undefined : cascading(newest)), tools.cluster);
  const { uid } = live.metadata;
  await unlessGone(() => tools.cluster.write({ verb: 'delete', ref, ...(uid === undefined ? {} : { uid }) }));
  return ACCEPTED;
}

async function removeReturned(live: KubeObject, target: ReleaseTarget, tools: ArgoCdTools): Promise<SubmitOutcome> {
  for (const object of await findReturned(live, target, tools)) {
    const { uid } = object.metadata;
    const ref = refOf(object);
    const precondition = uid === undefined ? {} : { uid };
    await unlessGone(() => tools.cluster.write({ verb: 'delete', ref, propagation: 'Foreground', ...precondition }));
  }
  return ACCEPTED;
}

/** Argo CD ends an operation in progress before it removes anything. */
function cascading(live: KubeObject): KubeObject {
  const quiet = operationInProgress(live) === undefined ? live : withoutOperation(live);
  const others = (quiet.metadata.finalizers ?? []).filter((finalizer) => !finalizer.startsWith(CASCADE));
  return { ...quiet, metadata: { ...quiet.metadata, finalizers: [...others, CASCADE] } };
}

interface Removal {
  readonly target: ReleaseTarget;
  readonly keepData: boolean;
}

async function protectAll(live: KubeObject, removal: Removal, tools: ArgoCdTools): Promise<void> {
  const inventory = await readInventory(live, tools.store);
  const dropped = new Set(inventory.dropped.map((ref) => refKey(ref)));
  for (const ref of inventory.every.filter((candidate) => holdsData(candidate))) {
    const object = await readMetadata(ref, tools.cluster);
    if (object === undefined) continue;
    if (isCrd(ref)) await markCrd(object, removal.target, tools);
    else if (isOurs(object, removal.target) && stays(ref, { ...removal, dropped })) {
      await protect(object, ['Delete=false'], tools.cluster);
    }
  }
}

/** What an earlier version had left behind stays, whatever is asked now. */
function stays(
  ref: InventoryItem,
  { keepData, dropped }: { readonly keepData: boolean; readonly dropped: ReadonlySet<string> },
): boolean {
  return isNamespace(ref) || keepData || dropped.has(refKey(ref));
}

/** It stays, and nothing would tell that it was this release's, were it installed again. */
async function markCrd(crd: KubeObject, target: ReleaseTarget, { cluster }: ArgoCdTools): Promise<void> {
  if (crd.metadata.annotations?.['meta.helm.sh/release-name'] !== undefined) return;
  await unlessGone(() =>
    cluster.write({ verb: 'merge-patch', ref: refOf(crd), patch: { metadata: releaseMarks(target) } }),
  );
}
