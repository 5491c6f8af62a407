import { trackUpdate } from '../fields/index.ts';
import type { Target, Written } from '../model/api.ts';
import type { StoredObject } from '../model/object.ts';
import type { Resource, SubresourceName, Verb } from '../model/resource.ts';
import { asStored, type Core, type PatchWrite, requireLive, type Write } from './core.ts';
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

/** A part of an object; `object` is the object itself. */
type Part = SubresourceName | 'object';

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

type Handlers<T> = Readonly<Partial<Record<Part, T>>>;

function handlerFor<T>(
  handlers: Handlers<T>,
  { subresource = 'object' as const }: { readonly subresource?: Part | undefined },
): T {
  const found = handlers[subresource];
  if (found === undefined) throw methodNotAllowed();
  return found;
}

const GET: Handlers<(core: Core, resource: Resource, target: Target) => StoredObject> = {
  object: requireLive,
  status: requireLive,
  scale: getScale,
};

const POST: Handlers<(core: Core, write: Write) => Written> = {
  object: postObject,
  binding: (core, write) => {
    bindPod(core, write);
    return made(SUCCESS);
  },
  eviction: (core, write) => {
    evictPod(core, write);
    return made(SUCCESS);
  },
  token: (core, write) => made(requestToken(core, write.target, write.body)),
};

const PUT: Handlers<(core: Core, write: Write) => Written> = {
  object: updateObject,
  status: updateObject,
  finalize: updateObject,
  scale: updateScale,
};

const PATCH: Handlers<(core: Core, write: PatchWrite) => Written> = {
  object: patchObject,
  status: patchObject,
  scale: patchScale,
};

export function getAt(core: Core, target: Target): StoredObject {
  const resource = resourceFor(core, target, 'get');
  return handlerFor(GET, target)(core, resource, target);
}

export function postAt(core: Core, write: Write): Written {
  resourceFor(core, write.target, 'create');
  return handlerFor(POST, write.target)(core, write);
}

export function putAt(core: Core, write: Write): Written {
  resourceFor(core, write.target, 'update');
  return handlerFor(PUT, write.target)(core, write);
}

export function patchAt(core: Core, write: PatchWrite): Written {
  resourceFor(core, write.target, 'patch');
  return handlerFor(PATCH, write.target)(core, write);
}

function postObject(core: Core, write: Write): Written {
  const resource = core.kinds.require(write.target);
  if (isReview(resource)) return made(reviewed(core, resource, write));
  if (!isKind(resource, '', 'bindings')) return createObject(core, write);
  bindPod(core, { ...write, target: { ...write.target, name: undefined } });
  return made(SUCCESS);
}

/** Nobody keeps it, but it says who asked. */
function reviewed(core: Core, resource: Resource, { body, options }: Write): StoredObject {
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
