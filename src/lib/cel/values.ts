/**
 * Values while an expression runs. Lists and maps are looked into on demand, so that of a big object only what the
 * expression asks for is converted.
 */
export type CelValue =
  | null
  | boolean
  | string
  /** CEL's `int`. */
  | bigint
  /** CEL's `double`. */
  | number
  | CelUint
  | CelBytes
  | CelList
  | CelMap
  | CelOptional
  | CelTimestamp
  | CelDuration
  | CelTypeName
  | CelOpaque;

export interface CelUint {
  readonly kind: 'uint';
  readonly value: bigint;
}

export interface CelBytes {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
}

export interface CelList {
  readonly kind: 'list';
  readonly length: number;
  /** Only for an index that is in the list. */
  readonly at: (index: number) => CelValue;
}

export interface CelMap {
  readonly kind: 'map';
  readonly size: number;
  readonly get: (key: CelValue) => CelValue | undefined;
  readonly keys: () => readonly CelValue[];
}

export interface CelOptional {
  readonly kind: 'optional';
  /** Absent: `optional.none()`. */
  readonly value?: CelValue;
}

/** Nanoseconds since the epoch. */
export interface CelTimestamp {
  readonly kind: 'timestamp';
  readonly nanos: bigint;
}

export interface CelDuration {
  readonly kind: 'duration';
  readonly nanos: bigint;
}

export interface CelTypeName {
  readonly kind: 'type';
  readonly name: string;
}

/** A value of a library, which only the functions of that library look into. */
export interface CelOpaque {
  readonly kind: 'opaque';
  readonly type: OpaqueName;
  /** Of one type, equal values have equal keys. */
  readonly key: string;
}

export type OpaqueName =
  | 'kubernetes.Quantity'
  | 'kubernetes.URL'
  | 'kubernetes.NamedFormat'
  | 'kubernetes.Semver'
  | 'net.IP'
  | 'net.CIDR';

export const INT_MIN = -(2n ** 63n);
export const INT_MAX = 2n ** 63n - 1n;
export const UINT_MAX = 2n ** 64n - 1n;

export const NONE: CelOptional = { kind: 'optional' };

export function some(value: CelValue): CelOptional {
  return { kind: 'optional', value };
}

export function uint(value: bigint): CelUint {
  return { kind: 'uint', value };
}

export function bytes(content: Uint8Array): CelBytes {
  return { kind: 'bytes', bytes: content };
}

export function typeName(name: string): CelTypeName {
  return { kind: 'type', name };
}

/** Only for an index that is in the list. */
function itemAt<T>(items: readonly T[], index: number): T {
  return items[index] as T;
}

export function listOf(items: readonly CelValue[]): CelList {
  return { kind: 'list', length: items.length, at: (index) => itemAt(items, index) };
}

export function itemsOf(list: CelList): readonly CelValue[] {
  return Array.from({ length: list.length }, (_, index) => list.at(index));
}

/** A map from literal entries, of which a later one replaces an earlier; undefined where a key can be none, as a list. */
export function mapOf(entries: readonly (readonly [CelValue, CelValue])[]): CelMap | undefined {
  const byKey = new Map<string, readonly [CelValue, CelValue]>();
  for (const entry of entries) {
    const key = keyOf(entry[0]);
    if (key === undefined) return undefined;
    byKey.set(key, entry);
  }
  return {
    kind: 'map',
    size: byKey.size,
    get: (key) => byKey.get(keyOf(key) ?? '')?.[1],
    keys: () => [...byKey.values()].map(([key]) => key),
  };
}

/** Equal keys have equal texts: numbers that are whole are one key, whatever their type. */
function keyOf(key: CelValue): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'bigint') return `n${String(key)}`;
  if (typeof key === 'boolean') return `b${String(key)}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${String(BigInt(key))}` : undefined;
  return key !== null && key.kind === 'uint' ? `n${String(key.value)}` : undefined;
}

/** A value of JSON: whole numbers are ints, others doubles. */
export function fromJson(json: unknown): CelValue {
  if (typeof json === 'string' || typeof json === 'boolean') return json;
  if (typeof json === 'number') return fromNumber(json);
  if (Array.isArray(json)) return fromArray(json);
  return typeof json === 'object' && json !== null ? fromRecord(json) : null;
}

function fromNumber(json: number): CelValue {
  return Number.isInteger(json) && Math.abs(json) < 2 ** 63 ? BigInt(json) : json;
}

function fromArray(json: readonly unknown[]): CelList {
  return { kind: 'list', length: json.length, at: (index) => fromJson(json[index]) };
}

/** What JavaScript knows as undefined is not in the JSON. */
function fromRecord(json: object): CelMap {
  const fields = json as Readonly<Record<string, unknown>>;
  const keys = (): readonly string[] => Object.keys(fields).filter((key) => fields[key] !== undefined);
  return {
    kind: 'map',
    get size() {
      return keys().length;
    },
    get: (key) => {
      const value = typeof key === 'string' && Object.hasOwn(fields, key) ? fields[key] : undefined;
      return value === undefined ? undefined : fromJson(value);
    },
    keys,
  };
}

/** The name of the type of a value, as `type()` gives it. */
export function typeNameOf(value: CelValue): string {
  if (value === null) return 'null_type';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  return value.kind === 'opaque' ? value.type : TYPE_NAMES[value.kind];
}

const TYPE_NAMES = {
  uint: 'uint',
  bytes: 'bytes',
  list: 'list',
  map: 'map',
  optional: 'optional_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  type: 'type',
} as const;
