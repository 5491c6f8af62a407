import { type KubeObject, refKey, refOf } from '../../src/api/kube.ts';
import { removeFormerJobs } from '../../src/helm/former-jobs.ts';
import { at, type JsonObject } from '../../src/lib/json.ts';
import type { DesiredRelease, InventoryItem, ReleaseTarget } from '../../src/ports/backend.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import type { MemoryCluster } from '../fakes/memory-cluster.ts';
import { render } from './charts.ts';
import { OWNER } from './places.ts';
import { amendRecord, type Deliverer, type Place, putRecord, recordAt, type ReleaseRecord } from './record.ts';
import type { Chart } from './universe.ts';

/** What is delivered to one release, whoever does it. */
export interface Delivery extends ReleaseTarget {
  readonly by: Deliverer;
  /** Of the attempt that asked for it; undefined: of none. */
  readonly token: string | undefined;
  readonly digest: string | undefined;
  readonly values: JsonObject;
  readonly chart: Chart;
}

/** The record that says that it was begun. */
export function beginWork(cluster: MemoryCluster, delivery: Delivery): void {
  const known = recordAt(cluster, delivery);
  const planned = itemsOf(render(delivery.chart, delivery));
  const before = (known?.touched ?? []).filter((ref) => !isAmong(planned, ref));
  putRecord(cluster, delivery, {
    by: delivery.by,
    package: delivery.package,
    component: delivery.component,
    content: delivery.chart.content,
    values: delivery.values,
    revision: (known?.revision ?? 0) + 1,
    token: delivery.token,
    digest: delivery.digest,
    delivery: 'pending',
    everDelivered: known?.everDelivered ?? false,
    message: 'it is pending',
    inventory: known?.inventory ?? [],
    planned,
    touched: [...before, ...planned],
  });
}

/** As a backend does before it installs a hook where no release is. */
export function removeFormerRun(release: DesiredRelease, chart: Chart, cluster: Cluster): Promise<void> {
  const owner = `${release.package}/${release.component}`;
  const isOurs = ({ metadata }: KubeObject): boolean => metadata.annotations?.[OWNER] === owner;
  const refs = render(chart, release).map((object) => refOf(object));
  return removeFormerJobs(refs, { release, isOurs }, cluster);
}

export function applyObject(cluster: MemoryCluster, object: KubeObject): void {
  const known = cluster.get(refOf(object));
  const status = object['status'] ?? known?.['status'];
  cluster.put({ ...object, ...(status === undefined ? {} : { status }) });
}

/** What the delivery has dropped is deleted, and the record says that it is done. */
export async function completeWork(cluster: MemoryCluster, delivery: Delivery): Promise<void> {
  const inventory = itemsOf(render(delivery.chart, delivery));
  const former = recordAt(cluster, delivery)?.touched ?? [];
  const dropped = former.filter((ref) => !isAmong(inventory, ref));
  for (const ref of dropped.filter((item) => !holdsData(item))) await deleteObject(cluster, ref);
  amendRecord(cluster, delivery, () => ({
    delivery: 'delivered',
    everDelivered: true,
    message: 'it is deployed',
    inventory,
    touched: [...dropped.filter((ref) => holdsData(ref)), ...inventory],
  }));
}

export function failWork(cluster: MemoryCluster, place: Place, message: string): void {
  amendRecord(cluster, place, () => ({ delivery: 'failed', message }));
}

export async function deleteObject(cluster: MemoryCluster, ref: InventoryItem): Promise<void> {
  if (cluster.get(ref) !== undefined) await cluster.write({ verb: 'delete', ref });
}

/** What an uninstall deletes, in its order. */
export function removalsOf(record: ReleaseRecord | undefined): readonly InventoryItem[] {
  return (record?.touched ?? []).filter((ref) => !holdsData(ref)).reverse();
}

export function holdsData({ kind }: InventoryItem): boolean {
  return kind === 'PersistentVolumeClaim';
}

export function placeName({ namespace, releaseName }: Place): string {
  return `${namespace}/${releaseName}`;
}

export function ownerName({ package: pkg, component }: ReleaseRecord): string {
  return pkg === undefined ? 'somebody else' : `component ${component} of package ${pkg}`;
}

/** A Job that is removed some time after its end. */
function isFleeting(object: KubeObject): boolean {
  return at(object, 'spec', 'ttlSecondsAfterFinished') !== undefined;
}

export function itemsOf(objects: readonly KubeObject[]): readonly InventoryItem[] {
  return objects.map((object) => (isFleeting(object) ? { ...refOf(object), mayVanish: true } : refOf(object)));
}

function isAmong(items: readonly InventoryItem[], ref: InventoryItem): boolean {
  return items.some((item) => refKey(item) === refKey(ref));
}
