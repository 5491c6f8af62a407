import type { KubeObject } from '../../api/kube.ts';
import { isSecret } from '../../domain/plan/diff/clean.ts';
import { HIDDEN, HIDDEN_SIDES, hideInObject, hideTexts } from '../../domain/plan/diff/mask.ts';
import { asString, isJsonObject, isRecord, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { stableJson } from '../../lib/stable-json.ts';

const SECRET_NAME =
  /pass(?:word|wd|phrase)?$|secret|token|credential|private[-_]?key|api[-_]?key|access[-_]?key|signing[-_]?key/i;
/** Names that only say where a secret is, or how long it lasts. */
const MERE_REFERENCE = /(?:name|ref|names|refs|enabled|ttl|path|file|namespace)$|^existing|^create/i;
/** `scheme://user:password@host`. */
const SECRET_URL = /([a-z]:\/\/)[^/@\s:]*:[^/@\s]+@/gi;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether a value of that name is none to be shown, whoever wrote it. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !MERE_REFERENCE.test(name);
}

/** Whether the Package says that very value: any other one may come from a Secret. */
export function isSaid(value: JsonValue, said: JsonValue | undefined): boolean {
  return said !== undefined && stableJson(value) === stableJson(said);
}

/**
 * Values without what is secret: what the Package does not say itself may come from a Secret, and names and addresses
 * may tell a secret too. What is hidden keeps its place.
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
  return isSaid(value, said) ? maskByName(value) : hide(value);
}

/** Only by names: of values that anybody may read who reads the Package. */
function maskByName(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.search(SECRET_URL) < 0 ? value : HIDDEN;
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

/** An object without what is secret: neither what Secrets hold, wherever it stands, nor what names and addresses tell. */
export function maskObject(object: KubeObject, secretValues: readonly string[]): KubeObject {
  const { annotations } = object.metadata;
  const hidden = annotations?.[LAST_APPLIED] === undefined ? annotations : { ...annotations, [LAST_APPLIED]: HIDDEN };
  const metadata = hidden === undefined ? object.metadata : { ...object.metadata, annotations: hidden };
  // Masking texts keeps the shape.
  return maskTexts(hideInObject(maskData({ ...object, metadata }), secretValues)) as KubeObject;
}

/** A Secret with its keys alone. */
function maskData(object: KubeObject): KubeObject {
  if (!isSecret(object)) return object;
  const fields = (['data', 'stringData'] as const).flatMap((field) => {
    const data = object[field];
    return isRecord(data) ? [[field, Object.fromEntries(Object.keys(data).map((key) => [key, HIDDEN]))] as const] : [];
  });
  return { ...object, ...Object.fromEntries(fields) };
}

/** Texts alone: a schema, a volume or a switch may have such a name too. */
function maskTexts(value: unknown): unknown {
  if (typeof value === 'string') return maskAddresses(value);
  if (Array.isArray(value)) return value.map(maskTexts);
  if (!isRecord(value)) return value;
  const isVariable = isSecretName(asString(value['name']) ?? '');
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isNamed = isSecretName(key) || (isVariable && key === 'value');
      return [key, isNamed && typeof item === 'string' && item !== '' ? HIDDEN : maskTexts(item)];
    }),
  );
}

/** A text for people without what Secrets hold, and without the passwords of addresses. */
export function maskText(text: string, secretValues: readonly string[]): string {
  return maskAddresses(hideTexts(text, secretValues));
}

function maskAddresses(text: string): string {
  return text.replaceAll(SECRET_URL, `$1${HIDDEN}@`);
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
    return markDiffering({ own, other, masked }, HIDDEN_SIDES[side]) as JsonObject;
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
