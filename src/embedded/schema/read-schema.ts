import { asArray, asNumber, asString, isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import type { Schema, ValidationRule, ValueConstraints } from '../model/schema.ts';
import { compileRule } from './compile-rule.ts';
import { OBJECT_META } from './object-meta.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const TYPES: readonly unknown[] = ['object', 'array', 'string', 'integer', 'number', 'boolean'];
const LIST_TYPES: readonly unknown[] = ['atomic', 'set', 'map'];

/** A JSONSchemaProps of a CustomResourceDefinition as a schema. */
export function readSchema(props: JsonMap): Schema {
  const schema: Mutable<Schema> = { ...readType(props), ...readChildren(props), ...readListing(props) };
  const constraints = readConstraints(props);
  const validations = readRules(props);
  const required = stringsOf(props['required']);
  if (Object.keys(constraints).length > 0) schema.constraints = constraints;
  if (validations.length > 0) schema.validations = validations;
  if (required.length > 0) schema.required = required;
  return schema.embeddedResource === true ? withMeta(schema) : schema;
}

/** Whole objects have these whatever their schema says. */
export function withMeta(schema: Schema): Schema {
  const metadata = { ...OBJECT_META, ...constraintsOfMeta(schema.properties?.get('metadata')) };
  const properties = new Map([
    ['apiVersion', schema.properties?.get('apiVersion') ?? { type: 'string' as const }],
    ['kind', schema.properties?.get('kind') ?? { type: 'string' as const }],
    ...(schema.properties ?? []),
  ]);
  return { ...schema, properties: properties.set('metadata', metadata) };
}

/** A definition may only restrict name and generateName. */
function constraintsOfMeta(metadata: Schema | undefined): Schema {
  const properties = new Map(OBJECT_META.properties);
  for (const name of ['name', 'generateName']) {
    const restricted = metadata?.properties?.get(name);
    if (restricted !== undefined) properties.set(name, restricted);
  }
  return { properties };
}

function readType(props: JsonMap): Schema {
  const schema: Mutable<Schema> = {};
  const { type, format, description } = props;
  if (TYPES.includes(type)) schema.type = type as NonNullable<Schema['type']>;
  if (typeof format === 'string' && format !== '') schema.format = format;
  if (typeof description === 'string' && description !== '') schema.description = description;
  for (const [flag, name] of TYPE_FLAGS) {
    if (props[flag] === true) schema[name] = true;
  }
  if (props['default'] !== undefined && props['default'] !== null) schema.default = props['default'];
  return schema;
}

const TYPE_FLAGS = [
  ['nullable', 'nullable'],
  ['x-kubernetes-int-or-string', 'intOrString'],
  ['x-kubernetes-preserve-unknown-fields', 'preserveUnknownFields'],
  ['x-kubernetes-embedded-resource', 'embeddedResource'],
] as const;

function readChildren(props: JsonMap): Schema {
  const { properties, items, additionalProperties } = props;
  return {
    ...(isRecord(properties) ? { properties: readProperties(properties) } : {}),
    ...(isRecord(items) ? { items: readSchema(items) } : {}),
    ...(isRecord(additionalProperties) ? { additionalProperties: readSchema(additionalProperties) } : {}),
    ...(additionalProperties === true ? { additionalProperties: {} } : {}),
  };
}

function readProperties(properties: JsonMap): ReadonlyMap<string, Schema> {
  const schemas = new Map<string, Schema>();
  for (const [name, property] of Object.entries(properties)) {
    if (isRecord(property)) schemas.set(name, readSchema(property));
  }
  return schemas;
}

function readListing(props: JsonMap): Schema {
  const schema: Mutable<Schema> = {};
  const listType = props['x-kubernetes-list-type'];
  const mapType = props['x-kubernetes-map-type'];
  const keys = stringsOf(props['x-kubernetes-list-map-keys']);
  if (LIST_TYPES.includes(listType)) schema.listType = listType as NonNullable<Schema['listType']>;
  if (mapType === 'atomic' || mapType === 'granular') schema.mapType = mapType;
  if (keys.length > 0) schema.listMapKeys = keys;
  return schema;
}

const NUMBERS = [
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;
const FLAGS = ['exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems'] as const;
const COMBINATIONS = ['allOf', 'anyOf', 'oneOf'] as const;

function readConstraints(props: JsonMap): ValueConstraints {
  const constraints: Mutable<ValueConstraints> = {};
  for (const name of NUMBERS) {
    const value = asNumber(props[name]);
    if (value !== undefined) constraints[name] = value;
  }
  for (const name of FLAGS) {
    if (props[name] === true) constraints[name] = true;
  }
  return { ...constraints, ...readCombinations(props), ...readAllowed(props) };
}

function readCombinations(props: JsonMap): ValueConstraints {
  const constraints: Mutable<ValueConstraints> = {};
  for (const name of COMBINATIONS) {
    const schemas = asArray(props[name]).filter(isRecord);
    if (schemas.length > 0) constraints[name] = schemas.map(readSchema);
  }
  if (isRecord(props['not'])) constraints.not = readSchema(props['not']);
  return constraints;
}

function readAllowed(props: JsonMap): ValueConstraints {
  const constraints: Mutable<ValueConstraints> = {};
  const pattern = asString(props['pattern']);
  if (pattern !== undefined && pattern !== '') constraints.pattern = pattern;
  if (Array.isArray(props['enum'])) constraints.enum = props['enum'];
  return constraints;
}

/** The rules of one schema, without those of what is inside. */
export function readRules(props: JsonMap): readonly ValidationRule[] {
  return asArray(props['x-kubernetes-validations']).filter(isRecord).map(readRule);
}

function readRule(rule: JsonMap): ValidationRule {
  const read: Mutable<ValidationRule> = { rule: asString(rule['rule']) ?? '' };
  for (const name of ['message', 'messageExpression', 'reason', 'fieldPath'] as const) {
    const value = asString(rule[name]);
    if (value !== undefined && value !== '') read[name] = value;
  }
  if (rule['optionalOldSelf'] === true) read.optionalOldSelf = true;
  read.compiled = compileRule(read);
  return read;
}

function stringsOf(value: unknown): readonly string[] {
  return asArray(value).filter((item) => typeof item === 'string');
}
