import type { KubeObject, ObjectRef } from '../../src/api/kube.ts';
import { LABEL } from '../../src/api/names.ts';
import { isRecord, type JsonObject } from '../../src/lib/json.ts';
import type { InventoryItem, PresentRelease, ReleaseTarget } from '../../src/ports/backend.ts';
import type { MemoryCluster } from '../fakes/memory-cluster.ts';

export const RECORD_LABEL = 'sim.example.org/record';

/** What delivers releases: helm by a process of the operator, the others by controllers outside of it. */
export type Deliverer = 'helm' | 'flux' | 'argocd';

/** What became of one release: Helm's record of it, and for Argo CD, which keeps none, what only bystanders know. */
export interface ReleaseRecord extends Omit<PresentRelease, 'state'> {
  readonly by: Deliverer;
  /** Undefined: somebody else's. */
  readonly package: string | undefined;
  readonly component: string;
  readonly content: string;
  readonly values: JsonObject;
  /** Of the newest completed delivery. */
  readonly inventory: readonly InventoryItem[];
  /** Its uninstall is done; the record stays until everything of it is gone. */
  readonly uninstalled?: boolean;
  /** Nothing is left that knows of it: what delivered it was deleted by hand, without its objects. */
  readonly orphaned?: boolean;
  /** Of the newest record, whatever became of it. */
  readonly planned: readonly InventoryItem[];
  /** Of everything that any delivery may have written. */
  readonly touched: readonly InventoryItem[];
}

export interface Place {
  readonly namespace: string;
  readonly releaseName: string;
}

/** Helm's record of a release. */
export function recordRef({ namespace, releaseName }: Place): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', namespace, name: `release.${releaseName}` };
}

/** Nobody but bystanders reads it. */
function truthRef(place: Place): ObjectRef {
  return { ...recordRef(place), apiVersion: 'sim.example.org/v1', kind: 'Truth' };
}

export function placeOf({ metadata }: KubeObject): Place {
  return { namespace: metadata.namespace ?? '', releaseName: metadata.name.slice('release.'.length) };
}

export function readRecord(object: KubeObject | undefined): ReleaseRecord | undefined {
  const record = object?.['record'];
  // Only this module writes records.
  return isRecord(record) ? (record as unknown as ReleaseRecord) : undefined;
}

/** Somebody else's record of helm's is not of what Argo CD made beside it. */
export function recordAt(cluster: MemoryCluster, place: Place): ReleaseRecord | undefined {
  const helms = readRecord(cluster.get(recordRef(place)));
  return helms?.package === undefined ? (readRecord(cluster.get(truthRef(place))) ?? helms) : helms;
}

export function putRecord(cluster: MemoryCluster, place: Place, record: ReleaseRecord): void {
  const { apiVersion, kind, name } = record.by === 'argocd' ? truthRef(place) : recordRef(place);
  const owner = record.package === undefined ? {} : { [LABEL.package]: record.package };
  const labels = { [RECORD_LABEL]: 'true', [LABEL.component]: record.component, ...owner };
  cluster.put({ apiVersion, kind, metadata: { name, namespace: place.namespace, labels }, record });
}

/** As it is now, with some things changed; nothing where there is none. */
export function amendRecord(
  cluster: MemoryCluster,
  place: Place,
  change: (record: ReleaseRecord) => Partial<ReleaseRecord>,
): void {
  const record = recordAt(cluster, place);
  if (record !== undefined) putRecord(cluster, place, { ...record, ...change(record) });
}

export function dropRecord(cluster: MemoryCluster, place: Place): void {
  cluster.remove(recordRef(place));
  cluster.remove(truthRef(place));
}

/** All records in the cluster, with their places. */
export function allRecords(cluster: MemoryCluster): readonly (Place & { readonly record: ReleaseRecord })[] {
  return [...cluster.all('Secret'), ...cluster.all('Truth')].flatMap((object) => {
    const record = readRecord(object);
    return record === undefined ? [] : [{ ...placeOf(object), record }];
  });
}

export function isOwn(record: ReleaseRecord, target: ReleaseTarget): boolean {
  return record.package === target.package && record.component === target.component;
}
