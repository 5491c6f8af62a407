import type { JsonMap } from '../model/object.ts';
import type { ResourceName } from '../model/api.ts';
import type { Resource } from '../model/resource.ts';
import { type StatusCause, StatusError } from '../model/status-error.ts';
import { decode } from './decode.ts';
import { DecodeError } from './decode-error.ts';
import { loadResources } from './load.ts';
import { validateObject } from './validate/index.ts';

export { convertBuiltIn } from './convert.ts';
export { tableColumns, tableRow } from './table/index.ts';
export { type Allotment, keepBuiltIn, prepareBuiltIn } from './prepare.ts';

/** All built-in kinds in each of their versions. Builds the graph of schemas anew: call it once and keep the answer. */
export function builtInResources(): readonly Resource[] {
  return loadResources();
}

/**
 * What the API server makes of a request's body before it looks at it: unknown fields, nulls and what is empty go, what
 * Go always writes and its defaults come. Throws a StatusError('BadRequest') where a value has the wrong type.
 */
export function defaultBuiltIn(resource: Resource, object: JsonMap): JsonMap {
  const { schema, kind, version } = resource;
  if (schema === undefined) return object;
  try {
    return decode(object, schema, { struct: kind, path: '' }) as JsonMap;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const subject = `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}`;
    throw new StatusError('BadRequest', `${subject}: ${error.message}`);
  }
}

/** What is wrong with a defaulted object; `old` is what it replaces. `invalidObject` of model/invalid.ts makes the answer. */
export function validateBuiltIn(resource: Resource, object: JsonMap, old: JsonMap | undefined): readonly StatusCause[] {
  return validateObject(resource, object, old);
}

/**
 * Where and in which version the objects of a kind are stored: kinds that are the same under several names share it
 * (autoscaling v1 and v2; events of the core group and of events.k8s.io).
 */
export function storedAs({ group, version, plural }: Resource): ResourceName {
  if (group === 'autoscaling') return { group, version: 'v2', plural };
  return group === 'events.k8s.io' ? { group: '', version: 'v1', plural } : { group, version, plural };
}
