import type { StoreEvent, ObjectWatch, Target, WatchOptions } from '../model/api.ts';
import type { JsonMap, StoredObject } from '../model/object.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';
import { StatusError } from '../model/status-error.ts';
import type { Core } from './core.ts';
import { badVersion, type Selects, selection } from './list.ts';
import { expired } from './refusals.ts';
import type { Change } from './store.ts';

export type OnEvent = (event: StoreEvent) => void;

interface Sight {
  readonly core: Core;
  readonly resource: Resource;
  readonly namespace: string;
  readonly selects: Selects;
}

export function watchObjects(
  core: Core,
  request: { readonly target: Target; readonly options: WatchOptions },
  onEvent: OnEvent,
): ObjectWatch {
  const { target, options } = request;
  const resource = core.kinds.require(target);
  const namespace = resource.namespaced ? (target.namespace ?? '') : '';
  const sight: Sight = { core, resource, namespace, selects: selection(core, resource, withName(target, options)) };
  const missed = changesSince(core, resource, options);
  let isOpen = true;
  const tell: OnEvent = (event) => {
    if (isOpen) onEvent(event);
  };
  const stopListening = core.store.listen(core.kinds.storageOf(resource).key, (change) => {
    tellChange(sight, change, tell);
  });
  if (missed === undefined) tellAll(sight, options, tell);
  else for (const change of missed) tellChange(sight, change, tell);
  const forgetEnd = core.kinds.onUnserved(resource, () => options.onEnd?.());
  return {
    bookmark: () => {
      tell({ type: 'BOOKMARK', object: bookmark(core, resource) });
    },
    stop: () => {
      isOpen = false;
      stopListening();
      forgetEnd();
    },
  };
}

/** A watch of one object is one of its name. */
function withName({ name }: Target, options: WatchOptions): WatchOptions {
  if (name === undefined) return options;
  const own = `metadata.name=${name}`;
  const { fieldSelector = '' } = options;
  return { ...options, fieldSelector: fieldSelector === '' ? own : `${fieldSelector},${own}` };
}

/** Undefined: the watch begins with what is there. */
function changesSince(core: Core, resource: Resource, options: WatchOptions): readonly Change[] | undefined {
  const { resourceVersion = '', sendInitialEvents } = options;
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion)) {
    throw new StatusError('', badVersion(resourceVersion));
  }
  if (sendInitialEvents === true || resourceVersion === '' || resourceVersion === '0') {
    return sendInitialEvents === false ? [] : undefined;
  }
  const changes = core.store.since(core.kinds.storageOf(resource).key, Number(resourceVersion));
  if (changes !== undefined) return changes;
  throw expired(`too old resource version: ${resourceVersion} (${String(core.store.oldest + 1)})`);
}

function tellAll(sight: Sight, options: WatchOptions, tell: OnEvent): void {
  const { core, resource, namespace, selects } = sight;
  for (const stored of core.store.all(core.kinds.storageOf(resource).key, namespace)) {
    const object = core.kinds.view(stored, resource);
    if (selects(object)) tell({ type: 'ADDED', object });
  }
  if (options.sendInitialEvents !== true || options.allowBookmarks !== true) return;
  tell({ type: 'BOOKMARK', object: bookmark(core, resource, { 'k8s.io/initial-events-end': 'true' }) });
}

/** An object that enters or leaves a selection comes or goes, as far as the watcher can see. */
function tellChange({ core, resource, namespace, selects }: Sight, change: Change, tell: OnEvent): void {
  if (namespace !== '' && change.object.metadata.namespace !== namespace) return;
  // Its schema may be another one by now.
  const kind = core.kinds.find(resource) ?? resource;
  const before = change.before && core.kinds.view(change.before, kind);
  const object = core.kinds.view(change.object, kind);
  const was = before !== undefined && selects(before) ? before : undefined;
  const event = change.type === 'DELETED' || !selects(object) ? endOf(change, was, object) : beginningOf(was, object);
  if (event !== undefined) tell(event);
}

function beginningOf(was: StoredObject | undefined, object: StoredObject): StoreEvent {
  return { type: was === undefined ? 'ADDED' : 'MODIFIED', object };
}

function endOf(change: Change, was: StoredObject | undefined, object: StoredObject): StoreEvent | undefined {
  if (was === undefined) return undefined;
  return { type: 'DELETED', object: change.type === 'DELETED' ? object : atVersion(was, object) };
}

function atVersion(before: StoredObject, { metadata }: StoredObject): StoredObject {
  return { ...before, metadata: { ...before.metadata, resourceVersion: metadata.resourceVersion } };
}

export function bookmark(core: Core, resource: Resource, annotations?: Readonly<Record<string, string>>): JsonMap {
  const metadata = { resourceVersion: String(core.store.revision) };
  return {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: annotations === undefined ? metadata : { ...metadata, annotations },
  };
}
