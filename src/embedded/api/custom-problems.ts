import { asString, isRecord } from '../../lib/json.ts';
import { invalidValue } from '../model/causes.ts';
import type { StoredObject } from '../model/object.ts';
import { apiVersionOf, type Resource, type SubresourceName } from '../model/resource.ts';
import type { StatusCause } from '../model/status-error.ts';
import { goValue, reflectType } from '../patch/go-text.ts';
import { validateValue } from '../schema/index.ts';
import { metadataProblems } from '../schema/object-meta-problems.ts';

interface Writing {
  /** What the object replaces. */
  readonly old?: StoredObject | undefined;
  readonly subresource?: SubresourceName | undefined;
}

/** What is wrong with an object of a custom kind. */
export function customProblems(
  resource: Resource,
  object: StoredObject,
  { old, subresource }: Writing,
): readonly StatusCause[] {
  const type = typeProblems(resource, object);
  const { schema } = resource;
  if (type.length > 0) return old === undefined ? type : [...metadataProblems(object, old), ...type];
  const content =
    schema === undefined
      ? metadataProblems(object, old)
      : validateValue(object, schema, old === undefined ? {} : { old });
  const worded = subresource === 'status' ? content.map(ofStatusAlone) : content;
  return [...worded, ...scaleProblems(resource, object, subresource)];
}

/** A status that is written by itself is called by what it is below: its place is told before that. */
function ofStatusAlone({ field = '', message, ...cause }: StatusCause): StatusCause {
  const isOfStatus = field === 'status' || /^status[.[]/.test(field);
  return { ...cause, field, message: isOfStatus ? message.replace(/\bstatus\.?(?=[^ ]* in body )/, '') : message };
}

function typeProblems(resource: Resource, { kind, apiVersion }: StoredObject): readonly StatusCause[] {
  const expected = apiVersionOf(resource);
  return [
    ...(kind === resource.kind ? [] : [invalidValue('kind', kind, `must be ${resource.kind}`)]),
    ...(apiVersion === expected ? [] : [invalidValue('apiVersion', apiVersion, `must be ${expected}`)]),
  ];
}

const MOST = 2_147_483_647;

/** What has a scale has numbers that fit into one, whatever its schema says. */
function scaleProblems(
  { scale }: Resource,
  object: StoredObject,
  subresource: SubresourceName | undefined,
): readonly StatusCause[] {
  if (scale === undefined) return [];
  return [
    ...(subresource === 'status' ? [] : numberProblems(object, scale.spec)),
    ...numberProblems(object, scale.status),
    ...(scale.selector === undefined ? [] : selectorProblems(object, scale.selector)),
  ];
}

function numberProblems(object: StoredObject, path: string): readonly StatusCause[] {
  const { value, problem } = read(object, path);
  if (problem !== undefined) return [invalidValue(path, 0, problem)];
  if (value === undefined) return [];
  if (!Number.isInteger(value)) return [invalidValue(path, 0, accessError(path, value, 'int64'))];
  const count = Number(value);
  if (count < 0) return [invalidValue(path, count, 'should be a non-negative integer')];
  return count > MOST ? [invalidValue(path, count, `should be less than or equal to ${String(MOST)}`)] : [];
}

function selectorProblems(object: StoredObject, path: string): readonly StatusCause[] {
  const { value, problem } = read(object, path);
  if (problem !== undefined) return [invalidValue(path, '', problem)];
  if (value === undefined || asString(value) !== undefined) return [];
  return [invalidValue(path, '', accessError(path, value, 'string'))];
}

interface Found {
  readonly value?: unknown;
  readonly problem?: string;
}

/** Each step of the way has to be a map, or not to be there. */
function read(object: StoredObject, path: string): Found {
  const names = path.replace(/^\./, '').split('.');
  let value: unknown = object;
  for (const [index, name] of names.entries()) {
    if (value === null || value === undefined) return {};
    if (!isRecord(value)) {
      return { problem: accessError(`.${names.slice(0, index + 1).join('.')}`, value, 'map[string]interface{}') };
    }
    if (!(name in value)) return {};
    value = value[name];
  }
  return { value };
}

function accessError(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${goValue(value)} is of the type ${reflectType(value)}, expected ${expected}`;
}
