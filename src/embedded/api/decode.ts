import { asString, at, isRecord } from '../../lib/json.ts';
import { decode as decodeTyped } from '../kinds/decode.ts';
import { DecodeError } from '../kinds/decode-error.ts';
import { defaultBuiltIn } from '../kinds/index.ts';
import type { Target, WriteOptions } from '../model/api.ts';
import type { JsonMap } from '../model/object.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';
import type { Schema } from '../model/schema.ts';
import { applyDefaults, type ForbiddenNulls, pruneUnknown, unknownFields } from '../schema/index.ts';
import type { StatusError } from '../model/status-error.ts';
import { badRequest, invalid } from './refusals.ts';
import { withTemplateGeneration } from './rules/template-generation.ts';

export interface Decoded {
  readonly object: JsonMap;
  readonly warnings: readonly string[];
}

/** A body as an object of a kind: known fields only, with defaults. */
export function decode(resource: Resource, body: JsonMap, options: WriteOptions): Decoded {
  const typed = withType(resource, body, options);
  const { schema } = resource;
  if (schema === undefined) return { object: defaulted(resource, typed), warnings: [] };
  const pruned = pruneUnknown(typed, schema);
  const warnings = pruned === typed ? [] : judgeUnknown(resource, typed, options);
  const object = defaulted(resource, isRecord(pruned) ? pruned : typed);
  return { object: withEmptiedOwners(resource, object, body), warnings };
}

/** An empty list of managed fields means that nobody is to own anything, and is not the same as none. */
function withEmptiedOwners({ custom }: Resource, object: JsonMap, body: JsonMap): JsonMap {
  const { managedFields } = metadataOf(body);
  if (custom || !Array.isArray(managedFields) || managedFields.length > 0) return object;
  return { ...object, metadata: { ...metadataOf(object), managedFields } };
}

/** Built-in kinds may leave their type out, as the path says it. */
function withType(resource: Resource, body: JsonMap, options: WriteOptions): JsonMap {
  const expected = apiVersionOf(resource);
  const apiVersion = asString(body['apiVersion']) ?? '';
  const kind = asString(body['kind']) ?? '';
  if (resource.custom) {
    checkCustomType(resource, body, options);
    return body;
  }
  if ((kind !== '' && kind !== resource.kind) || (apiVersion !== '' && apiVersion !== expected)) {
    throw badRequest(mismatch(resource, apiVersion, kind));
  }
  return { ...body, apiVersion: expected, kind: resource.kind };
}

interface Given {
  readonly body: JsonMap;
  readonly options: WriteOptions;
}

const SUMMARY_LENGTH = 30;

/** Without the look at unknown fields, the API server has taken the type from the path already when it sees that none is given. */
function missing({ kind, version }: Resource, field: string, { body, options }: Given): StatusError {
  const text = JSON.stringify(body);
  const problem = `Object '${field}' is missing in '${text}'`;
  if (options.fieldValidation === 'Ignore') {
    return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${problem}`);
  }
  const summary = text.length > SUMMARY_LENGTH ? `${text.slice(0, SUMMARY_LENGTH)} ...` : text;
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${problem} (${summary})`);
}

function mismatch(resource: Resource, apiVersion: string, kind: string): string {
  const own = kind === '' ? resource.kind : kind;
  const version = apiVersion === '' ? apiVersionOf(resource) : apiVersion;
  const subject = `${own} in version ${JSON.stringify(shortVersion(version))} cannot be handled as a ${resource.kind}`;
  return `${subject}: ${noKind(own, version)}`;
}

/** With where the API server's own code says so. */
export function noKind(kind: string, apiVersion: string): string {
  const subject = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
  return `${subject} in scheme "pkg/runtime/scheme.go:111"`;
}

function shortVersion(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** Custom kinds must say what they are. */
function checkCustomType(resource: Resource, body: JsonMap, options: WriteOptions): void {
  const expected = apiVersionOf(resource);
  const { apiVersion = '', kind = '' } = body;
  if (kind === '') throw missing(resource, 'Kind', { body, options });
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
}

function judgeUnknown(resource: Resource, object: JsonMap, options: WriteOptions): readonly string[] {
  const { schema } = resource;
  const mode = options.fieldValidation ?? 'Warn';
  if (schema === undefined || mode === 'Ignore') return [];
  const unknown = unknownFields(object, schema).map((path) => `unknown field ${JSON.stringify(path)}`);
  if (unknown.length === 0 || mode === 'Warn') return unknown;
  // Metadata of the wrong type is told of first.
  if (resource.custom) withMetadata(resource, object);
  const problem = `strict decoding error: ${unknown.join(', ')}`;
  const { kind, version } = resource;
  throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${problem}`);
}

/** What server-side apply has merged has been read already. */
export function completeApplied(resource: Resource, object: JsonMap): JsonMap {
  return resource.custom ? defaulted(resource, object, 'stay') : decode(resource, object, IGNORING).object;
}

const IGNORING: WriteOptions = { fieldValidation: 'Ignore' };

function defaulted(resource: Resource, object: JsonMap, nulls: ForbiddenNulls = 'go'): JsonMap {
  if (!resource.custom) return withTemplateGeneration(resource, defaultBuiltIn(resource, object));
  if (resource.schema === undefined) return object;
  const value = applyDefaults(object, resource.schema, nulls);
  return withMetadata(resource, isRecord(value) ? value : object);
}

/** Metadata of custom objects, too, are read as a type of their own, which does not write what is empty. */
function withMetadata(resource: Resource, object: JsonMap): JsonMap {
  const schema = resource.schema?.properties?.get('metadata');
  const metadata = object['metadata'];
  if (schema === undefined || !isRecord(metadata)) return object;
  const { managedFields, ...rest } = metadata;
  const kept = Object.fromEntries(
    Object.entries(typedMetadata(resource, schema, rest)).filter(([, own]) => !isBare(own)),
  );
  return { ...object, metadata: managedFields === undefined ? kept : { ...kept, managedFields } };
}

function typedMetadata({ kind, version }: Resource, schema: Schema, metadata: JsonMap): object {
  try {
    return Object(decodeTyped(metadata, schema, { struct: 'ObjectMeta', path: '' })) as object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`);
  }
}

function isBare(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function metadataOf(object: JsonMap): JsonMap {
  const metadata = object['metadata'];
  return isRecord(metadata) ? metadata : {};
}

/** Name and namespace of the path go before those of the body, which may not contradict. */
export function checkPlace(resource: Resource, target: Target, object: JsonMap): void {
  checkNamespace(resource, target, object);
  checkName(target, object);
}

function checkNamespace(resource: Resource, target: Target, object: JsonMap): void {
  const namespace = asString(at(object, 'metadata', 'namespace')) ?? '';
  const expected = resource.namespaced ? (target.namespace ?? '') : '';
  if (namespace !== '' && namespace !== expected && resource.namespaced) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function checkName(target: Target, object: JsonMap): void {
  const name = asString(at(object, 'metadata', 'name')) ?? '';
  if (target.name !== undefined && name === '') {
    const why = 'was undeterminable: name must be provided';
    throw badRequest(`the name of the object (${target.name} based on URL) ${why}`);
  }
  if (target.name !== undefined && name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
  }
}

/** The metadata that every kind has must at least be of the right types. */
export function checkMetadata(resource: Resource, object: JsonMap): void {
  const metadata = object['metadata'];
  if (metadata === undefined || isRecord(metadata)) return;
  throw invalid(resource, '', [
    { reason: 'FieldValueTypeInvalid', message: 'Invalid value: must be an object', field: 'metadata' },
  ]);
}
