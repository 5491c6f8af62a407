import { type Allotment, keepBuiltIn, prepareBuiltIn } from '../../kinds/index.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { asStored, type Core } from '../core.ts';
import type { StoredChange } from '../store.ts';
import { groupPlural } from '../traits.ts';
import { CRD_RULES, instanceRemoved } from './definitions.ts';
import { childOf, type KindRules } from './kind-rules.ts';
import { POD_RULES } from './pods.ts';
import { SERVICE_RULES } from './services.ts';
import { CLAIM_RULES, VOLUME_RULES } from './volumes.ts';

const RULES: Readonly<Record<string, KindRules>> = {
  '/pods': POD_RULES,
  '/services': SERVICE_RULES,
  '/persistentvolumeclaims': CLAIM_RULES,
  '/persistentvolumes': VOLUME_RULES,
  'apiextensions.k8s.io/customresourcedefinitions': CRD_RULES,
};

/** Kinds whose status is written with the rest of the object when it is made. */
const STATUS_ON_CREATE: ReadonlySet<string> = new Set(['/nodes']);

/** What the API server knows beside what is stored, of objects that another one stored. */
export function takeOver(core: Core): void {
  for (const key of Object.keys(RULES)) for (const object of core.store.all(key)) RULES[key]?.known?.(core, object);
}

/** As `takeOver`, of one change that was made there. */
export function repeated(core: Core, { type, kind, object }: StoredChange): void {
  if (type === 'DELETED') RULES[kind]?.forgotten?.(core, object);
  else RULES[kind]?.known?.(core, object);
}

export function goOn(core: Core): void {
  for (const key of Object.keys(RULES)) for (const object of core.store.all(key)) RULES[key]?.goOn?.(core, object);
}

/** The taint of a new node is for a controller to take away again that is not simulated. */
const LEFT_ALONE: ReadonlySet<string> = new Set(['/nodes']);

export function dropsStatus(resource: Resource): boolean {
  return resource.subresources.includes('status') && !STATUS_ON_CREATE.has(groupPlural(resource));
}

/** What the API server fills in when an object of some kind is made. */
export function prepareCreate(core: Core, resource: Resource, object: JsonMap): JsonMap {
  const own = RULES[groupPlural(resource)]?.create?.(core, object) ?? object;
  if (resource.custom || LEFT_ALONE.has(groupPlural(resource))) return own;
  const { uid, creationTimestamp } = childOf(object, 'metadata');
  return prepareBuiltIn(resource, own, allotmentOf(core, { uid: String(uid), time: String(creationTimestamp) }));
}

/** What it keeps, or goes on filling in, when one is changed. */
export function prepareUpdate(core: Core, resource: Resource, change: Change): StoredObject {
  const own = RULES[groupPlural(resource)]?.update?.(core, change) ?? change.object;
  if (resource.custom) return own;
  const { live } = change;
  const allotment = allotmentOf(core, { uid: live.metadata.uid, time: live.metadata.creationTimestamp });
  return asStored(keepBuiltIn(resource, own, { old: live, allotment }));
}

/** Addresses and ports that are free; they are claimed when the Service is stored. */
function allotmentOf({ addresses }: Core, { uid, time }: { readonly uid: string; readonly time: string }): Allotment {
  const ports: number[] = [];
  return {
    uid,
    time,
    clusterIp: () => addresses.freeIp(),
    nodePort: () => {
      const port = addresses.freePort(ports);
      ports.push(port);
      return port;
    },
  };
}

export interface Change {
  readonly object: StoredObject;
  readonly live: StoredObject;
}

/** What follows from a write at once: custom kinds are served as soon as they are defined. */
export function afterWrite(
  core: Core,
  resource: Resource,
  { before, object }: { readonly before: StoredObject | undefined; readonly object: StoredObject },
): void {
  RULES[groupPlural(resource)]?.written?.(core, object, before);
}

export function afterRemoval(core: Core, resource: Resource, object: StoredObject): void {
  RULES[groupPlural(resource)]?.removed?.(core, object);
  if (resource.custom) instanceRemoved(core, resource);
}
