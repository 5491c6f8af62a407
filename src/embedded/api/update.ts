import { asArray, asString, at } from '../../lib/json.ts';
import { keepTimes, trackUpdate } from '../fields/index.ts';
import { validateBuiltIn } from '../kinds/index.ts';
import type { Target, WriteOptions, Written } from '../model/api.ts';
import { invalidValue } from '../model/causes.ts';
import type { JsonMap, ManagedFieldsEntry, StoredMeta, StoredObject } from '../model/object.ts';
import type { Resource, SubresourceName } from '../model/resource.ts';
import { withSharedParts } from '../model/shared-parts.ts';
import {
  asStored,
  type Core,
  findLive,
  inStoredForm,
  noteUnseen,
  putObject,
  removeObject,
  type Write,
} from './core.ts';
import { insert, withEntries } from './create.ts';
import { customProblems } from './custom-problems.ts';
import { checkMetadata, checkPlace, decode, metadataOf } from './decode.ts';
import { sameJson } from './equal.ts';
import { afterRemoval, afterWrite, prepareUpdate } from './rules/rules.ts';
import { conflict, invalid, modified, notFound } from './refusals.ts';
import { withStatus, withStatusOf } from './status.ts';
import { countsGenerations, isCreatedByUpdate, needsResourceVersion } from './traits.ts';
import { writerOf } from './writer.ts';

export function updateObject(core: Core, { target, body, options }: Write): Written {
  const resource = core.kinds.require(target);
  checkMetadata(resource, body);
  const { object, warnings } = decode(resource, body, options);
  checkPlace(resource, target, object);
  const live = findLive(core, resource, target);
  if (live === undefined) {
    if (!isCreatedByUpdate(resource) || target.subresource !== undefined) throw notFound(resource, target.name ?? '');
    checkGone(resource, target, metadataOf(object));
    const named = { ...object, metadata: { ...metadataOf(object), name: target.name } };
    return { object: insert(core, resource, { target, object: named, options }), created: true, warnings };
  }
  checkIdentity(resource, live, metadataOf(object));
  return { object: replace(core, resource, { target, live, object, options }), created: false, warnings };
}

/** Who means an object with an identity does not mean to make another one. */
function checkGone(resource: Resource, place: Pick<Target, 'name' | 'namespace'>, { uid }: JsonMap): void {
  const wanted = asString(uid) ?? '';
  if (wanted !== '') throw otherIdentity(resource, place, { wanted, found: '' });
}

/** Of a whole object its identity is a condition; a patch that names another one wants to change it. */
function checkIdentity(resource: Resource, { metadata }: StoredObject, { uid }: JsonMap): void {
  const wanted = asString(uid) ?? '';
  if (wanted !== '' && wanted !== metadata.uid)
    throw otherIdentity(resource, metadata, { wanted, found: metadata.uid });
}

function otherIdentity(
  resource: Resource,
  place: Pick<Target, 'name' | 'namespace'>,
  { wanted, found }: { readonly wanted: string; readonly found: string },
): Error {
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  const error = `StorageError: invalid object, Code: 4, Key: ${storageKey(resource, place)}, ResourceVersion: 0`;
  return conflict(resource, place.name ?? '', `${error}, AdditionalErrorMsg: ${why}`);
}

export interface Replacement {
  readonly target: Target;
  readonly live: StoredObject;
  readonly object: JsonMap;
  readonly options: WriteOptions;
  /** Of server-side apply, which knows who owns what. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
  /** Of server-side apply: which fields of the metadata are stored empty. */
  readonly unseen?: string;
  /** A patch that names no resource version is of the newest one, whatever the kind. */
  readonly unconditional?: boolean;
}

/** Everything of an update that follows the decoding; patches and server-side apply come here, too. */
export function replace(core: Core, resource: Resource, given: Replacement): StoredObject {
  const { target, live, options } = given;
  const replacement = { ...given, object: withSharedParts(given.object, live) };
  checkVersion(resource, replacement);
  const settled = settle(core, resource, replacement);
  const next = withManagedFields(core, resource, { ...replacement, settled });
  core.admit({ operation: 'UPDATE', resource, target, object: next, before: live, dryRun: options.dryRun ?? false });
  validateChanged(resource, {
    next,
    live,
    uid: metadataOf(replacement.object)['uid'],
    subresource: target.subresource,
  });
  const { unseen = '' } = replacement;
  const isTidy = unseen === (core.unseen.get(live.metadata.uid) ?? '');
  if (isTidy && sameJson(inStoredForm(resource, next), live)) return live;
  if (options.dryRun === true) return asStored(inStoredForm(resource, next));
  if (endsNow(next, live)) {
    // What is told of is the object as it was stored; who asked sees the change that was its last.
    finish(core, resource, live);
    return asStored(inStoredForm(resource, next));
  }
  const stored = putObject(core, resource, next);
  noteUnseen(core, stored, unseen);
  afterWrite(core, resource, { before: live, object: stored });
  return stored;
}

/** Takes an object away for good. */
export function finish(core: Core, resource: Resource, object: StoredObject): StoredObject {
  const last = removeObject(core, resource, object);
  afterRemoval(core, resource, last);
  return last;
}

function checkVersion(resource: Resource, { live, object, unconditional }: Replacement): void {
  const { name } = live.metadata;
  const { resourceVersion } = metadataOf(object);
  const version = asString(resourceVersion) ?? '';
  if (version === '' || version === '0') {
    if (unconditional === true || !needsResourceVersion(resource)) return;
    throw invalid({ group: resource.group, kind: resource.plural }, name, [
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0: must be specified for an update',
        field: 'metadata.resourceVersion',
      },
    ]);
  }
  if (version !== live.metadata.resourceVersion) throw modified(resource, name);
}

function storageKey({ group, plural }: Resource, { name = '', namespace }: Pick<Target, 'name' | 'namespace'>): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  return `/registry/${group === '' || !group.includes('.') ? plural : `${group}/${plural}`}/${place}`;
}

/** What an update cannot change stays as it is. */
function settle(core: Core, resource: Resource, { live, object, target }: Replacement): StoredObject {
  const old = live.metadata;
  const {
    selfLink: _selfLink,
    generation: _generation,
    deletionTimestamp: _deletionTimestamp,
    ...rest
  } = metadataOf(object);
  const metadata = {
    ...rest,
    name: old.name,
    ...(old.namespace === undefined ? {} : { namespace: old.namespace }),
    uid: old.uid,
    resourceVersion: old.resourceVersion,
    creationTimestamp: old.creationTimestamp,
    ...(old.generation === undefined ? {} : { generation: old.generation }),
    ...(old.deletionTimestamp === undefined ? {} : { deletionTimestamp: old.deletionTimestamp }),
    ...(old.deletionGracePeriodSeconds === undefined
      ? {}
      : { deletionGracePeriodSeconds: old.deletionGracePeriodSeconds }),
  } satisfies StoredMeta & JsonMap;
  const given = asStored({ ...object, metadata });
  const prepared = prepareFor(target.subresource, { core, resource, object: given, live });
  const { subresource } = target;
  // Only the object itself and its scale say what is wanted.
  const isWanted = subresource === undefined || subresource === 'scale';
  return isWanted ? generationCounted(resource, prepared, live) : prepared;
}

interface Preparing {
  readonly core: Core;
  readonly resource: Resource;
  readonly object: StoredObject;
  readonly live: StoredObject;
}

/** Each subresource writes its own part of an object alone. */
function prepareFor(
  subresource: SubresourceName | undefined,
  { core, resource, object, live }: Preparing,
): StoredObject {
  if (subresource === 'status') return withStatus(resource, object, live);
  if (subresource === 'finalize') return withStatusOf(object, live);
  if (subresource !== undefined) return object;
  const isApart = resource.subresources.includes('status');
  return prepareUpdate(core, resource, { object: isApart ? withStatusOf(object, live) : object, live });
}

/** What counts is everything but metadata and status. */
function generationCounted(resource: Resource, next: StoredObject, live: StoredObject): StoredObject {
  if (!countsGenerations(resource) || sameJson(counted(resource, next), counted(resource, live))) return next;
  return { ...next, metadata: { ...next.metadata, generation: (live.metadata.generation ?? 0) + 1 } };
}

function counted(resource: Resource, object: StoredObject): JsonMap {
  const { metadata, status, ...rest } = object;
  // Of deployments the revision is an annotation, and all of these count.
  if (resource.group === 'apps' && resource.plural === 'deployments')
    return { ...rest, annotations: metadata.annotations };
  return resource.subresources.includes('status') ? rest : { ...rest, status };
}

function withManagedFields(
  core: Core,
  resource: Resource,
  { live, object, options, target, managedFields, settled }: Replacement & { readonly settled: StoredObject },
): StoredObject {
  const { subresource } = target;
  const entries =
    managedFields ??
    trackUpdate({
      ...writerOf(core, resource, { options, subresource }),
      before: live,
      after: trackedOf(target, object, live),
    });
  const written = withEntries(settled, entries);
  return withEntries(written, keepTimes(live, written));
}

/** A request to finalize a namespace cannot write its status. */
function trackedOf({ subresource }: Target, object: JsonMap, live: StoredObject): JsonMap {
  return subresource === 'finalize' ? withStatusOf(asStored(object), live) : object;
}

interface Changed {
  readonly next: StoredObject;
  readonly live: StoredObject;
  /** As the request has it. */
  readonly uid: unknown;
  readonly subresource: SubresourceName | undefined;
}

function validateChanged(resource: Resource, { next, live, uid, subresource }: Changed): void {
  const wanted = asString(uid) ?? '';
  const causes = [
    ...(wanted === '' || wanted === live.metadata.uid ? [] : [invalidValue('metadata.uid', wanted, IMMUTABLE)]),
    ...(resource.custom
      ? customProblems(resource, next, { old: live, subresource })
      : validateBuiltIn(resource, next, live)),
  ];
  if (causes.length > 0) throw invalid({ group: resource.group, kind: next.kind }, live.metadata.name, causes);
}

const IMMUTABLE = 'field is immutable';

/** The last finalizer of an object that is being deleted has gone. */
function endsNow(next: StoredObject, live: StoredObject): boolean {
  if (live.metadata.deletionTimestamp === undefined || (next.metadata.finalizers ?? []).length > 0) return false;
  if (next.kind === 'Namespace' && next.apiVersion === 'v1' && !isNamespaceFinal(next)) return false;
  return (live.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** A namespace lasts until its content is gone, which `spec.finalizers` says. */
function isNamespaceFinal(namespace: StoredObject): boolean {
  return asArray(at(namespace, 'spec', 'finalizers')).length === 0;
}
