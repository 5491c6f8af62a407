import { type KubeObject, type ObjectRef, refKey } from '../../api/kube.ts';
import type { ReleaseStore } from '../../helm/release-store.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import type { InventoryItem } from '../../ports/backend.ts';
import { readApplication, releaseOf } from './application.ts';
import { NOTE } from './notes.ts';
import { type NotedObject, readNoted } from './noted.ts';

/** What an Application has to do with; hooks are not counted as its own, as helm does not either. */
export interface ApplicationInventory {
  /** Of the source that was compared last. */
  readonly current: readonly InventoryItem[];
  /** Of the newest delivery, begun or completed. */
  readonly begun: readonly InventoryItem[];
  /** Jobs and Pods of hooks that it has started; one that has ended may have been removed. */
  readonly started: readonly InventoryItem[];
  /** What a sync has dropped, and what is there still. */
  readonly dropped: readonly InventoryItem[];
  /** All that it has to do with, hooks and whatever became of it. */
  readonly every: readonly InventoryItem[];
  /** As the chart described them. */
  readonly noted: readonly NotedObject[];
}

/** The namespaces of what was noted are known once its kinds are served. */
export async function readInventory(application: KubeObject, store: ReleaseStore): Promise<ApplicationInventory> {
  const objects = readNoted(application.metadata.annotations?.[NOTE.objects]);
  const described = objects.map(({ template, mayVanish: vanishes, ...ref }) => ({ ref, template, vanishes }));
  const placed = await store.placed(described, releaseOf(application).namespace);
  return inventoryOf(
    application,
    placed.map(({ ref, template, vanishes }) => ({
      ...ref,
      ...(template === undefined ? {} : { template }),
      ...(vanishes === undefined ? {} : { mayVanish: vanishes }),
    })),
  );
}

export function inventoryOf(application: KubeObject, noted: readonly NotedObject[]): ApplicationInventory {
  const status = application['status'];
  const resources = asArray(at(status, 'resources'));
  const results = asArray(at(status, 'operationState', 'syncResult', 'resources'));
  const own = resources.filter((resource) => at(resource, 'hook') !== true);
  const described = noted.map(({ template: _template, ...item }) => item);
  const known = new Map(described.map((item) => [refKey(item), item]));
  const items = (listed: readonly unknown[]): readonly InventoryItem[] =>
    listed.flatMap((resource) => itemOf(resource, known));
  const listed = items(own.filter((resource) => !isDropped(resource)));
  const current = unique(isComplete(application) ? listed : [...described, ...listed]);
  return {
    current,
    begun: unique([...described, ...current, ...items(results.filter((result) => isApplied(result)))]),
    started: unique(items(startedIn(application))).map((item) => ({ ...item, mayVanish: true })),
    dropped: unique(items(own.filter((resource) => isDropped(resource)))),
    every: unique([...described, ...items(resources), ...items(results)]),
    noted,
  };
}

/** Unknown is the status of everything while the chart cannot be rendered, and then it all looks dropped. */
function isDropped(resource: unknown): boolean {
  return at(resource, 'requiresPruning') === true && at(resource, 'status') !== 'Unknown';
}

/**
 * The list is that of what was written. It has only what is there still while the chart cannot be rendered, so that
 * nothing would ever be missing; and is that of another source, or of none, while what was written was not compared.
 */
function isComplete(application: KubeObject): boolean {
  const { compared, instructed } = readApplication(application);
  const conditions = asArray(at(application['status'], 'conditions'));
  return compared === instructed && !conditions.some((condition) => at(condition, 'type') === 'ComparisonError');
}

function isApplied(result: unknown): boolean {
  return at(result, 'hookType') === undefined && at(result, 'status') !== 'Pruned';
}

/** By the operation of the attempt, which tells of a hook from its start on. */
function startedIn(application: KubeObject): readonly unknown[] {
  const { current, token } = readApplication(application);
  if (current === undefined || current.token !== token) return [];
  const results = asArray(at(application['status'], 'operationState', 'syncResult', 'resources'));
  return results.filter((result) => {
    const isHook = (asString(at(result, 'hookType')) ?? '') !== '';
    return isHook && at(result, 'status') !== 'SyncFailed' && RUNS.includes(asString(at(result, 'kind')) ?? '');
  });
}

function itemOf(resource: unknown, known: ReadonlyMap<string, InventoryItem>): readonly InventoryItem[] {
  const [group, version, kind, namespace, name] = FIELDS.map((key) => asString(at(resource, key)) ?? '');
  if (version === undefined || kind === undefined || name === undefined || version === '') return [];
  const apiVersion = group === '' ? version : `${String(group)}/${version}`;
  const ref = { apiVersion, kind, name, ...(namespace === '' ? {} : { namespace: String(namespace) }) };
  return [mayVanish(ref, known) ? { ...ref, mayVanish: true } : ref];
}

const RUNS: readonly string[] = ['Job', 'Pod'];
const FIELDS = ['group', 'version', 'kind', 'namespace', 'name'] as const;

/** A Job that is not known may have a time to live. */
function mayVanish(ref: ObjectRef, known: ReadonlyMap<string, InventoryItem>): boolean {
  if (ref.kind !== 'Job' || !ref.apiVersion.startsWith('batch/')) return false;
  const item = known.get(refKey(ref));
  return item === undefined || item.mayVanish === true;
}

/** Of two the first: what is noted has the version of the API that the chart has. */
function unique(items: readonly InventoryItem[]): readonly InventoryItem[] {
  const byKey = new Map<string, InventoryItem>();
  for (const item of items) {
    const key = refKey(item);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return [...byKey.values()];
}
