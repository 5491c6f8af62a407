import { isRecord } from '../../lib/json.ts';
import { memoizeLatest } from '../../lib/memoize.ts';
import type { Schema } from '../model/schema.ts';
import { withSharedParts } from '../model/shared-parts.ts';
import { decodeResource, decodeScalar } from './decode-scalar.ts';
import { DecodeError, type Place, wrongType } from './decode-error.ts';
import type { Draft } from './absent.ts';
import { DEFAULTS } from './defaults.ts';

/**
 * A value as Go's decoder, the defaults and its encoder leave it: unknown fields and nulls gone, empty fields left out or
 * always there as the Go type has it, quantities and times in their one form. From the outside to the inside, as the
 * defaults of an object may decide what is inside it.
 */
export function decode(value: unknown, schema: Schema, place: Place): unknown {
  if (schema.properties !== undefined) return decodeObject(value, schema, place);
  if (schema.additionalProperties !== undefined) return decodeMap(value, schema, place);
  if (schema.items !== undefined) return decodeList(value, schema, place);
  return schema.preserveUnknownFields === true ? value : decodeScalar(value, schema, place);
}

function decodeObject(value: unknown, schema: Schema, place: Place): Draft {
  if (value !== null && !isRecord(value)) throw wrongType(value, schema, place);
  const draft: Draft = {};
  for (const [name, field] of schema.properties ?? []) {
    const given = givenOrDefault(value?.[name], field);
    if (given !== undefined) draft[name] = given;
  }
  DEFAULTS[schema.definition ?? '']?.(draft);
  return decodeFields(draft, schema, place);
}

function decodeFields(draft: Draft, schema: Schema, place: Place): Draft {
  const struct = nameOf(schema.definition) ?? place.struct;
  const decoded: Draft = {};
  for (const [name, field] of schema.properties ?? []) {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const own = draft[name] === undefined ? whenAbsent(field) : decodePart(draft[name], field, { struct, path });
    if (own !== undefined) decoded[name] = own;
  }
  return decoded;
}

/** Parts that are as they were in the object before come again with every write of it. */
function decodePart(value: unknown, schema: Schema, place: Place): unknown {
  if (schema.properties === undefined || !isRecord(value)) return decode(value, schema, place);
  try {
    return knownPart(value, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return decode(value, schema, place);
  }
}

const NOWHERE: Place = { struct: '', path: '' };

const knownPart = memoizeLatest((value: Readonly<Record<string, unknown>>, schema: Schema) =>
  withSharedParts(decodeObject(value, schema, NOWHERE), value),
);

function whenAbsent(field: Schema): unknown {
  if (field.whenEmpty === 'zero') return zeroOf(field);
  return field.whenEmpty === 'null' ? null : undefined;
}

/** Objects that are always there are made first, as they may have defaults inside. */
function givenOrDefault(value: unknown, field: Schema): unknown {
  if (!isLeftOut(value, field)) return value;
  return field.whenEmpty === 'zero' && field.properties !== undefined ? {} : field.default;
}

/** Fields with a value that Go's `omitempty` leaves out, and those that were not given. */
function isLeftOut(value: unknown, schema: Schema): boolean {
  if (value === undefined || value === null) return true;
  if (schema.whenEmpty !== 'omit') return false;
  if (typeof value === 'object') return isBare(value, schema);
  return value === '' || value === 0 || value === false;
}

/** A list where a text is expected, say, is a mistake and not nothing. */
function isBare(value: object, { type, properties }: Schema): boolean {
  const expected = Array.isArray(value) ? 'array' : 'object';
  const isFit = type === undefined || type === expected;
  return isFit && properties === undefined && Object.keys(value).length === 0;
}

function decodeMap(value: unknown, schema: Schema, place: Place): Draft {
  if (!isRecord(value)) throw wrongType(value, schema, place);
  const items = schema.additionalProperties ?? {};
  if (items.format === 'quantity') {
    return Object.fromEntries(sortedEntries(value).map(([key, item]) => [key, decodeResource(item ?? 0)]));
  }
  return Object.fromEntries(sortedEntries(value).map(([key, item]) => [key, decodeItem(item, items, place)]));
}

/** As Go writes maps. */
function sortedEntries(map: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}

function decodeList(value: unknown, schema: Schema, place: Place): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongType(value, schema, place);
  return value.map((item) => decodeItem(item, schema.items ?? {}, place));
}

function decodeItem(item: unknown, schema: Schema, place: Place): unknown {
  return item === null && schema.properties === undefined ? zeroOf(schema) : decode(item, schema, place);
}

function zeroOf({ type, format, intOrString }: Schema): unknown {
  if (format === 'quantity') return '0';
  if (intOrString === true || type === 'integer' || type === 'number') return 0;
  if (type === 'boolean') return false;
  return type === 'string' && format !== 'byte' ? '' : null;
}

function nameOf(definition: string | undefined): string | undefined {
  return definition?.slice(definition.lastIndexOf('.') + 1);
}
