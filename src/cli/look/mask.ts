import type { KubeObject } from '../../api/kube.ts';
import { isJsonObject, isRecord, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { stableJson } from '../../lib/stable-json.ts';

/** Stands for a value that is not shown. */
export const HIDDEN = '(hidden)';

const SECRET_NAME =
  /pass(?:word|wd|phrase)?$|secret|token|credential|private[-_]?key|api[-_]?key|access[-_]?key|signing[-_]?key/i;
/** Names that only say where a secret is, or how long it lasts. */
const MERE_REFERENCE = /(?:name|ref|names|refs|enabled|ttl|path|file|namespace)$|^existing|^create/i;
/** `scheme://user:password@host`. */
const SECRET_URL = /[a-z]:\/\/[^/@\s:]*:[^/@\s]+@/i;

/** Whether a value of that name is none to be shown, whoever wrote it. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !MERE_REFERENCE.test(name);
}

/**
 * Values without what is secret: what the Package does not say itself comes from a Secret, and names and addresses may
 * tell a secret too. What is hidden keeps its place.
 */
export function maskValues(values: JsonObject, said: JsonValue | undefined): JsonObject {
  const masked = Object.entries(values).map(([key, value]) => {
    const below = isJsonObject(said) ? said[key] : undefined;
    return [key, below === undefined || isSecretName(key) ? hide(value) : maskValue(value, below)] as const;
  });
  return Object.fromEntries(masked);
}

function maskValue(value: JsonValue, said: JsonValue): JsonValue {
  if (isJsonObject(value)) return maskValues(value, said);
  return maskByName(value);
}

/** Only by names: of values that anybody may read who reads the Package. */
function maskByName(value: JsonValue): JsonValue {
  if (typeof value === 'string') return SECRET_URL.test(value) ? HIDDEN : value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskByName(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isSecretName(key) ? hide(item) : maskByName(item)]),
  );
}

function hide(value: JsonValue): JsonValue {
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hide(item)]));
  // What is empty or only switches something tells nothing.
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return isEmpty ? value : HIDDEN;
}

/** A Secret with its keys alone; any other object as it is. */
export function maskSecret(object: KubeObject): KubeObject {
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1') return object;
  const fields = (['data', 'stringData'] as const).flatMap((field) => {
    const data = object[field];
    return isRecord(data) ? [[field, Object.fromEntries(Object.keys(data).map((key) => [key, HIDDEN]))] as const] : [];
  });
  const { annotations } = object.metadata;
  const applied = 'kubectl.kubernetes.io/last-applied-configuration';
  const hidden = annotations?.[applied] === undefined ? annotations : { ...annotations, [applied]: HIDDEN };
  const metadata = hidden === undefined ? object.metadata : { ...object.metadata, annotations: hidden };
  return { ...object, metadata, ...Object.fromEntries(fields) };
}

/** Two states of the same values without what is secret: where it differs, both sides say so. */
export function maskSides(
  before: JsonObject,
  after: JsonObject,
  said: JsonValue | undefined,
): { readonly before: JsonObject; readonly after: JsonObject } {
  const [left, right] = [maskValues(before, said), maskValues(after, said)];
  const marked = (side: 'before' | 'after'): JsonObject => {
    const [own, other, masked] = side === 'before' ? [before, after, left] : [after, before, right];
    return markDiffering({ own, other, masked }, `(hidden, ${side})`) as JsonObject;
  };
  return { before: marked('before'), after: marked('after') };
}

interface Sides {
  readonly own: JsonValue | undefined;
  readonly other: JsonValue | undefined;
  readonly masked: JsonValue;
}

function markDiffering({ own, other, masked }: Sides, mark: string): JsonValue {
  if (masked === HIDDEN) return own === HIDDEN || isSame(own, other) ? masked : mark;
  if (Array.isArray(masked)) {
    return masked.map((item: JsonValue, index) =>
      markDiffering({ own: itemOf(own, index), other: itemOf(other, index), masked: item }, mark),
    );
  }
  if (!isJsonObject(masked)) return masked;
  const below = (side: JsonValue | undefined, key: string): JsonValue | undefined =>
    isJsonObject(side) ? side[key] : undefined;
  return Object.fromEntries(
    Object.entries(masked).map(([key, item]) => [
      key,
      markDiffering({ own: below(own, key), other: below(other, key), masked: item }, mark),
    ]),
  );
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return stableJson(one ?? null) === stableJson(other ?? null);
}

function itemOf(side: JsonValue | undefined, index: number): JsonValue | undefined {
  return Array.isArray(side) ? (side as readonly JsonValue[])[index] : undefined;
}
