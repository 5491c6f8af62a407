import { KubepkgError } from '../../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refOf } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import { nameLabel } from '../../helm/labels.ts';
import { readMetadata, unlessGone } from '../../helm/ownership.ts';
import { isTerminating } from '../../helm/remains.ts';
import { isRecord } from '../../lib/json.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { HELM_REPOSITORY, isOwn, OCI_REPOSITORY, RELEASE_LABEL, SECRET, VALUES_TYPE } from './names.ts';

const KINDS = [
  { ...SECRET, fieldSelector: `type=${VALUES_TYPE}` },
  { ...OCI_REPOSITORY },
  { ...HELM_REPOSITORY },
] as const;

/** What has the name of something that a delivery is about to write must be ours (P21). */
export async function refuseForeignCompanions(
  objects: readonly KubeObject[],
  target: ReleaseTarget,
  cluster: Cluster,
): Promise<void> {
  for (const object of objects) {
    const live = await readMetadata(refOf(object), cluster);
    if (live === undefined || isOwn(live, target)) continue;
    throw new KubepkgError('OwnershipConflict', `${nameOf(refOf(object))} exists and was not made for this package`, {
      hint: 'remove it, or choose another release name',
    });
  }
}

/** Makes it as it has to be. Its name tells its content, so one that is there differs only if somebody changed it. */
export async function ensureCompanion(object: KubeObject, cluster: Cluster): Promise<void> {
  const ref = refOf(object);
  const live = await cluster.read(ref);
  if (live === undefined) {
    await cluster.write({ verb: 'create', object });
    return;
  }
  if (isTerminating(live)) throw new KubepkgError('ApiConflict', `${nameOf(ref)} is still being deleted`);
  const hasContent = contains(live['spec'], object['spec']) && contains(live['data'], object['data']);
  if (hasContent && isOwned(live, object)) return;
  if (hasContent || ref.kind !== SECRET.kind) {
    await cluster.write({ verb: 'replace', object: { ...object, metadata: merged(live, object) } });
    return;
  }
  // What a Secret holds cannot be changed.
  await remove(live, cluster);
  await cluster.write({ verb: 'create', object });
}

function merged({ metadata: live }: KubeObject, { metadata: wanted }: KubeObject): KubeObject['metadata'] {
  return { ...live, ...wanted, labels: { ...live.labels, ...wanted.labels } };
}

/** Removes what earlier deliveries of the release used. */
export async function sweepCompanions(
  target: ReleaseTarget,
  kept: readonly ObjectRef[],
  cluster: Cluster,
): Promise<void> {
  const names = new Set(kept.map(({ kind, name }) => `${kind}/${name}`));
  const labelSelector = `${LABEL.package}=${nameLabel(target.package)},${RELEASE_LABEL}=${target.releaseName}`;
  for (const kind of KINDS) {
    const { items } = await cluster.list({ ...kind, namespace: target.namespace, labelSelector, metadataOnly: true });
    for (const { metadata } of items) {
      if (names.has(`${kind.kind}/${metadata.name}`)) continue;
      await remove({ apiVersion: kind.apiVersion, kind: kind.kind, metadata }, cluster);
    }
  }
}

async function remove(object: KubeObject, cluster: Cluster): Promise<void> {
  const { uid } = object.metadata;
  await unlessGone(() => cluster.write({ verb: 'delete', ref: refOf(object), uid }));
}

/** The HelmRelease that it goes with may have been made anew. */
function isOwned(live: KubeObject, wanted: KubeObject): boolean {
  const owner = wanted.metadata.ownerReferences?.[0]?.uid;
  return live.metadata.ownerReferences?.some(({ uid }) => uid === owner) === true;
}

/** Defaults that the API server fills in are no difference. */
function contains(live: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (!isRecord(live) || !isRecord(wanted)) return false;
  return Object.entries(wanted).every(([key, value]) => stableJson(live[key] ?? null) === stableJson(value));
}
