import type { JsonMap, ManagedFieldsEntry, StoredObject } from '../model/object.ts';
import type { Schema } from '../model/schema.ts';
import { capUpdaters } from './cap.ts';
import { difference, type FieldSet, EMPTY_SET, isEmptySet, recursiveDifference, union } from './field-set.ts';
import { type FieldsOwner, ignoredFields, NEVER_OWNED } from './ignored.ts';
import {
  type ManagerName,
  type Managers,
  managerKey,
  type Ownership,
  printManagers,
  readManagers,
} from './managers.ts';
import { reconcileAll, shiftOwnership } from './ownership.ts';
import { objectType } from './type.ts';
import { isSound, LENIENT, type Problem, problemsOf } from './validate.ts';
import { type Convert, type Typed, typed } from './versions.ts';
import { zeroObject } from './zero-object.ts';

/** Who writes, and through what. */
export interface Writer {
  readonly manager: string;
  /** The version in which the request speaks of the object. */
  readonly apiVersion: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  readonly subresource?: string | undefined;
  readonly schema: Schema | undefined;
  /** Of it depends which fields a request can set; without it, all are taken to be settable. */
  readonly resource?: FieldsOwner | undefined;
  readonly convert?: Convert | undefined;
}

export interface TrackUpdate extends Writer {
  /** Undefined: the request makes the object. */
  readonly before: StoredObject | undefined;
  readonly after: JsonMap;
}

/** The managed fields of an object after anything but an apply; none for objects that are not tracked. */
export function trackUpdate(update: TrackUpdate): readonly ManagedFieldsEntry[] {
  const { before, after } = update;
  const managers = managersGiven(update);
  if (managers.size === 0 && before !== undefined) return [];
  const live = before ?? zeroObject(update.schema, update.resource);
  // The API server gives up tracking what it cannot name: items without any of their keys, say.
  if (![live, after].every((object) => isTrackable(object, update))) return [];
  return printManagers(ownUpdate(managers, { ...update, live, after }));
}

function isTrackable(object: JsonMap, writer: Writer): boolean {
  return isSound(objectType(writer.schema), withoutManagedFields(object));
}

/** Of an object that is there, in which items may be repeated. */
export function problemsOfLive(object: JsonMap, { schema }: Writer): readonly Problem[] {
  return problemsOf(objectType(schema), withoutManagedFields(object), LENIENT);
}

/** Clients may write managed fields, also to empty them; what cannot be read is as if it were not given. */
function managersGiven({ before, after, subresource, resource }: TrackUpdate): Managers {
  const stored = managersOf(before) ?? new Map();
  if (subresource !== undefined) return stored;
  if (emptiesManagers(after, resource?.custom === true)) return new Map();
  const given = managersOf(after);
  return given === undefined || given.size === 0 ? stored : given;
}

/** An empty list, which the API server cannot tell from none in custom objects, or a list of one empty entry. */
function emptiesManagers(object: JsonMap, isCustom: boolean): boolean {
  const entries = managedFieldsOf(object);
  if (!Array.isArray(entries)) return false;
  if (entries.length === 0) return !isCustom;
  const [first] = entries as readonly unknown[];
  return entries.length === 1 && Object.keys(Object(first) as object).length === 0;
}

export function managersOf(object: JsonMap | undefined): Managers | undefined {
  const entries = managedFieldsOf(object);
  if (!Array.isArray(entries)) return undefined;
  try {
    return readManagers(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function managedFieldsOf(object: JsonMap | undefined): unknown {
  return (object?.metadata as JsonMap | undefined)?.managedFields;
}

export function withoutManagedFields(object: JsonMap): JsonMap {
  if (managedFieldsOf(object) === undefined) return object;
  const { managedFields: _managedFields, ...metadata } = object.metadata as JsonMap;
  return { ...object, metadata };
}

interface OwnUpdate extends Writer {
  readonly live: JsonMap;
  readonly after: JsonMap;
}

/** What an update touches belongs to who wrote it. */
export function ownUpdate(managers: Managers, update: OwnUpdate): Managers {
  const { manager, apiVersion, subresource, schema, convert, time } = update;
  const before = typed(withoutManagedFields(update.live), apiVersion, schema);
  const after: Typed = typed(withoutManagedFields(update.after), apiVersion, schema);
  const ignored = update.resource === undefined ? EMPTY_SET : ignoredFields(update.resource, subresource);
  const known = reconcileAll(managers, before, convert);
  const { managers: left, comparison } = shiftOwnership(known, '', { before, after, ignored, convert });
  const touched = recursiveDifference(union(comparison.modified, comparison.added), ignored);
  const owned = new Map(left);
  addFields(
    owned,
    { manager: manager === '' ? 'unknown' : manager, operation: 'Update', apiVersion, subresource },
    {
      fields: difference(touched, NEVER_OWNED),
      time,
    },
  );
  return capUpdaters(owned);
}

function addFields(
  managers: Map<string, Ownership>,
  name: ManagerName,
  { fields, time }: { readonly fields: FieldSet; readonly time: string },
): void {
  if (isEmptySet(fields)) return;
  const key = managerKey(name);
  const mine = managers.get(key);
  // Who scales is translated into an owner of the object that is scaled, and its time is lost on the way.
  const noted = name.subresource === 'scale' ? mine?.time : time;
  managers.set(key, { ...name, time: noted, fields: mine === undefined ? fields : union(fields, mine.fields) });
}
