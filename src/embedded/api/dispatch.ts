import { trackUpdate } from '../fields/index.ts';
import type { Patch, Target, WriteOptions, Written } from '../model/api.ts';
import type { JsonMap, StoredObject } from '../model/object.ts';
import type { Resource, Verb } from '../model/resource.ts';
import { asStored, type Core, requireLive } from './core.ts';
import { createObject, withEntries } from './create.ts';
import { decode } from './decode.ts';
import { patchObject } from './patch-object.ts';
import { methodNotAllowed, notServed } from './refusals.ts';
import { answerReview, isReview } from './reviews.ts';
import { bindPod } from './subresources/binding.ts';
import { evictPod } from './subresources/eviction.ts';
import { getScale, patchScale, updateScale } from './subresources/scale.ts';
import { requestToken } from './subresources/token.ts';
import { isKind } from './traits.ts';
import { updateObject } from './update.ts';
import { writerOf } from './writer.ts';

/** The kind that a request is about, when it is served and takes such requests. */
export function resourceFor(core: Core, target: Target, verb: Verb): Resource {
  const resource = core.kinds.require(target);
  const { subresource } = target;
  if (subresource === undefined) {
    if (resource.verbs.includes(verb)) return resource;
    throw methodNotAllowed();
  }
  if (resource.subresources.includes(subresource)) return resource;
  throw notServed();
}

export function getObject(core: Core, target: Target): StoredObject {
  const resource = resourceFor(core, target, 'get');
  switch (target.subresource) {
    case undefined:
    case 'status':
      return requireLive(core, resource, target);
    case 'scale':
      return getScale(core, resource, target);
    default:
      throw methodNotAllowed();
  }
}

export function postObject(core: Core, target: Target, body: JsonMap, options: WriteOptions): Written {
  const resource = resourceFor(core, target, 'create');
  switch (target.subresource) {
    case undefined:
      if (isReview(resource)) return made(reviewed(core, resource, body, options));
      if (!isKind(resource, '', 'bindings')) return createObject(core, target, body, options);
      bindPod(core, { ...target, name: undefined }, body, options);
      return made(SUCCESS);
    case 'binding':
      bindPod(core, target, body, options);
      return made(SUCCESS);
    case 'eviction':
      evictPod(core, target, body, options);
      return made(SUCCESS);
    case 'token':
      return made(requestToken(core, target, body));
    default:
      throw methodNotAllowed();
  }
}

export function putAt(core: Core, target: Target, body: JsonMap, options: WriteOptions): Written {
  resourceFor(core, target, 'update');
  switch (target.subresource) {
    case undefined:
    case 'status':
    case 'finalize':
      return updateObject(core, target, body, options);
    case 'scale':
      return updateScale(core, target, body, options);
    default:
      throw methodNotAllowed();
  }
}

export function patchAt(core: Core, target: Target, patch: Patch, options: WriteOptions): Written {
  resourceFor(core, target, 'patch');
  switch (target.subresource) {
    case undefined:
    case 'status':
      return patchObject(core, target, patch, options);
    case 'scale':
      return patchScale(core, target, patch, options);
    default:
      throw methodNotAllowed();
  }
}

/** Nobody keeps it, but it says who asked. */
function reviewed(core: Core, resource: Resource, body: JsonMap, options: WriteOptions): StoredObject {
  const { object } = decode(resource, body, options);
  const owners = trackUpdate({ ...writerOf(core, resource, { options }), before: undefined, after: object });
  return withEntries(answerReview(resource, object), owners);
}

/** What bindings and evictions are answered with. */
const SUCCESS: StoredObject = asStored({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
});

function made(object: StoredObject): Written {
  return { object, created: true, warnings: [] };
}
