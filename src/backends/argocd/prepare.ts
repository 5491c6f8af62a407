import { KubepkgError } from '../../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refKey } from '../../api/kube.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import { writeCrds } from '../../helm/create-crds.ts';
import { removeFormerJobs } from '../../helm/former-jobs.ts';
import { holdsData, isCrd, isKept, readMetadata, unlessGone } from '../../helm/ownership.ts';
import { mayBeMadeAgain } from '../../helm/recreate-jobs.ts';
import type { DesiredRelease, ReleaseTarget } from '../../ports/backend.ts';
import type { Examined } from './examine.ts';
import { type ApplicationInventory, readInventory } from './inventory.ts';
import { changedJobs, readNoted, writeNoted } from './noted.ts';
import { protect, STAYS, unmark } from './protect.ts';
import type { ArgoCdTools } from './tools.ts';
import { isOurs } from './tracking.ts';

/** All that must be done before Argo CD is told to sync. */
export async function prepare(
  release: DesiredRelease,
  {
    examined,
    live,
    signal,
  }: { readonly examined: Examined; readonly live: KubeObject | undefined; readonly signal: AbortSignal },
  tools: ArgoCdTools,
): Promise<void> {
  if (live === undefined) {
    const refs = examined.objects.map(({ ref }) => ref);
    await removeFormerJobs(refs, { release, isOurs }, tools.cluster);
  }
  const inventory = live === undefined ? undefined : await readInventory(live, tools.store);
  if (inventory !== undefined && live !== undefined) {
    await protectFromPruning(inventory, { release, examined, application: live }, tools);
  }
  await writeCrds(examined.crds, signal, { release, cluster: tools.cluster });
  if (inventory !== undefined && release.recreate !== 'Never')
    await recreateFinishedJobs(inventory, { release, examined }, tools);
  if (release.adopt) await purgeRecords(release, tools);
}

interface Delivered {
  readonly release: ReleaseTarget;
  readonly examined: Examined;
  readonly application: KubeObject;
}

/**
 * Argo CD asks the object as it is in its cache whether it may be pruned, and does not know helm's way of saying so. CRDs
 * it never prunes. Kept is what holds data, and of what goes, what its chart wants kept.
 */
async function protectFromPruning(
  { every }: ApplicationInventory,
  { release, examined, application }: Delivered,
  tools: ArgoCdTools,
): Promise<void> {
  const keys = new Set(examined.objects.map(({ ref }) => refKey(ref)));
  const going = every.filter((ref) => !keys.has(refKey(ref)) && !isCrd(ref));
  const staying = every.filter((ref) => keys.has(refKey(ref)) && !isCrd(ref) && holdsData(ref));
  for (const ref of staying) {
    const object = await readOwn(ref, release, tools);
    if (object === undefined) continue;
    await protect(object, ['Prune=false'], tools.cluster);
    await unmark(object, tools.cluster);
  }
  const kept: ObjectRef[] = [];
  for (const ref of going) {
    const object = await readOwn(ref, release, tools);
    if (object === undefined || !(holdsData(ref) || isKept(object))) continue;
    await protect(object, STAYS, tools.cluster);
    kept.push(ref);
  }
  const unseen = kept.find((ref) => !isSeenToStay(application, ref));
  if (unseen === undefined) return;
  throw new KubepkgError('ApiConflict', `Argo CD has not seen yet that ${nameOf(unseen)} is to stay`);
}

async function readOwn(ref: ObjectRef, release: ReleaseTarget, tools: ArgoCdTools): Promise<KubeObject | undefined> {
  const object = await readMetadata(ref, tools.cluster);
  return object !== undefined && isOurs(object, release) ? object : undefined;
}

/** The cache that it is compared with holds our mark; what Argo CD does not list any more it does not prune. */
function isSeenToStay(application: KubeObject, ref: ObjectRef): boolean {
  const entry = asArray(at(application['status'], 'resources')).find(
    (resource) =>
      at(resource, 'kind') === ref.kind &&
      at(resource, 'name') === ref.name &&
      (asString(at(resource, 'namespace')) ?? '') === (ref.namespace ?? ''),
  );
  return entry === undefined || at(entry, 'requiresDeletionConfirmation') === true;
}

/** Their template cannot be changed: those that have finished are deleted, so that the sync makes them again. */
async function recreateFinishedJobs(
  { noted }: ApplicationInventory,
  { release, examined }: { readonly release: DesiredRelease; readonly examined: Examined },
  tools: ArgoCdTools,
): Promise<void> {
  const after = readNoted(writeNoted(examined.objects));
  for (const { apiVersion, kind, namespace, name } of changedJobs(noted, after)) {
    await deleteFinished({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) }, release, tools);
  }
}

async function deleteFinished(ref: ObjectRef, release: ReleaseTarget, { cluster }: ArgoCdTools): Promise<void> {
  const job = await cluster.read(ref);
  if (job === undefined || !isOurs(job, release) || !mayBeMadeAgain(job)) return;
  const { uid } = job.metadata;
  await unlessGone(() => cluster.write({ verb: 'delete', ref, propagation: 'Background', uid }));
}

/** An adopted release is helm's no more: an uninstall by helm would take the objects away. */
async function purgeRecords(release: ReleaseTarget, { store, cluster }: ArgoCdTools): Promise<void> {
  for (const { ref, uid } of [...(await store.heads(release))].reverse()) {
    await unlessGone(() => cluster.write({ verb: 'delete', ref, uid }));
  }
}
