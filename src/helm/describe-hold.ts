import { isCode } from '../api/errors.ts';
import { type KubeObject, nameOf, refOf } from '../api/kube.ts';
import { asNumber, at } from '../lib/json.ts';
import { formatSeconds, parseTime } from '../lib/time.ts';
import type { Cluster } from '../ports/cluster.ts';
import { isTerminating } from './remains.ts';

const FOREGROUND = 'foregroundDeletion';
/** Removed by Kubernetes itself, once that for which an object waits has ended. */
const BUILT_IN: readonly string[] = [FOREGROUND, 'orphan', 'batch.kubernetes.io/job-tracking'];
/** What the controllers of Kubernetes make for an object, each of them for one before it. */
const DEPENDENTS = [
  { apiVersion: 'batch/v1', kind: 'Job' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { apiVersion: 'v1', kind: 'Pod' },
] as const;

/** What holds objects that are being deleted, for one of them; undefined when there are none. */
export async function describeHold(remains: readonly KubeObject[], cluster: Cluster): Promise<string | undefined> {
  const object = remains.find((candidate) => holdersOf(candidate).length > 0) ?? remains[0];
  return object === undefined ? undefined : holdMessage(await deepestHold(object, cluster));
}

/** An object that waits for its dependents is held by what holds them. */
async function deepestHold(object: KubeObject, cluster: Cluster): Promise<KubeObject> {
  const { namespace, finalizers = [] } = object.metadata;
  if (namespace === undefined || holdersOf(object).length > 0 || !finalizers.includes(FOREGROUND)) return object;
  let deepest = object;
  for (const kind of DEPENDENTS) {
    const dependents = await list(cluster, { ...kind, namespace });
    deepest = dependents.find((candidate) => isTerminating(candidate) && isOwned(candidate, deepest)) ?? deepest;
  }
  return deepest;
}

/** Who may remove releases need not be allowed to look at everything: it is a better message, and no more. */
async function list(cluster: Cluster, selection: Parameters<Cluster['list']>[0]): Promise<readonly KubeObject[]> {
  try {
    return (await cluster.list({ ...selection, metadataOnly: true })).items;
  } catch (error) {
    if (isCode(error, 'ApiForbidden')) return [];
    throw error;
  }
}

function isOwned({ metadata }: KubeObject, { metadata: owner }: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) === true;
}

export function holdMessage(object: KubeObject): string {
  const holders = holdersOf(object);
  const held = `held by ${holders.length > 1 ? 'finalizers' : 'finalizer'} ${holders.join(', ')}`;
  return `${nameOf(refOf(object))} is ${holders.length > 0 ? held : 'terminating'} since ${deletedAt(object)}`;
}

function holdersOf({ metadata }: KubeObject): readonly string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => !BUILT_IN.includes(finalizer));
}

/** When the deletion was asked for: the time that is written is the end of the grace that a pod was given. */
function deletedAt({ metadata }: KubeObject): string {
  const end = metadata.deletionTimestamp ?? '';
  const grace = asNumber(at(metadata, 'deletionGracePeriodSeconds')) ?? 0;
  return grace === 0 ? end : formatSeconds(parseTime(end) - grace * 1000);
}
