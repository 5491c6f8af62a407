import { type KubeObject, type ObjectRef, refKey } from '../../api/kube.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import type { InventoryItem } from '../../ports/backend.ts';
import { NOTE } from './notes.ts';
import { readNoted } from './noted.ts';

/** The objects of the source that was compared last: neither hooks nor what only an earlier one had. */
export function currentResources(application: KubeObject): readonly InventoryItem[] {
  const current = resourcesOf(application).filter((resource) => !isHook(resource) && !isDropped(resource));
  const listed = itemsOf(current, application);
  return isListed(application) ? listed : unique([...notedIn(application), ...listed]);
}

/** Those that a sync has dropped, and that are there still. */
export function droppedResources(application: KubeObject): readonly InventoryItem[] {
  const dropped = resourcesOf(application).filter((resource) => !isHook(resource) && isDropped(resource));
  return itemsOf(dropped, application);
}

/** All that the Application has to do with, whatever became of it. */
export function everyResource(application: KubeObject): readonly InventoryItem[] {
  const known = itemsOf([...resourcesOf(application), ...resultsOf(application)], application);
  return unique([...known, ...notedIn(application)]);
}

/** Those of the newest delivery, begun or completed; hooks are not counted, as helm does not either. */
export function begunResources(application: KubeObject): readonly InventoryItem[] {
  const started = resultsOf(application).filter(
    (result) => at(result, 'hookType') === undefined && at(result, 'status') !== 'Pruned',
  );
  return unique([...notedIn(application), ...currentResources(application), ...itemsOf(started, application)]);
}

function resourcesOf({ status }: KubeObject): readonly unknown[] {
  return asArray(at(status, 'resources'));
}

function resultsOf({ status }: KubeObject): readonly unknown[] {
  return asArray(at(status, 'operationState', 'syncResult', 'resources'));
}

function isHook(resource: unknown): boolean {
  return at(resource, 'hook') === true;
}

/** Unknown is the status of everything while the chart cannot be rendered, and then it all looks dropped. */
function isDropped(resource: unknown): boolean {
  return at(resource, 'requiresPruning') === true && at(resource, 'status') !== 'Unknown';
}

/** Otherwise the list has only what is there still, so that nothing would ever be missing. */
function isListed({ status }: KubeObject): boolean {
  return !asArray(at(status, 'conditions')).some((condition) => at(condition, 'type') === 'ComparisonError');
}

function notedIn({ metadata }: KubeObject): readonly InventoryItem[] {
  return readNoted(metadata.annotations?.[NOTE.objects]).map(({ template: _template, ...item }) => item);
}

function itemsOf(resources: readonly unknown[], application: KubeObject): readonly InventoryItem[] {
  const known = new Map(notedIn(application).map((item) => [refKey(item), item]));
  return unique(resources.flatMap((resource) => itemOf(resource, known)));
}

function itemOf(resource: unknown, known: ReadonlyMap<string, InventoryItem>): readonly InventoryItem[] {
  const [group, version, kind, namespace, name] = FIELDS.map((key) => asString(at(resource, key)) ?? '');
  if (version === undefined || kind === undefined || name === undefined || version === '') return [];
  const apiVersion = group === '' ? version : `${String(group)}/${version}`;
  const ref = { apiVersion, kind, name, ...(namespace === '' ? {} : { namespace: String(namespace) }) };
  return [mayVanish(ref, known) ? { ...ref, mayVanish: true } : ref];
}

const FIELDS = ['group', 'version', 'kind', 'namespace', 'name'] as const;

/** A Job that is not known may have a time to live. */
function mayVanish(ref: ObjectRef, known: ReadonlyMap<string, InventoryItem>): boolean {
  if (ref.kind !== 'Job' || !ref.apiVersion.startsWith('batch/')) return false;
  const item = known.get(refKey(ref));
  return item === undefined || item.mayVanish === true;
}

/** Of two the first: what is noted has the version of the API that the chart has. */
function unique(items: readonly InventoryItem[]): readonly InventoryItem[] {
  return [...new Map([...items].reverse().map((item) => [refKey(item), item])).values()].reverse();
}
