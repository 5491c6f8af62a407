import { asArray, asString, at, isRecord } from '../../../lib/json.ts';
import { stableJson } from '../../../lib/stable-json.ts';

/** What tells the items of a list apart; `set`: their whole value. */
export type ListKeys = readonly string[] | 'set';

/**
 * Lists whose items have names, by the field that holds them: `x-kubernetes-list-map-keys` in the OpenAPI document of
 * Kubernetes 1.36 (a test compares them). Where a field has several, the first that all items have counts.
 */
export const LIST_MAP_KEYS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  claims: [['name']],
  conditions: [['type']],
  containers: [['name']],
  env: [['name']],
  ephemeralContainers: [['name']],
  hostAliases: [['ip']],
  imagePullSecrets: [['name']],
  initContainers: [['name']],
  matchConditions: [['name']],
  ownerReferences: [['uid']],
  ports: [
    ['containerPort', 'protocol'],
    ['port', 'protocol'],
  ],
  resourceClaims: [['name']],
  schedulingGates: [['name']],
  secrets: [['name']],
  topologySpreadConstraints: [['topologyKey', 'whenUnsatisfiable']],
  variables: [['name']],
  volumeDevices: [['devicePath']],
  volumeMounts: [['mountPath']],
  volumes: [['name']],
  webhooks: [['name']],
};

/** Lists in no order whose items have no names. Kubernetes calls tolerations atomic; their order has no meaning. */
const SETS: readonly string[] = ['finalizers', 'tolerations'];
/** Lists whose items have names and whose order counts nevertheless: one after the other, or `$(NAME)` of earlier ones. */
const IN_ORDER: readonly string[] = ['initContainers', 'env'];
/** Of an id, where the API server fills it in. */
const DEFAULTS: Readonly<Record<string, string>> = { protocol: 'TCP' };

export interface ListPlace {
  readonly field: string;
  /** Of the list, by the CRD that defines it. */
  readonly schema: unknown;
  /** No kind of Kubernetes' own: without a schema, that a field has a known name says nothing about its order. */
  readonly custom: boolean;
}

export interface ListMatch {
  readonly keys: ListKeys;
  readonly before: ReadonlyMap<string, unknown>;
  readonly after: ReadonlyMap<string, unknown>;
}

/** The items of two lists by what tells them apart; undefined: only their position does. */
export function matchItems(
  before: readonly unknown[],
  after: readonly unknown[],
  place: ListPlace,
): ListMatch | undefined {
  const declared = declaredKeys(place.schema);
  for (const keys of declared ?? knownKeys(place.field)) {
    const [left, right] = [byId(before, keys), byId(after, keys)];
    if (left === undefined || right === undefined) continue;
    const isOrdered = declared === undefined && (place.custom || IN_ORDER.includes(place.field));
    return isOrdered && isReordered(left, right) ? undefined : { keys, before: left, after: right };
  }
  return undefined;
}

/** What names an item, as a path has it; the value itself in a set. */
export function itemId(item: unknown, keys: ListKeys): unknown {
  if (keys === 'set') return item;
  return Object.fromEntries(keys.map((key) => [key, at(item, key) ?? DEFAULTS[key]]));
}

/** Undefined: the schema says nothing of the list. An atomic list has no keys. */
function declaredKeys(schema: unknown): readonly ListKeys[] | undefined {
  const type = asString(at(schema, 'x-kubernetes-list-type'));
  if (type === undefined) return undefined;
  if (type === 'set') return ['set'];
  if (type !== 'map') return [];
  return [asArray(at(schema, 'x-kubernetes-list-map-keys')).filter((key) => typeof key === 'string')];
}

function knownKeys(field: string): readonly ListKeys[] {
  if (SETS.includes(field)) return ['set'];
  return Object.hasOwn(LIST_MAP_KEYS, field) ? (LIST_MAP_KEYS[field] ?? []) : [];
}

/** Undefined when an item has no id, or two have the same. */
function byId(items: readonly unknown[], keys: ListKeys): ReadonlyMap<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  for (const item of items) {
    if (!hasId(item, keys)) return undefined;
    found.set(stableJson(itemId(item, keys)), item);
  }
  return found.size === items.length ? found : undefined;
}

function hasId(item: unknown, keys: ListKeys): boolean {
  if (keys === 'set') return true;
  return isRecord(item) && keys.every((key) => ['string', 'number'].includes(typeof (item[key] ?? DEFAULTS[key])));
}

function isReordered(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): boolean {
  const kept = [...before.keys()].filter((id) => after.has(id));
  const now = [...after.keys()].filter((id) => before.has(id));
  return kept.some((id, index) => now[index] !== id);
}
