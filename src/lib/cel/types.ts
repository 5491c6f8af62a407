import { type CelBytes, type CelDuration, type CelList, type CelMap, type CelOptional } from './values.ts';
import {
  type CelOpaque,
  type CelTimestamp,
  type CelTypeName,
  type CelUint,
  type CelValue,
  type OpaqueName,
  typeNameOf,
} from './values.ts';

type SimpleName =
  | 'dyn'
  | 'null'
  | 'bool'
  | 'string'
  | 'int'
  | 'uint'
  | 'double'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'type'
  | OpaqueName;

/** What is known of a value before there is one; `dyn` is nothing. */
export type CelType =
  | { readonly name: SimpleName }
  | { readonly name: 'list'; readonly element: CelType }
  | { readonly name: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly name: 'optional'; readonly element: CelType }
  /** Any type, but the same one wherever it stands in a signature. */
  | { readonly name: 'parameter'; readonly letter: 'A' | 'B' };

/** A type together with the test whether a value is of it. */
export interface Kind<T extends CelValue = CelValue> {
  readonly type: CelType;
  readonly is: (value: CelValue) => value is T;
}

function simple<T extends CelValue>(name: SimpleName, runtime: string): Kind<T> {
  return { type: { name }, is: (value): value is T => typeNameOf(value) === runtime };
}

export const BOOL = simple<boolean>('bool', 'bool');
export const STRING = simple<string>('string', 'string');
export const INT = simple<bigint>('int', 'int');
export const UINT = simple<CelUint>('uint', 'uint');
export const DOUBLE = simple<number>('double', 'double');
export const BYTES = simple<CelBytes>('bytes', 'bytes');
export const TIMESTAMP = simple<CelTimestamp>('timestamp', 'google.protobuf.Timestamp');
export const DURATION = simple<CelDuration>('duration', 'google.protobuf.Duration');
export const TYPE = simple<CelTypeName>('type', 'type');

/** The kind of a library's own values. */
export function opaque<T extends CelOpaque>(name: T['type']): Kind<T> {
  return simple<T>(name, name);
}

export const DYN: Kind = { type: { name: 'dyn' }, is: (_value): _value is CelValue => true };
export const A: Kind = { ...DYN, type: { name: 'parameter', letter: 'A' } };

const LIST = simple<CelList>('dyn', 'list');
const MAP = simple<CelMap>('dyn', 'map');
const OPTIONAL = simple<CelOptional>('dyn', 'optional_type');

export function list(element: Kind): Kind<CelList> {
  return { is: LIST.is, type: { name: 'list', element: element.type } };
}

export function map(key: Kind, value: Kind): Kind<CelMap> {
  return { is: MAP.is, type: { name: 'map', key: key.type, value: value.type } };
}

export function optional(element: Kind): Kind<CelOptional> {
  return { is: OPTIONAL.is, type: { name: 'optional', element: element.type } };
}

/** What the parameters of a signature stand for. */
export type Binding = ReadonlyMap<string, CelType>;

/** What the parameters stand for where every actual type fits its formal one; undefined where one does not. */
export function bindAll(formal: readonly CelType[], actual: readonly CelType[]): Binding | undefined {
  let binding: Binding | undefined = new Map();
  for (const [index, type] of formal.entries()) {
    binding = bind(type, actual[index] ?? DYN.type, binding);
    if (binding === undefined) return undefined;
  }
  return binding;
}

function bind(formal: CelType, actual: CelType, binding: Binding): Binding | undefined {
  if (formal.name === 'parameter') return bindParameter(formal.letter, actual, binding);
  if (formal.name === 'dyn' || actual.name === 'dyn') return binding;
  if (formal.name !== actual.name) return undefined;
  return bindParts([partsOf(formal), partsOf(actual)], binding);
}

function bindParts(
  [formal, actual]: readonly [readonly CelType[], readonly CelType[]],
  binding: Binding,
): Binding | undefined {
  return formal.reduce<Binding | undefined>(
    (bound, part, index) => bound && bind(part, actual[index] ?? DYN.type, bound),
    binding,
  );
}

/** The types that a type is made of. */
function partsOf(type: CelType): readonly CelType[] {
  if (type.name === 'map') return [type.key, type.value];
  return isContainer(type) ? [type.element] : [];
}

function bindParameter(letter: string, actual: CelType, binding: Binding): Binding | undefined {
  const known = binding.get(letter);
  const joined = known === undefined ? actual : join(known, actual);
  return joined === undefined ? undefined : new Map([...binding, [letter, joined]]);
}

type Container = Extract<CelType, { readonly element: CelType }>;

function isContainer(type: CelType): type is Container {
  return type.name === 'list' || type.name === 'optional';
}

/** The type that both are, where they agree on all that is known. */
export function join(one: CelType, other: CelType): CelType | undefined {
  if (one.name === 'dyn' || other.name === 'dyn') return DYN.type;
  if (one.name === 'map' && other.name === 'map') return joinMaps(one, other);
  if (isContainer(one) && isContainer(other) && one.name === other.name) {
    const element = join(one.element, other.element);
    return element && { name: one.name, element };
  }
  return one.name === other.name ? one : undefined;
}

type MapType = Extract<CelType, { readonly name: 'map' }>;

function joinMaps(one: MapType, other: MapType): CelType | undefined {
  const key = join(one.key, other.key);
  const value = join(one.value, other.value);
  return key && value && { name: 'map', key, value };
}

/** A type with its parameters replaced; what was never bound is unknown. */
export function substitute(type: CelType, binding: Binding): CelType {
  if (type.name === 'parameter') return binding.get(type.letter) ?? DYN.type;
  if (isContainer(type)) return { name: type.name, element: substitute(type.element, binding) };
  if (type.name !== 'map') return type;
  return { name: 'map', key: substitute(type.key, binding), value: substitute(type.value, binding) };
}

/** `an int`, `a list(string)`. */
export function aType(type: CelType): string {
  const text = describeType(type);
  return /^[aeio]/.test(text) ? `an ${text}` : `a ${text}`;
}

/** As CEL writes it: `list(string)`. */
export function describeType(type: CelType): string {
  if (type.name === 'parameter') return type.letter;
  if (isContainer(type)) return `${type.name}(${describeType(type.element)})`;
  return type.name === 'map' ? `map(${describeType(type.key)}, ${describeType(type.value)})` : type.name;
}
