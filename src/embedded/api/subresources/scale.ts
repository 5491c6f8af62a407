import { asNumber, asString, at, isRecord } from '../../../lib/json.ts';
import type { Patch, Target, Written } from '../../model/api.ts';
import { trackScale } from '../../fields/index.ts';
import { invalidValue } from '../../model/causes.ts';
import { invalidObject } from '../../model/invalid.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import { StatusError } from '../../model/status-error.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from '../../patch/index.ts';
import { asStored, type Core, type PatchWrite, requireLive, type Write } from '../core.ts';
import { patchObject } from '../patch-object.ts';
import { badRequest } from '../refusals.ts';
import { replace } from '../update.ts';
import { writerOf } from '../writer.ts';
import { selectorText } from './selector-text.ts';

const BUILT_IN = { spec: '.spec.replicas', status: '.status.replicas' };

export function getScale(core: Core, resource: Resource, target: Target): StoredObject {
  const live = requireLive(core, resource, target);
  const { spec } = resource.scale ?? BUILT_IN;
  if (resource.custom && at(live, ...pathOf(spec)) === undefined) throw withoutReplicas(spec);
  return scaleOf(resource, live);
}

export function updateScale(core: Core, { target, body, options }: Write): Written {
  const resource = core.kinds.require(target);
  const live = requireLive(core, resource, target);
  const object = scaled(resource, live, body);
  const writer = writerOf(core, resource, { options, subresource: 'scale' });
  const replicas = pathOf((resource.scale ?? BUILT_IN).spec);
  const managedFields = trackScale({ ...writer, before: live, after: object }, replicas);
  const next = replace(core, resource, { target, live, object, options, managedFields, unconditional: true });
  return { object: scaleOf(resource, next), created: false, warnings: [] };
}

export function patchScale(core: Core, request: PatchWrite): Written {
  const { target, patch, options } = request;
  const resource = core.kinds.require(target);
  if (patch.type === 'apply') return applyScale(core, resource, request);
  const body = patched(scaleOf(resource, requireLive(core, resource, target)), patch);
  return updateScale(core, { target, body, options });
}

function patched(scale: StoredObject, { type, body }: Patch): JsonMap {
  if (type === 'json') return applyJsonPatch(scale, body);
  return type === 'merge' ? applyMergePatch(scale, body) : applyStrategicMergePatch(scale, body, undefined);
}

/** What is applied to a scale is the number of replicas of the object. */
function applyScale(core: Core, resource: Resource, { target, patch, options }: PatchWrite): Written {
  const replicas = at(patch.body, 'spec', 'replicas');
  const metadata = at(patch.body, 'metadata');
  const spec = withValue({}, pathOf((resource.scale ?? BUILT_IN).spec), replicas);
  const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, ...(isRecord(spec) ? spec : {}) };
  const written = patchObject(core, { target, patch: { ...patch, body }, options });
  return { ...written, object: scaleOf(resource, written.object) };
}

function scaleOf(resource: Resource, object: StoredObject): StoredObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = resource.scale ?? BUILT_IN;
  const replicas = asNumber(at(object, ...pathOf(paths.status))) ?? 0;
  const wanted = asNumber(at(object, ...pathOf(paths.spec))) ?? 0;
  const selector = resource.custom ? ownSelector(resource, object) : selectorText(at(object, 'spec', 'selector'));
  return asStored({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas, ...(selector === '' ? {} : { selector }) },
  });
}

function withoutReplicas(path: string): StatusError {
  const message = `the spec replicas field ${JSON.stringify(path)} does not exist`;
  return new StatusError('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

function ownSelector({ scale }: Resource, object: StoredObject): string {
  return scale?.selector === undefined ? '' : (asString(at(object, ...pathOf(scale.selector))) ?? '');
}

function scaled(resource: Resource, live: StoredObject, body: JsonMap): JsonMap {
  const { name } = live.metadata;
  const given = asString(at(body, 'metadata', 'name')) ?? '';
  if (given !== '' && given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  const replicas = at(body, 'spec', 'replicas') ?? 0;
  if (typeof replicas !== 'number' || replicas < 0) {
    const cause = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalidObject({ group: 'autoscaling', kind: 'Scale', name }, [cause]);
  }
  const resourceVersion = asString(at(body, 'metadata', 'resourceVersion')) ?? '';
  const object = withValue(live, pathOf((resource.scale ?? BUILT_IN).spec), replicas);
  const metadata = { ...live.metadata, resourceVersion };
  return { ...(isRecord(object) ? object : {}), metadata };
}

/** `.spec.replicas`, as CRDs write paths. */
function pathOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

function withValue(object: unknown, [head = '', ...rest]: readonly string[], value: unknown): unknown {
  const map = isRecord(object) ? object : {};
  return { ...map, [head]: rest.length === 0 ? value : withValue(map[head], rest, value) };
}
