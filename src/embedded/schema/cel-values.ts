import { escapeName } from '../../lib/cel/field-name.ts';
import { parseNanos, parseTimestamp } from '../../lib/cel/functions/times.ts';
import { bytes, type CelMap, type CelValue, fromJson } from '../../lib/cel/values.ts';
import { isRecord } from '../../lib/json.ts';
import type { Schema } from '../model/schema.ts';

/** A value as rules see it: its schema says what a number or a text is, and by which name a field is known. */
export function celValueOf(value: unknown, schema: Schema): CelValue {
  if (Array.isArray(value)) {
    return { kind: 'list', length: value.length, at: (index) => celValueOf(value[index], schema.items ?? {}) };
  }
  if (isRecord(value)) return mapOf(value, schema);
  if (typeof value === 'string') return TEXTS[schema.format ?? '']?.(value) ?? value;
  return typeof value === 'number' && schema.type === 'number' ? value : fromJson(value);
}

interface Field {
  readonly value: unknown;
  readonly schema: Schema;
}

/** Fields have names that CEL can read, and words of CEL are read as they are too; keys of maps are data and stay. */
function mapOf(value: Readonly<Record<string, unknown>>, { properties, additionalProperties = {} }: Schema): CelMap {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const fields = new Map<string, Field>(
    entries.map(([key, inner]) => {
      const property = properties?.get(key);
      const name = property === undefined ? key : escapeName(key);
      return [name, { value: inner, schema: property ?? additionalProperties }];
    }),
  );
  return {
    kind: 'map',
    size: fields.size,
    get: (key) => {
      const field = typeof key === 'string' ? (fields.get(key) ?? fields.get(escapeName(key))) : undefined;
      return field && celValueOf(field.value, field.schema);
    },
    keys: () => [...fields.keys()],
  };
}

/** Texts that are something else to CEL, by their format; undefined where one is not of its format. */
const TEXTS: Readonly<Record<string, (text: string) => CelValue | undefined>> = {
  duration: (text) => durationOf(parseNanos(text) ?? longDuration(text)),
  date: (text) => timestampOf(`${text}T00:00:00Z`),
  'date-time': (text) => timestampOf(text.replace(' ', 'T').toUpperCase()),
  byte: (text) => bytes(Uint8Array.from(Buffer.from(text, 'base64'))),
};

function timestampOf(text: string): CelValue | undefined {
  const nanos = parseTimestamp(text);
  return nanos === undefined ? undefined : { kind: 'timestamp', nanos };
}

function durationOf(nanos: bigint | undefined): CelValue | undefined {
  return nanos === undefined ? undefined : { kind: 'duration', nanos };
}

const UNITS = [
  [/^(?:s|seconds?)$/, 1n],
  [/^(?:m|minutes?)$/, 60n],
  [/^(?:h|hours?)$/, 3600n],
  [/^(?:d|days?)$/, 86_400n],
  [/^(?:w|weeks?)$/, 604_800n],
] as const;

/** `3 days`, `2w`: what the format allows beyond Go's durations. */
function longDuration(text: string): bigint | undefined {
  const [, count = '', unit = ''] = /^(\d{1,9}) ?([a-z]+)$/i.exec(text) ?? [];
  const seconds = UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1];
  return seconds === undefined ? undefined : BigInt(count) * seconds * 1_000_000_000n;
}
