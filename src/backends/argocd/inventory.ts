import { type KubeObject, type ObjectRef, refKey } from '../../api/kube.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import type { InventoryItem } from '../../ports/backend.ts';
import { type KnownJobs, readJobs } from './jobs.ts';
import { NOTE } from './notes.ts';

/** The objects of the source that was compared last: neither hooks nor what only an earlier one had. */
export function currentResources(application: KubeObject): readonly InventoryItem[] {
  const resources = asArray(at(application['status'], 'resources'));
  const current = resources.filter(
    (resource) => at(resource, 'hook') !== true && at(resource, 'requiresPruning') !== true,
  );
  return itemsOf(current, application);
}

/** Those that a sync has dropped, and that are there still. */
export function droppedResources(application: KubeObject): readonly InventoryItem[] {
  const resources = asArray(at(application['status'], 'resources'));
  return itemsOf(
    resources.filter((resource) => at(resource, 'requiresPruning') === true),
    application,
  );
}

/** All that the Application has to do with, whatever became of it. */
export function everyResource(application: KubeObject): readonly InventoryItem[] {
  const status = application['status'];
  const resources = [
    ...asArray(at(status, 'resources')),
    ...asArray(at(status, 'operationState', 'syncResult', 'resources')),
  ];
  return itemsOf(resources, application);
}

/** Those of the newest delivery, begun or completed; hooks are not counted, as helm does not either. */
export function begunResources(application: KubeObject): readonly InventoryItem[] {
  const results = asArray(at(application['status'], 'operationState', 'syncResult', 'resources'));
  const started = itemsOf(
    results.filter((result) => at(result, 'hookType') === undefined && at(result, 'status') !== 'Pruned'),
    application,
  );
  return unique([...currentResources(application), ...started]);
}

function itemsOf(resources: readonly unknown[], { metadata }: KubeObject): readonly InventoryItem[] {
  const jobs = readJobs(metadata.annotations?.[NOTE.jobs]);
  return unique(resources.flatMap((resource) => itemOf(resource, jobs)));
}

function itemOf(resource: unknown, jobs: KnownJobs): readonly InventoryItem[] {
  const [group, version, kind, namespace, name] = FIELDS.map((key) => asString(at(resource, key)) ?? '');
  if (version === undefined || kind === undefined || name === undefined || version === '') return [];
  const apiVersion = group === '' ? version : `${String(group)}/${version}`;
  const ref = { apiVersion, kind, name, ...(namespace === '' ? {} : { namespace: String(namespace) }) };
  return [isVanishing(ref, jobs) ? { ...ref, mayVanish: true } : ref];
}

const FIELDS = ['group', 'version', 'kind', 'namespace', 'name'] as const;

/** A Job that is not known may have a time to live. */
function isVanishing(ref: ObjectRef, jobs: KnownJobs): boolean {
  if (ref.kind !== 'Job' || !ref.apiVersion.startsWith('batch/')) return false;
  return jobs[refKey(ref)]?.mayVanish ?? true;
}

function unique(items: readonly InventoryItem[]): readonly InventoryItem[] {
  return [...new Map(items.map((item) => [refKey(item), item])).values()];
}
