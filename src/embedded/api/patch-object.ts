import { asString, isRecord } from '../../lib/json.ts';
import { objectText, serverSideApply, typeText } from '../fields/index.ts';
import type { Patch, Target, WriteOptions, Written } from '../model/api.ts';
import { invalidValue } from '../model/causes.ts';
import type { JsonMap, StoredObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { StatusError } from '../model/status-error.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from '../patch/index.ts';
import { type Core, findLive, type PatchWrite, requireLive } from './core.ts';
import { insert, withoutNewStatus } from './create.ts';
import { checkPlace, completeApplied, type Decoded, decode, metadataOf } from './decode.ts';
import { badRequest, conflict, invalid, notFound } from './refusals.ts';
import { replace } from './update.ts';
import { writerOf } from './writer.ts';

export function patchObject(core: Core, request: PatchWrite): Written {
  const { target, patch, options } = request;
  const resource = core.kinds.require(target);
  if (patch.type === 'apply') return applyObject(core, resource, request);
  if (patch.type === 'strategic' && resource.custom) throw notForCustomKinds();
  const live = requireLive(core, resource, target);
  const patched = patchedBy(resource, live, patch);
  const { object, warnings } = decodePatched(resource, patched, options);
  checkPlace(resource, target, object);
  return {
    object: replace(core, resource, { target, live, object, options }),
    created: false,
    warnings,
  };
}

/** What a patch leaves must be an object of the kind; where it is not, the patch is what is wrong. */
function decodePatched(resource: Resource, patched: JsonMap, options: WriteOptions): Decoded {
  try {
    return decode(resource, patched, options);
  } catch (error) {
    if (!isBadRequest(error)) throw error;
    throw invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(patched), whyNot(error))]);
  }
}

function patchedBy(resource: Resource, live: StoredObject, patch: Patch): JsonMap {
  const patched = applyPatch(resource, live, patch);
  if (!isRecord(patched)) throw badRequest('the patch does not leave an object');
  return patched;
}

function applyPatch(resource: Resource, live: StoredObject, { type, body }: Patch): unknown {
  switch (type) {
    case 'json':
      return applyJsonPatch(live, body);
    case 'merge':
      return applyMergePatch(live, body);
    case 'strategic':
    case 'apply':
      return applyStrategicMergePatch(live, body, resource.schema);
  }
}

/** What merges by keys only Go types tell. */
function notForCustomKinds(): StatusError {
  const accepted = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return new StatusError('UnsupportedMediaType', message);
}

function applyObject(core: Core, resource: Resource, { target, patch, options }: PatchWrite): Written {
  const config = configOf(patch.body);
  const live = findLive(core, resource, target);
  if (live === undefined) checkNew(resource, target, config);
  const applied = serverSideApply({
    ...writerOf(core, resource, { options, subresource: target.subresource }),
    live,
    config,
    force: patch.force ?? false,
  });
  checkPlace(resource, target, applied.object);
  const complete = decodeApplied(resource, { applied: applied.object, config, isNew: live === undefined });
  const { managedFields } = applied;
  const unseen = unseenIn(core, resource, applied.object);
  if (live === undefined) {
    const object = insert(core, resource, { target, object: complete, options, managedFields, unseen });
    return { object, created: true, warnings: [] };
  }
  const replacement = { target, live, object: complete, options, managedFields, unseen, unconditional: true };
  const next = replace(core, resource, replacement);
  return { object: next, created: false, warnings: [] };
}

/**
 * What is applied to custom kinds in the version in which they are stored is stored as it is; all else goes through a Go
 * type, which leaves out what is empty.
 */
function unseenIn(core: Core, resource: Resource, object: JsonMap): string {
  const isStoredSo = resource.custom && core.kinds.storageOf(resource).resource.version === resource.version;
  if (!isStoredSo) return '';
  const metadata = metadataOf(object);
  const isEmpty = (name: string): boolean => Object.keys(Object(metadata[name] ?? [0]) as object).length === 0;
  return ['annotations', 'finalizers', 'labels', 'ownerReferences'].filter(isEmpty).join(' ');
}

interface AppliedObject {
  readonly applied: JsonMap;
  readonly config: JsonMap;
  readonly isNew: boolean;
}

/** What cannot become an object of the kind is told of as a conversion that failed. */
function decodeApplied(resource: Resource, { applied, config, isNew }: AppliedObject): JsonMap {
  try {
    const complete = completeApplied(resource, applied);
    const rest = isNew ? withoutNewStatus(resource, applied) : applied;
    return rest === applied ? complete : completeApplied(resource, rest);
  } catch (error) {
    if (resource.custom || !isBadRequest(error)) throw error;
    const why = whyNot(error).replace(/^(?=illegal base64)/, 'error decoding from json: ');
    const subject = `failed to convert new object ${objectText(config)} to proper version`;
    throw new StatusError('', `${subject}: unable to convert unstructured object to ${typeText(config)}: ${why}`);
  }
}

function isBadRequest(error: unknown): error is StatusError {
  return error instanceof StatusError && error.reason === 'BadRequest';
}

function whyNot({ message }: StatusError): string {
  return message.replace(/^.* cannot be handled as a \w+: /, '');
}

/** What is not there cannot have a subresource, nor a uid already. */
function checkNew(resource: Resource, { name = '', subresource }: Target, config: JsonMap): void {
  if (subresource !== undefined) throw notFound(resource, name);
  const uid = asString(metadataOf(config)['uid']) ?? '';
  if (uid === '') return;
  throw conflict(
    resource,
    name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
}

function configOf(body: unknown): JsonMap {
  if (isRecord(body)) return body;
  const type = Array.isArray(body) ? 'array' : typeof body;
  const problem = `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
}
