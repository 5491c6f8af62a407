import { isRecord } from '../../lib/json.ts';
import type { Schema } from '../model/schema.ts';
import { decodeResource, decodeScalar } from './decode-scalar.ts';
import { type Place, wrongType } from './decode-error.ts';
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
  const fields = schema.properties ?? new Map<string, Schema>();
  const draft: Draft = {};
  for (const [name, field] of fields) {
    const given = givenOrDefault(value?.[name], field);
    if (given !== undefined) draft[name] = given;
  }
  DEFAULTS[schema.definition ?? '']?.(draft);
  const struct = nameOf(schema.definition) ?? place.struct;
  for (const [name, field] of fields) {
    const inner = { struct, path: place.path === '' ? name : `${place.path}.${name}` };
    if (draft[name] !== undefined) draft[name] = decode(draft[name], field, inner);
    else if (field.whenEmpty === 'zero') draft[name] = zeroOf(field);
    else if (field.whenEmpty === 'null') draft[name] = null;
  }
  return draft;
}

/** Objects that are always there are made first, as they may have defaults inside. */
function givenOrDefault(value: unknown, field: Schema): unknown {
  if (!isLeftOut(value, field)) return value;
  return field.whenEmpty === 'zero' && field.properties !== undefined ? {} : field.default;
}

/** Fields with a value that Go's `omitempty` leaves out, and those that were not given. */
function isLeftOut(value: unknown, { whenEmpty, properties }: Schema): boolean {
  if (value === undefined || value === null) return true;
  if (whenEmpty !== 'omit') return false;
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return properties === undefined && Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
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
