import { KubepkgError } from '../../api/errors.ts';
import { type KubeObject, refOf } from '../../api/kube.ts';
import { FINALIZER } from '../../api/names.ts';
import type { RecordHead } from '../../helm/interpret.ts';
import { readMetadata, removeExactly, unlessGone } from '../../helm/ownership.ts';
import { prepareUninstall } from '../../helm/prepare-uninstall.ts';
import { encodeRecord } from '../../helm/record.ts';
import { isTerminating } from '../../helm/remains.ts';
import { isRecord } from '../../lib/json.ts';
import { formatSeconds } from '../../lib/time.ts';
import type { BackendAction, ReleaseTarget, SubmitOutcome } from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { awaitRelease } from './await-release.ts';
import { sweepCompanions } from './companions.ts';
import { STAMP } from './names.ts';
import { look } from './observe.ts';
import { holdName, isHeldBack, isLetGo, isRemovalBegun } from './removal-state.ts';
import { isUninstructed } from './situation.ts';
import type { FluxTools } from './tools.ts';

type Uninstall = Extract<BackendAction, { kind: 'uninstall' }>;

interface Removal {
  readonly target: ReleaseTarget;
  readonly keepData: boolean;
  readonly signal: AbortSignal;
}

const ACCEPTED: SubmitOutcome = { kind: 'accepted' };

/**
 * One step of a removal, by what is there. helm-controller uninstalls by the record of the newest release, which is
 * first made to name what is to go and what is to stay. A turn of helm-controller that met the changed record would
 * upgrade over it, so it is held back until the HelmRelease is deleted. The record tells what has to be gone before the
 * HelmRelease, which a finalizer of ours keeps, is gone too.
 */
export async function uninstall(
  { target, keepData = false }: Uninstall,
  signal: AbortSignal,
  tools: FluxTools,
): Promise<SubmitOutcome> {
  const { helmRelease, observation } = await look(target, tools);
  if (observation.state === 'foreign') {
    return { kind: 'refused', error: new KubepkgError('OwnershipConflict', observation.message) };
  }
  if (helmRelease === undefined) return ACCEPTED;
  const removal = { target, keepData, signal };
  if (!isTerminating(helmRelease)) await begin(helmRelease, removal, tools);
  else if (isLetGo(helmRelease) && isOurs(helmRelease)) await finish(helmRelease, removal, tools);
  return ACCEPTED;
}

function isOurs({ metadata }: KubeObject): boolean {
  return (metadata.finalizers ?? []).includes(FINALIZER);
}

async function begin(helmRelease: KubeObject, { target, keepData, signal }: Removal, tools: FluxTools): Promise<void> {
  const { cluster, store } = tools;
  if (isUninstructed(helmRelease)) {
    await discard(helmRelease, target, tools);
    return;
  }
  if (!isRemovalBegun(helmRelease)) await hold(helmRelease, target, tools);
  const until = (object: KubeObject | undefined): boolean => object === undefined || isHeldBack(object, target);
  if (!(await awaitRelease(target, { until, signal }, tools))) return;
  const heads = await store.heads(target);
  if (!isUntouched(helmRelease, heads)) await prepareUninstall(target, { heads, keepData }, tools);
  await remove(helmRelease, cluster);
  await awaitRelease(target, { until: (object) => object === undefined || isLetGo(object), signal }, tools);
}

/** It is suspended since it was made, so Flux leaves alone whatever release there is, which can only be somebody else's. */
async function discard(helmRelease: KubeObject, target: ReleaseTarget, { cluster }: FluxTools): Promise<void> {
  await sweepCompanions(target, [], cluster);
  await remove(helmRelease, cluster);
}

async function remove(helmRelease: KubeObject, cluster: Cluster): Promise<void> {
  const { uid } = helmRelease.metadata;
  const ref = refOf(helmRelease);
  await unlessGone(() => cluster.write({ verb: 'delete', ref, uid }));
}

/** It waits for a HelmRelease that never exists, resumed if it was suspended: a suspended one would leave its release. */
async function hold(helmRelease: KubeObject, target: ReleaseTarget, { cluster, clock }: FluxTools): Promise<void> {
  const { resourceVersion, finalizers = [] } = helmRelease.metadata;
  const now = formatSeconds(clock.now());
  const disableHooks = await isEnding(target.namespace, cluster);
  const patch = {
    metadata: {
      resourceVersion,
      finalizers: [...finalizers, FINALIZER],
      annotations: { [STAMP.removal]: now, [STAMP.instructedAt]: now, [STAMP.stopped]: null },
    },
    spec: {
      suspend: null,
      dependsOn: [{ name: holdName(target) }],
      uninstall: { keepHistory: true, deletionPropagation: 'foreground', disableWait: true, disableHooks },
    },
  };
  await cluster.write({ verb: 'merge-patch', ref: refOf(helmRelease), patch });
}

/** Nothing can be created in a namespace that is being deleted, a hook least of all. */
async function isEnding(namespace: string, cluster: Cluster): Promise<boolean> {
  const object = await readMetadata({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, cluster);
  return object !== undefined && isTerminating(object);
}

/** What helm-controller has left. */
async function finish(helmRelease: KubeObject, removal: Removal, tools: FluxTools): Promise<void> {
  const { target } = removal;
  const heads = await tools.store.heads(target);
  const newest = heads[0];
  if (newest === undefined || isUntouched(helmRelease, heads)) {
    await letGo(helmRelease, target, tools);
    return;
  }
  if (newest.status !== 'uninstalled') {
    await markUninstalled(removal, heads, tools);
    return;
  }
  const remains = await tools.store.remains(target, newest);
  for (const object of remains.filter((candidate) => !isTerminating(candidate))) {
    await removeExactly(object, tools.cluster);
  }
  if (remains.length > 0) return;
  // The newest last: as long as one is left, it says that the release was uninstalled.
  for (const { ref, uid } of [...heads].reverse()) {
    await unlessGone(() => tools.cluster.write({ verb: 'delete', ref, uid }));
  }
  await letGo(helmRelease, target, tools);
}

/** It was to take over a release of somebody else and delivered nothing since, so that one is still theirs. */
function isUntouched({ metadata }: KubeObject, heads: readonly RecordHead[]): boolean {
  return metadata.annotations?.[STAMP.adopted] === String(heads[0]?.revision);
}

/**
 * helm-controller uninstalls what is in its history alone, and that is emptied when somebody else writes the release.
 * From here on the record says that it was uninstalled, and so what it names is removed; its hooks are not run.
 */
async function markUninstalled(
  { target, keepData }: Removal,
  heads: readonly RecordHead[],
  tools: FluxTools,
): Promise<void> {
  await prepareUninstall(target, { heads, keepData }, tools);
  const [newest] = await tools.store.heads(target);
  const stored = newest === undefined ? undefined : await tools.store.read(newest);
  if (stored === undefined) return;
  const { raw } = stored.record;
  const info = isRecord(raw['info']) ? raw['info'] : {};
  const settled = { ...raw, info: { ...info, status: 'uninstalled', description: 'Uninstallation complete' } };
  await tools.cluster.write({ verb: 'replace', object: encodeRecord(stored.secret, settled) });
}

async function letGo(helmRelease: KubeObject, target: ReleaseTarget, { cluster }: FluxTools): Promise<void> {
  await sweepCompanions(target, [], cluster);
  const { resourceVersion, finalizers = [] } = helmRelease.metadata;
  const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  const patch = { metadata: { resourceVersion, finalizers: others } };
  await unlessGone(() => cluster.write({ verb: 'merge-patch', ref: refOf(helmRelease), patch }));
}
