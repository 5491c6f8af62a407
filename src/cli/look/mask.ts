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
export function maskValues(values: JsonObject, said: JsonValue | undefined, mark = HIDDEN): JsonObject {
  const masked = Object.entries(values).map(([key, value]) => {
    const below = isJsonObject(said) ? said[key] : undefined;
    return [key, below === undefined || isSecretName(key) ? hide(value, mark) : maskValue(value, below, mark)] as const;
  });
  return Object.fromEntries(masked);
}

function maskValue(value: JsonValue, said: JsonValue, mark: string): JsonValue {
  if (isJsonObject(value)) return maskValues(value, said, mark);
  return isSaid(value, said) ? maskByName(value, mark) : hide(value, mark);
}

/** Only by names: of values that anybody may read who reads the Package. */
function maskByName(value: JsonValue, mark: string): JsonValue {
  if (typeof value === 'string') return value.search(SECRET_URL) < 0 ? value : mark;
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskByName(item, mark));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isSecretName(key) ? hide(item, mark) : maskByName(item, mark)]),
  );
}

function hide(value: JsonValue, mark: string): JsonValue {
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hide(item, mark)]));
  // What is empty or only switches something tells nothing.
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return isEmpty ? value : mark;
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
  const side = (own: JsonObject, other: JsonObject, mark: string): JsonObject => {
    const views = { equal: maskValues(own, said), differing: maskValues(own, said, mark) };
    return choose(own, other, views) as JsonObject;
  };
  return { before: side(before, after, HIDDEN_SIDES.before), after: side(after, before, HIDDEN_SIDES.after) };
}

/** The same value masked in two ways. */
interface Views {
  readonly equal: JsonValue;
  readonly differing: JsonValue;
}

function choose(own: JsonValue, other: JsonValue | undefined, { equal, differing }: Views): JsonValue {
  if (other !== undefined && stableJson(own) === stableJson(other)) return equal;
  if (!isJsonObject(own) || !isJsonObject(equal) || !isJsonObject(differing)) return differing;
  return Object.fromEntries(
    Object.entries(own).map(([key, value]) => {
      const below = { equal: equal[key] ?? null, differing: differing[key] ?? null };
      return [key, choose(value, isJsonObject(other) ? other[key] : undefined, below)];
    }),
  );
}
