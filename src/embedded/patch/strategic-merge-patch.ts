import { isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import type { Schema } from '../model/schema.ts';
import { badRequest, failure } from './bad-patch.ts';
import { DELETE_FROM_PRIMITIVE_LIST, directiveOf, PATCH, RETAIN_KEYS, SET_ELEMENT_ORDER } from './directives.ts';
import { mergeLists } from './merge-lists.ts';
import { orderLists } from './element-order.ts';
import { goType, goValue } from './go-text.ts';
import { fieldOf, itemOf, type PatchSchema } from './patch-schema.ts';
import { withoutDirectives, withoutNulls } from './without.ts';

/** Lists whose items have a key merge by it; `$patch` and its kin say what cannot be said by merging. */
export function applyStrategicMergePatch(object: JsonMap, patch: unknown, schema: Schema | undefined): JsonMap {
  if (!isRecord(patch))
    throw badRequest(`json: cannot unmarshal ${goType(patch)} into Go value of type map[string]interface {}`);
  return mergeMaps(object, patch, schema);
}

function mergeMaps(target: JsonMap, patch: JsonMap, schema: PatchSchema): JsonMap {
  if (Object.hasOwn(patch, PATCH)) return replaced(patch);
  const kept = retainKeys(target, patch);
  const ordered = orderLists({ target: kept, patch: withoutKey(patch, RETAIN_KEYS), schema, mergeMaps });
  const merged = new Map(Object.entries(ordered.target));
  for (const [key, value] of Object.entries(ordered.patch)) mergeField(merged, { key, value, schema });
  return Object.fromEntries(merged);
}

function replaced(patch: JsonMap): JsonMap {
  const directive = patch[PATCH];
  if (directive === 'replace') return withoutKey(patch, PATCH);
  if (directive === 'delete') return {};
  throw failure(`unknown patch type: ${goValue(directive)} in map: ${goValue(patch)}`);
}

function withoutKey(map: JsonMap, key: string): JsonMap {
  const { [key]: _gone, ...rest } = map;
  return rest;
}

/** `$retainKeys` names all the keys that stay; a patch may not set others. */
function retainKeys(target: JsonMap, patch: JsonMap): JsonMap {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return target;
  const retained = patch[RETAIN_KEYS];
  if (!Array.isArray(retained)) throw badRequest('invalid patch format of retainKeys');
  const keys = new Set<unknown>(retained);
  const others = Object.entries(patch).filter(([key, value]) => isSet(key, value) && !keys.has(key));
  if (others.length > 0) throw badRequest('invalid patch format of retainKeys');
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.has(key)));
}

function isSet(key: string, value: unknown): boolean {
  const isDirective = [DELETE_FROM_PRIMITIVE_LIST, SET_ELEMENT_ORDER, RETAIN_KEYS].some((name) => key.startsWith(name));
  return value !== null && !isDirective;
}

interface Field {
  readonly key: string;
  readonly value: unknown;
  readonly schema: PatchSchema;
}

function mergeField(target: Map<string, unknown>, field: Field): void {
  const deletion = directiveOf(field.key, DELETE_FROM_PRIMITIVE_LIST, 'primitive list');
  const key = deletion ?? field.key;
  if (field.value === null) {
    target.delete(key);
    return;
  }
  const old = target.get(key);
  if (!target.has(key) || formOf(old) !== formOf(field.value)) {
    if (deletion === undefined) assign(target, key, withoutDirectives(withoutNulls(field.value)));
    return;
  }
  assign(target, key, mergeValues(old, { ...field, key }, deletion !== undefined));
}

/** Undefined: the value was nothing but a directive. */
function assign(target: Map<string, unknown>, key: string, value: unknown): void {
  if (value === undefined) target.delete(key);
  else target.set(key, value);
}

function mergeValues(old: unknown, { key, value, schema }: Field, isDeletion: boolean): unknown {
  if (Array.isArray(old) && Array.isArray(value)) {
    const { strategies, mergeKey, below } = itemOf(schema, key);
    if (!isDeletion && !strategies.includes('merge')) return value;
    return mergeLists({ target: old, patch: value, schema: below, mergeKey, isDeletion, mergeMaps });
  }
  if (isRecord(old) && isRecord(value)) {
    const { strategies, below } = fieldOf(schema, key);
    return strategies.includes('replace') ? value : mergeMaps(old, value, below);
  }
  return withoutDirectives(value);
}

function formOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}
