import { asString, isRecord } from '../../lib/json.ts';
import { trackUpdate } from '../fields/index.ts';
import { validateBuiltIn } from '../kinds/index.ts';
import type { Target, WriteOptions, Written } from '../model/api.ts';
import type { JsonMap, StoredMeta, StoredObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { StatusError } from '../model/status-error.ts';
import { randomSuffix, randomUid } from './chance.ts';
import { asStored, type Core, findLive, inStoredForm, noteUnseen, putObject, timeNow, type Write } from './core.ts';
import { customProblems } from './custom-problems.ts';
import { checkMetadata, checkPlace, type Decoded, decode, metadataOf } from './decode.ts';
import { afterWrite, dropsStatus, prepareCreate } from './rules/rules.ts';
import { requireOpenNamespace } from './namespaces.ts';
import { alreadyExists, badRequest, forbidden, invalid } from './refusals.ts';
import { isTerminating } from './rules/definitions.ts';
import { countsGenerations } from './traits.ts';
import { writerOf } from './writer.ts';

export function createObject(core: Core, { target, body, options }: Write): Written {
  const resource = core.kinds.require(target);
  checkMetadata(resource, body);
  const { object, warnings } = decodeNew(resource, body, options);
  checkPlace(resource, target, object);
  const created = insert(core, resource, { target, object, options, isPosted: true });
  return { object: created, created: true, warnings };
}

function decodeNew(resource: Resource, body: JsonMap, options: WriteOptions): Decoded {
  const decoded = decode(resource, body, options);
  const rest = withoutNewStatus(resource, body);
  return rest === body ? decoded : { ...decoded, object: decode(resource, rest, { fieldValidation: 'Ignore' }).object };
}

/** What controllers say of an object is not for who makes it to write. */
export function withoutNewStatus(resource: Resource, body: JsonMap): JsonMap {
  if (!dropsStatus(resource) || body['status'] === undefined) return body;
  const { status: _status, ...rest } = body;
  return rest;
}

interface Insertion {
  readonly target: Target;
  readonly object: JsonMap;
  readonly options: WriteOptions;
  /** Of server-side apply, which knows who owns what. */
  readonly managedFields?: StoredMeta['managedFields'];
  /** Of server-side apply: which fields of the metadata are stored empty. */
  readonly unseen?: string;
  /** By `POST`, which refuses a resource version when it comes to storing. */
  readonly isPosted?: boolean;
}

/** Everything of a creation that follows the decoding; server-side apply and some `PUT`s come here, too. */
export function insert(core: Core, resource: Resource, insertion: Insertion): StoredObject {
  const { target, options } = insertion;
  // What the server itself fills in belongs to nobody.
  const fresh = prepareCreate(core, resource, withSystemFields(core, resource, insertion));
  const object = withEntries(asStored(fresh), ownersOf(core, resource, insertion));
  if (resource.namespaced) requireOpenNamespace(core, resource, object);
  if (resource.custom && isTerminating(core, resource)) throw terminating(resource, object.metadata.name);
  core.admit({ operation: 'CREATE', resource, target, object, before: undefined, dryRun: options.dryRun ?? false });
  validateNew(resource, object);
  if (insertion.isPosted === true && options.dryRun !== true) checkVersionless(insertion.object);
  const place = { ...target, name: object.metadata.name };
  if (findLive(core, resource, place) !== undefined) throw exists(core, resource, place);
  if (options.dryRun === true) return tried(inStoredForm(resource, object), insertion.object);
  const stored = putObject(core, resource, object);
  noteUnseen(core, stored, insertion.unseen ?? '');
  afterWrite(core, resource, { before: undefined, object: stored });
  return stored;
}

/** What is not stored keeps the resource version that it came with. */
function tried(object: JsonMap, given: JsonMap): StoredObject {
  const { resourceVersion } = metadataOf(given);
  const isGiven = (asString(resourceVersion) ?? '') !== '';
  return asStored(isGiven ? { ...object, metadata: { ...metadataOf(object), resourceVersion } } : object);
}

function checkVersionless(object: JsonMap): void {
  const version = asString(metadataOf(object)['resourceVersion']) ?? '';
  if (!/^\d*[1-9]\d*$/.test(version)) return;
  throw new StatusError('', 'resourceVersion should not be set on objects to be created');
}

function terminating(resource: Resource, name: string): Error {
  return forbidden(resource, name, { why: 'create not allowed while custom resource definition is terminating' });
}

function exists(core: Core, resource: Resource, target: Target): Error {
  const live = findLive(core, resource, target);
  const error = alreadyExists(resource, target.name ?? '');
  if (live?.metadata.deletionTimestamp === undefined) return error;
  error.message = `object is being deleted: ${error.message}`;
  return error;
}

function withSystemFields(core: Core, resource: Resource, { target, object }: Insertion): JsonMap {
  const {
    name,
    generateName,
    resourceVersion: _resourceVersion,
    selfLink: _selfLink,
    namespace: _namespace,
    deletionTimestamp: _deletionTimestamp,
    deletionGracePeriodSeconds: _deletionGracePeriodSeconds,
    generation: _generation,
    ...metadata
  } = metadataOf(object);
  const prefix = asString(generateName) ?? '';
  const given = asString(name) ?? '';
  return {
    ...object,
    metadata: {
      name: given === '' && prefix !== '' ? `${prefix.slice(0, 58)}${randomSuffix(core.random)}` : given,
      ...(prefix === '' ? {} : { generateName: prefix }),
      ...(resource.namespaced ? { namespace: target.namespace ?? '' } : {}),
      ...metadata,
      uid: randomUid(core.random),
      ...(countsGenerations(resource) ? { generation: 1 } : {}),
      creationTimestamp: timeNow(core),
    },
  };
}

function ownersOf(core: Core, resource: Resource, { object, options, managedFields }: Insertion): Entries {
  return managedFields ?? trackUpdate({ ...writerOf(core, resource, { options }), before: undefined, after: object });
}

type Entries = NonNullable<StoredMeta['managedFields']>;

export function withEntries(object: StoredObject, entries: Entries): StoredObject {
  const { managedFields: _given, ...metadata } = object.metadata;
  return { ...object, metadata: entries.length === 0 ? metadata : { ...metadata, managedFields: entries } };
}

function validateNew(resource: Resource, object: StoredObject): void {
  const { name } = object.metadata;
  if (name === '') {
    throw invalid(resource, '', [
      {
        reason: 'FieldValueRequired',
        message: 'Required value: name or generateName is required',
        field: 'metadata.name',
      },
    ]);
  }
  const causes = resource.custom ? customProblems(resource, object, {}) : validateBuiltIn(resource, object, undefined);
  if (causes.length > 0) throw invalid({ group: resource.group, kind: object.kind }, name, causes);
  if (!isRecord(object.metadata)) throw badRequest('metadata must be an object');
}
