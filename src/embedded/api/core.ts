import { formatSeconds } from '../../lib/time.ts';
import type { Clock } from '../../ports/system.ts';
import type { Admission, EmbeddedApi, Patch, Target, WriteOptions } from '../model/api.ts';
import type { JsonMap, StoredObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Addresses } from './addresses.ts';
import type { Random } from './chance.ts';
import type { Kinds } from './kinds.ts';
import { notFound } from './refusals.ts';
import { keyOf, type Store } from './store.ts';
import { storedForm } from './stored-form.ts';

/** What every request works on. */
export interface Core {
  readonly store: Store;
  readonly kinds: Kinds;
  readonly clock: Clock;
  readonly random: Random;
  readonly addresses: Addresses;
  /** By uid: which fields of the metadata are stored empty, which nobody sees until the next write leaves them out. */
  readonly unseen: Map<string, string>;
  /** For what the API server itself writes in consequence of a request. */
  readonly api: Pick<EmbeddedApi, 'delete' | 'resources' | 'update'>;
  /** Refuses by throwing, as a webhook that says no. */
  admit(request: Admission): void;
}

/** A request that brings an object. */
export interface Write {
  readonly target: Target;
  readonly body: JsonMap;
  readonly options: WriteOptions;
}

export interface PatchWrite {
  readonly target: Target;
  readonly patch: Patch;
  readonly options: WriteOptions;
}

export function timeNow(core: Core): string {
  return formatSeconds(core.clock.now());
}

export function findLive(core: Core, resource: Resource, target: Target): StoredObject | undefined {
  const key = keyOf({ name: target.name ?? '', ...(resource.namespaced ? { namespace: target.namespace ?? '' } : {}) });
  const stored = core.store.get(core.kinds.storageOf(resource).key, key);
  return stored === undefined ? undefined : core.kinds.view(stored, resource);
}

export function requireLive(core: Core, resource: Resource, target: Target): StoredObject {
  const live = findLive(core, resource, target);
  if (live === undefined) throw notFound(resource, target.name ?? '');
  return live;
}

/** Stores an object of a served version; the answer is of that version, too. */
export function putObject(core: Core, resource: Resource, object: StoredObject): StoredObject {
  core.unseen.delete(object.metadata.uid);
  const { key } = core.kinds.storageOf(resource);
  const kept = asStored(inStoredForm(resource, object));
  return core.kinds.view(core.store.put(key, core.kinds.stored(kept, resource)), resource);
}

/** What is stored empty of the object that was put last. */
export function noteUnseen(core: Core, { metadata }: StoredObject, unseen: string): void {
  if (unseen !== '') core.unseen.set(metadata.uid, unseen);
}

/** As the storage would give it back. */
export function inStoredForm({ custom, schema }: Resource, object: JsonMap): JsonMap {
  return custom || schema === undefined ? object : storedForm(object, schema);
}

export function removeObject(core: Core, resource: Resource, object: StoredObject): StoredObject {
  const { key } = core.kinds.storageOf(resource);
  core.unseen.delete(object.metadata.uid);
  return core.kinds.view(core.store.remove(key, core.kinds.stored(object, resource)), resource);
}

/** A decoded body with its metadata filled in: it has all that a stored object has. */
export function asStored(object: JsonMap): StoredObject {
  return object as StoredObject;
}
