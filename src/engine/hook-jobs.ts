import { isCode } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import { hasEnded } from '../domain/readiness/vanished-job.ts';
import type { HookJobs } from '../domain/release/component-view.ts';
import { at } from '../lib/json.ts';
import type { InventoryItem } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';

/** Whether a Job of a hook can have run, or a Pod that runs once: a live look at those among what its delivery began. */
export async function findHookJobs(cluster: Cluster, items: readonly InventoryItem[]): Promise<HookJobs> {
  const jobs = items.filter((item) => isJob(item) || isPodOfHook(item));
  const found = await Promise.all(jobs.map((item) => readJob(cluster, item)));
  if (found.some((job) => job !== undefined)) return 'some';
  return jobs.some(({ mayVanish }) => mayVanish === true) ? 'unknown' : 'never';
}

/** Stops the Jobs that have not ended, and notes the code of the failure on them: their pods are removed, and nothing starts them again. */
export async function haltJobs(cluster: Cluster, items: readonly InventoryItem[], why: string): Promise<void> {
  await Promise.all(items.filter(isJob).map((item) => haltJob(cluster, item, why)));
}

async function haltJob(cluster: Cluster, item: InventoryItem, why: string): Promise<void> {
  const job = await readJob(cluster, item);
  if (job === undefined || hasEnded(job) || at(job, 'spec', 'suspend') === true) return;
  const { apiVersion, kind, metadata } = job;
  const { name, namespace = '', uid } = metadata;
  try {
    // The UID is named so that a Job which took its place meanwhile is left alone.
    const patch = { metadata: { uid, annotations: { [ANNOTATION.stoppedFor]: why } }, spec: { suspend: true } };
    await cluster.write({ verb: 'merge-patch', ref: { apiVersion, kind, namespace, name }, patch });
  } catch (error) {
    if (!isCode(error, 'ApiNotFound', 'KindNotServed', 'ApiConflict')) throw error;
  }
}

/** Undefined where it is not there, or its kind is not served. */
async function readJob(
  cluster: Cluster,
  { apiVersion, kind, namespace, name }: InventoryItem,
): Promise<KubeObject | undefined> {
  try {
    const ref = { apiVersion, kind, name };
    return await cluster.read(namespace === undefined ? ref : { ...ref, namespace });
  } catch (error) {
    if (isCode(error, 'KindNotServed')) return undefined;
    throw error;
  }
}

/** Of a hook of the chart itself: no other Pod goes away when it has ended. */
function isPodOfHook({ apiVersion, kind, mayVanish }: InventoryItem): boolean {
  return kind === 'Pod' && apiVersion === 'v1' && mayVanish === true;
}

function isJob({ apiVersion, kind }: InventoryItem): boolean {
  return kind === 'Job' && apiVersion.startsWith('batch/');
}
