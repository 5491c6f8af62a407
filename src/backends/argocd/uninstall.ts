import { KubepkgError } from '../../api/errors.ts';
import { type KubeObject, refKey, refOf } from '../../api/kube.ts';
import { FINALIZER } from '../../api/names.ts';
import { at, isRecord } from '../../lib/json.ts';
import { formatSeconds } from '../../lib/time.ts';
import { holdsData, isCrd, isNamespace, readMetadata, removeExactly, unlessGone } from '../../helm/ownership.ts';
import type { BackendAction, InventoryItem, ReleaseTarget, SubmitOutcome } from '../../ports/backend.ts';
import { applicationRef, readApplication } from './application.ts';
import { NOTE } from './notes.ts';
import { readInventory } from './inventory.ts';
import { observeWith } from './observe.ts';
import { isUnended, operationInProgress, withoutOperation } from './operation.ts';
import { protect } from './protect.ts';
import { findRest, isOver, withoutCascade } from './remains.ts';
import { rewrite } from './rewrite.ts';
import type { ArgoCdTools } from './tools.ts';
import { isOurs, releaseMarks } from './tracking.ts';

const ACCEPTED: SubmitOutcome = { kind: 'accepted' };

/**
 * Marks what stays and keeps Argo CD from making anything again; then removes the objects, and the Application, which
 * knows them, last. Argo CD would delete what its cache takes for them: one that passed to somebody else a moment ago,
 * or was marked to stay, would go as well.
 */
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
  const begun = await begin(live, { target, keepData }, tools);
  if (begun !== undefined) await removeRest(begun, target, tools);
  return ACCEPTED;
}

/** Undefined: it is gone, and whatever has its name since was not looked at; or nothing is to be removed yet. */
async function begin(live: KubeObject, removal: Removal, tools: ArgoCdTools): Promise<KubeObject | undefined> {
  if (readApplication(live).deletedAt !== undefined) return endAgain(live, tools);
  await protectAll(live, removal, tools);
  const ref = refOf(live);
  await rewrite(ref, (newest) => withdrawn(ifSame(live, newest), tools.clock.now()), tools.cluster);
  return ifSame(live, await tools.cluster.read(ref));
}

/** Undefined: another one has its name by now. */
function ifSame({ metadata }: KubeObject, newest: KubeObject | undefined): KubeObject | undefined {
  return newest?.metadata.uid === metadata.uid ? newest : undefined;
}

/** Ended when the removal began, and gone on since, all the same. */
async function endAgain(live: KubeObject, { cluster, clock }: ArgoCdTools): Promise<KubeObject | undefined> {
  if (!isUnended(live)) return live;
  const end = (standing: KubeObject | undefined): KubeObject | undefined =>
    standing !== undefined && isUnended(standing) ? withoutOperation(standing, clock.now()) : undefined;
  await rewrite(refOf(live), (newest) => end(ifSame(live, newest)), cluster);
  return undefined;
}

async function removeRest(application: KubeObject, target: ReleaseTarget, tools: ArgoCdTools): Promise<void> {
  const { remains, due } = await findRest(application, target, tools);
  for (const object of due) await removeExactly(object, tools.cluster);
  if (!isOver(application, remains)) return;
  if (application.metadata.deletionTimestamp === undefined) await removeExactly(application, tools.cluster);
  else await rewrite(refOf(application), (newest) => letGo(ifSame(application, newest)), tools.cluster);
}

/** Of that very one: nothing was made in its name since it was deleted. */
function letGo(newest: KubeObject | undefined): KubeObject | undefined {
  if (newest?.metadata.finalizers?.includes(FINALIZER) !== true) return undefined;
  const finalizers = newest.metadata.finalizers.filter((finalizer) => finalizer !== FINALIZER);
  return { ...newest, metadata: { ...newest.metadata, finalizers } };
}

/** Argo CD ends an operation in progress, begins none of its own, and deletes nothing with the Application. */
function withdrawn(live: KubeObject | undefined, now: number): KubeObject | undefined {
  if (live === undefined || readApplication(live).deletedAt !== undefined) return undefined;
  const quiet = operationInProgress(live) === undefined ? live : withoutOperation(live, now);
  const { annotations, finalizers } = quiet.metadata;
  const began = { [NOTE.removal]: formatSeconds(now) };
  const metadata = {
    ...quiet.metadata,
    annotations: { ...annotations, ...began },
    // Whoever deletes it meanwhile: what it alone knows is removed first.
    finalizers: [...withoutCascade(finalizers), FINALIZER],
  };
  return { ...withoutAutomated(quiet), metadata };
}

function withoutAutomated(application: KubeObject): KubeObject {
  const { spec } = application;
  const policy = at(spec, 'syncPolicy');
  if (!isRecord(spec) || !isRecord(policy)) return application;
  const { automated: _automated, ...others } = policy;
  return { ...application, spec: { ...spec, syncPolicy: others } };
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
