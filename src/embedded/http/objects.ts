import { noKind } from '../api/decode.ts';
import { badRequest, methodNotAllowed } from '../api/refusals.ts';
import { isReturnedWhenDeleted } from '../api/traits.ts';
import type { Patch, PatchType, Target, Written } from '../model/api.ts';
import type { JsonMap, StoredObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { StatusError } from '../model/status-error.ts';
import { mediaType } from './accept.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { logAnswer } from './log-answer.ts';
import { deleteOptions, flagOf, listOptions, writeOptions } from './query.ts';
import { type Body, objectBody, parseBody, readBody, readBytes } from './request-body.ts';
import { requireShape, shapedList, shapedObject } from './shapes.ts';

export interface Place {
  readonly target: Target;
  readonly resource: Resource;
}

/** What typed clients of Go send. */
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** Undefined: the answer is a stream that has begun. */
export function objectAnswer(call: Call, place: Place): Promise<Answer> | Answer | undefined {
  const { target } = place;
  if (target.subresource !== 'log') requireShape(call);
  switch (call.method) {
    case 'GET':
      return readAnswer(call, place);
    case 'POST':
      if (isCollection(place) || target.subresource !== undefined) return createAnswer(call, place);
      break;
    case 'PUT':
      if (target.name !== undefined) return updateAnswer(call, place);
      break;
    case 'PATCH':
      if (target.name !== undefined) return patchAnswer(call, place);
      break;
    case 'DELETE':
      if (target.subresource === undefined) return deleteAnswer(call, place);
      break;
    default:
  }
  throw methodNotAllowed();
}

/** Of a namespaced kind, objects are made in a namespace. */
function isCollection({ target, resource }: Place): boolean {
  return target.name === undefined && (!resource.namespaced || target.namespace !== undefined);
}

function readAnswer(call: Call, { target, resource }: Place): Answer | undefined {
  const { api } = call.serving;
  if (target.subresource === 'log') return logAnswer(call, target);
  if (target.name !== undefined) return jsonAnswer(shapedObject(call, resource, api.get(target)));
  if (!resource.verbs.includes('list')) throw methodNotAllowed();
  return jsonAnswer(shapedList(call, resource, api.list(target, listOptions(call))));
}

async function createAnswer(call: Call, place: Place): Promise<Answer> {
  const options = writeOptions(call, 'CreateOptions');
  const body = await bodyOf(call, place.resource);
  return writtenAnswer(call, place, {
    body,
    written: call.serving.api.create(place.target, objectBody(body), options),
  });
}

async function updateAnswer(call: Call, place: Place): Promise<Answer> {
  const options = writeOptions(call, 'UpdateOptions');
  const body = await bodyOf(call, place.resource);
  return writtenAnswer(call, place, {
    body,
    written: call.serving.api.update(place.target, objectBody(body), options),
  });
}

async function patchAnswer(call: Call, place: Place): Promise<Answer> {
  const type = PATCH_TYPES[mediaType(call.request.headers['content-type'] ?? '').name];
  if (type === undefined) throw new StatusError('UnsupportedMediaType', '415: Unsupported Media Type', {});
  const isApply = type === 'apply';
  const options = writeOptions(call, 'PatchOptions', isApply);
  const body = parseBody(await readBody(call.request), {
    isYaml: isApply,
    validation: call.query.get('fieldValidation'),
  });
  const patch: Patch = { type, body: body.value, force: flagOf(call.query, 'force') };
  return writtenAnswer(call, place, { body, written: call.serving.api.patch(place.target, patch, options) });
}

interface Outcome {
  readonly body: Body;
  readonly written: Written;
}

function writtenAnswer(call: Call, { resource }: Place, { body, written }: Outcome): Answer {
  const { object, created, warnings } = written;
  const answer = jsonAnswer(shapedObject(call, resource, object), created ? 201 : 200);
  return { ...answer, warnings: [...body.warnings, ...warnings] };
}

async function bodyOf(call: Call, resource: Resource): Promise<Body> {
  const { name } = mediaType(call.request.headers['content-type'] ?? 'application/json');
  if (name === PROTOBUF) return { value: call.serving.decodeProtobuf(await readBytes(call.request)), warnings: [] };
  const isYaml = name === 'application/yaml';
  if (!isYaml && name !== 'application/json' && name !== '') {
    throw unsupportedMedia(['application/json', 'application/yaml', PROTOBUF]);
  }
  const { kind, version } = resource;
  const subject = `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: `;
  return parseBody(await readBody(call.request), { isYaml, validation: call.query.get('fieldValidation'), subject });
}

function unsupportedMedia(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError('UnsupportedMediaType', message);
}

async function deleteBody({ request, serving }: Call): Promise<JsonMap | undefined> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  if (mediaType(request.headers['content-type'] ?? '').name === PROTOBUF) return serving.decodeProtobuf(bytes);
  return objectBody(parseBody(bytes.toString(), { isYaml: true, validation: 'Ignore' }));
}

function checkDeleteBody({ kind = 'DeleteOptions', apiVersion = 'v1' }: JsonMap = {}): void {
  if (kind !== 'DeleteOptions') throw badRequest(noKind(String(kind), String(apiVersion)));
}

async function deleteAnswer(call: Call, { target, resource }: Place): Promise<Answer> {
  const body = await deleteBody(call);
  checkDeleteBody(body);
  const options = deleteOptions(call, body);
  const { api } = call.serving;
  if (target.name !== undefined) {
    const object = api.delete(target, options);
    const isObject = isReturnedWhenDeleted(resource) || isHeld(object);
    return jsonAnswer(isObject ? shapedObject(call, resource, object) : deletedStatus(resource, object));
  }
  const { resourceVersion: _resourceVersion, resourceVersionMatch: _match, ...selection } = listOptions(call);
  return jsonAnswer(shapedList(call, resource, api.deleteCollection(target, { ...selection, ...options })));
}

/** It waits for its end, as finalizers say. */
function isHeld({ metadata }: StoredObject): boolean {
  return (metadata.finalizers ?? []).length > 0;
}

function deletedStatus({ group, plural }: Resource, { metadata }: StoredObject): JsonMap {
  const details = { name: metadata.name, ...(group === '' ? {} : { group }), kind: plural, uid: metadata.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
