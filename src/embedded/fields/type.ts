import { memoize } from '../../lib/memoize.ts';
import type { Schema } from '../model/schema.ts';
import { OBJECT_META } from './object-meta.ts';

/** What is known of a value's shape: a schema, or only how to treat whatever is there. */
export type Type =
  | { readonly kind: 'schema'; readonly schema: Schema; readonly preserves: boolean; readonly isObject: boolean }
  /** Maps are granular, lists atomic: for fields that no schema knows. */
  | { readonly kind: 'deduced' }
  /** Maps and lists are atomic. */
  | { readonly kind: 'untyped' };

export type Scalar = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListShape {
  readonly atomic: boolean;
  /** Empty for sets. */
  readonly keys: readonly string[];
  readonly item: Type;
}

export interface MapShape {
  readonly atomic: boolean;
  /** Names and types of the fields that are declared. */
  declared(name: string): Type | undefined;
  readonly declaresAny: boolean;
  /** Of all other fields; undefined where there may be none. */
  readonly other: Type | undefined;
}

/** The forms that a value may have. */
export interface Shape {
  readonly scalar?: Scalar;
  readonly list?: ListShape;
  readonly map?: MapShape;
}

/** A definition that means more than its schema says. */
const RAW_EXTENSION = 'io.k8s.apimachinery.pkg.runtime.RawExtension';

export const DEDUCED: Type = { kind: 'deduced' };
const UNTYPED: Type = { kind: 'untyped' };

/** The type of whole objects of a kind; without a schema only its metadata is known. */
export function objectType(schema: Schema | undefined): Type {
  return typesOf(schema ?? UNKNOWN).object;
}

const UNKNOWN: Schema = { type: 'object', preserveUnknownFields: true };

/** One for each of the ways in which a schema can be used, so that what is known of a type is worked out once. */
const typesOf = memoize((schema: Schema) => {
  const typeFor = (preserves: boolean, isObject: boolean): SchemaType => {
    return { kind: 'schema', schema, preserves, isObject };
  };
  return {
    plain: typeFor(false, false),
    object: typeFor(false, true),
    preserving: typeFor(true, false),
    preservingObject: typeFor(true, true),
  };
});

export const shapeOf = memoize((type: Type): Shape => {
  switch (type.kind) {
    case 'deduced':
      return {
        scalar: 'untyped',
        list: { atomic: true, keys: [], item: UNTYPED },
        map: { atomic: false, declared: () => undefined, declaresAny: false, other: DEDUCED },
      };
    case 'untyped':
      return {
        scalar: 'untyped',
        list: { atomic: true, keys: [], item: UNTYPED },
        map: { atomic: true, declared: () => undefined, declaresAny: false, other: UNTYPED },
      };
    case 'schema':
      return shapeOfSchema(type);
  }
});

/** The type of a field; what may not be there is taken for what it looks like. */
export function fieldType(map: MapShape, name: string): Type {
  return map.declared(name) ?? map.other ?? DEDUCED;
}

type SchemaType = Extract<Type, { kind: 'schema' }>;

function shapeOfSchema(type: SchemaType): Shape {
  const { schema } = type;
  if (schema.definition === RAW_EXTENSION) return shapeOf(UNTYPED);
  switch (schema.type) {
    case 'object':
      return { map: mapShape(type) };
    case 'array':
      return { list: listShape(type) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped' };
    case undefined:
    default:
      return { scalar: 'untyped', list: listShape(type), map: mapShape(type) };
  }
}

/** Below a map that preserves unknown fields, all maps do. */
function typeBelow(schema: Schema, above: SchemaType): Type {
  const types = typesOf(schema);
  const isObject = schema.embeddedResource === true;
  if (above.preserves || above.schema.preserveUnknownFields === true) {
    return isObject ? types.preservingObject : types.preserving;
  }
  return isObject ? types.object : types.plain;
}

function mapShape(type: SchemaType): MapShape {
  const { schema } = type;
  const properties = schema.properties ?? new Map<string, Schema>();
  return {
    atomic: schema.mapType === 'atomic',
    declared: (name) => {
      const known = type.isObject ? objectField(name, properties) : properties.get(name);
      const isMetadata = type.isObject && name === 'metadata';
      return known === undefined ? undefined : typeBelow(known, isMetadata ? ROOTLESS : type);
    },
    declaresAny: properties.size > 0 || type.isObject,
    other: otherFields(type, properties),
  };
}

const ROOTLESS: SchemaType = { kind: 'schema', schema: {}, preserves: false, isObject: false };

/** Every object has these, whether its definition names them or not. */
function objectField(name: string, properties: ReadonlyMap<string, Schema>): Schema | undefined {
  const declared = properties.get(name);
  if (name === 'metadata') return declared?.properties?.has('ownerReferences') === true ? declared : OBJECT_META;
  if (name === 'apiVersion' || name === 'kind') return declared ?? { type: 'string' };
  return declared;
}

function otherFields(type: SchemaType, properties: ReadonlyMap<string, Schema>): Type | undefined {
  const { schema } = type;
  if (schema.additionalProperties !== undefined) return typeBelow(schema.additionalProperties, type);
  const isFree = type.preserves || schema.preserveUnknownFields === true || properties.size === 0;
  return isFree ? DEDUCED : undefined;
}

function listShape(type: SchemaType): ListShape {
  const { schema } = type;
  const item = schema.items === undefined ? UNTYPED : typeBelow(schema.items, type);
  if (schema.listType !== undefined) {
    return { atomic: schema.listType === 'atomic', keys: keysOf(schema), item };
  }
  const isMerged = schema.patchStrategy?.split(',').includes('merge') === true;
  const keys = isMerged && schema.patchMergeKey !== undefined ? [schema.patchMergeKey] : [];
  return { atomic: !isMerged, keys, item };
}

function keysOf(schema: Schema): readonly string[] {
  return schema.listType === 'map' ? (schema.listMapKeys ?? []) : [];
}

/** The default of a key field, for items that leave it out. */
export function keyDefault(list: ListShape, key: string): unknown {
  const type = shapeOf(list.item).map?.declared(key);
  return type?.kind === 'schema' ? type.schema.default : undefined;
}
