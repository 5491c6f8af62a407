import type { JsonMap, ManagedFieldsEntry, StoredObject } from '../model/object.ts';
import { StatusError } from '../model/status-error.ts';
import { conflictError } from './conflict.ts';
import { difference, EMPTY_SET, type FieldSet, isEmptySet, recursiveDifference } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { ignoredFields, NEVER_OWNED } from './ignored.ts';
import { allowedByLastApplied, syncLastApplied } from './last-applied.ts';
import {
  type ManagerName,
  type Managers,
  managerKey,
  type Ownership,
  printManagers,
  readManagers,
} from './managers.ts';
import { merge } from './merge.ts';
import { reconcileAll, shiftOwnership } from './ownership.ts';
import { prune } from './prune.ts';
import { sameJson } from '../model/same-json.ts';
import { objectText, typeText } from './object-text.ts';
import { managedFieldsOf, ownUpdate, problemsOfLive, withoutManagedFields, type Writer } from './update.ts';
import { problemsOf, problemsText } from './validate.ts';
import { type Typed, typed } from './versions.ts';
import { mapOf } from './walk.ts';
import { zeroObject } from './zero-object.ts';

export interface ServerSideApply extends Writer {
  /** Undefined: the request makes the object. In the version of the request. */
  readonly live: StoredObject | undefined;
  readonly config: JsonMap;
  /** Take over what others own. */
  readonly force: boolean;
}

export interface Applied {
  /** Without managed fields, and without the defaults of what the config adds. */
  readonly object: JsonMap;
  readonly managedFields: readonly ManagedFieldsEntry[];
}

/** The manager whose objects carry the annotation of client-side apply. */
const KUBECTL = 'kubectl';
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** Merges what a manager wants into an object, and takes out what it wanted before and does not want now. */
export function serverSideApply(request: ServerSideApply): Applied {
  const { live, config, apiVersion, schema, manager } = request;
  checkType(request);
  const managers = managersBefore(request);
  const part = checkedConfig(request);
  if (live !== undefined) checkLive(live, request, 'failed to create typed live object');
  const before = typed(withoutManagedFields(live ?? zeroObject(schema, request.resource)), apiVersion, schema);
  const known = reconcileAll(managers, before, request.convert);
  const outcome = applyTo({ before, managers: known, part }, request);
  const object = manager === KUBECTL ? syncLastApplied(outcome.object, config) : outcome.object;
  return { object, managedFields: printManagers(outcome.managers) };
}

function checkType({ config, apiVersion, resource }: ServerSideApply): void {
  const isWrongKind = resource !== undefined && config.kind !== resource.kind;
  if (config.apiVersion === apiVersion && !isWrongKind) return;
  throw new StatusError('BadRequest', `invalid object type: ${typeText(config)}`);
}

/** What an object without managed fields holds at its first apply belongs to nobody in particular. */
function managersBefore(request: ServerSideApply): Managers {
  const { live, schema, resource } = request;
  const managers = readStored(managedFieldsOf(live));
  if (managers.size > 0 || live === undefined) return managers;
  checkLive(live, request, 'failed to create manager for existing fields: failed to convert new object');
  const update = { ...request, manager: BEFORE_FIRST_APPLY, live: zeroObject(schema, resource), after: live };
  return ownUpdate(managers, update);
}

function checkLive(live: StoredObject, request: ServerSideApply, failure: string): void {
  const problems = problemsOfLive(live, request);
  if (problems.length === 0) return;
  const place = failure.startsWith('failed to create manager') ? `${objectText(live)} to smd typed` : objectText(live);
  throw new StatusError('', `${failure} ${place}: ${problemsText(problems)}`);
}

function readStored(entries: unknown): Managers {
  try {
    return readManagers(Array.isArray(entries) ? entries : []);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new StatusError('', `failed to decode managed fields: ${error.message}`);
  }
}

function checkedConfig({ config, apiVersion, schema }: ServerSideApply): Typed {
  const entries = managedFieldsOf(config);
  if (entries !== undefined && entries !== null) {
    throw new StatusError('BadRequest', 'metadata.managedFields must be nil');
  }
  const part = typed(config, apiVersion, schema);
  const problems = problemsOf(part.type, config);
  if (problems.length === 0) return part;
  throw new StatusError('', `failed to create typed patch object ${objectText(config)}: ${problemsText(problems)}`);
}

interface State {
  readonly before: Typed;
  readonly managers: Managers;
  readonly part: Typed;
}

interface Outcome {
  readonly object: JsonMap;
  readonly managers: Managers;
}

function applyTo({ before, managers, part }: State, request: ServerSideApply): Outcome {
  const { apiVersion, convert, subresource } = request;
  const name: ManagerName = { manager: request.manager, operation: 'Apply', apiVersion, subresource };
  const key = managerKey(name);
  const ignored = request.resource === undefined ? EMPTY_SET : ignoredFields(request.resource, subresource);
  const last = managers.get(key);
  const fields = recursiveDifference(fieldsOf(part.type, part.value), ignored);
  const claimed: Managers = new Map([...managers, [key, { ...name, time: last?.time, fields }]]);
  const merged: Typed = { ...before, value: mapOf(merge(before.type, before.value, part.value)) ?? {} };
  const after = prune({ merged, managers: claimed, last, convert });
  const shifted = shiftOwnership(claimed, key, { before, after, ignored, convert });
  if (!request.force) refuseConflicts(shifted.conflicts, before, request);
  const isSame = sameJson(before.value, after.value);
  return {
    object: isSame ? before.value : after.value,
    managers: settle(shifted.managers, key, isSame ? last?.time : request.time),
  };
}

/** Fields that client-side apply of kubectl owned are its own when it applies on the server. */
function refuseConflicts(
  conflicts: Parameters<typeof conflictError>[0],
  before: Typed,
  { manager }: ServerSideApply,
): void {
  const allowed = manager === KUBECTL ? allowedByLastApplied(before) : undefined;
  const left = allowed === undefined ? conflicts : conflicts.filter(({ path }) => !allowed(path));
  if (left.length > 0) throw conflictError(left);
}

function settle(managers: Managers, key: string, time: string | undefined): Managers {
  const mine = managers.get(key);
  if (mine === undefined) return managers;
  const settled = new Map<string, Ownership>(managers);
  const fields: FieldSet = difference(mine.fields, NEVER_OWNED);
  if (isEmptySet(fields)) settled.delete(key);
  else settled.set(key, { ...mine, fields, time });
  return settled;
}
