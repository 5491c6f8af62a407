import { formatSeconds, parseTime } from '../../lib/time.ts';
import type { Schema } from '../model/schema.ts';
import { DecodeError, describeType, type Place, wrongType } from './decode-error.ts';
import { formatQuantity, parseQuantity, type Quantity, roundUpToMilli } from './quantity.ts';

/** A string, number or flag in the form in which Go writes it. */
export function decodeScalar(value: unknown, schema: Schema, place: Place): unknown {
  if (schema.format === 'quantity') return formatQuantity(readQuantity(value));
  if (schema.intOrString === true) return decodeIntOrString(value);
  if (schema.format === 'date-time') return decodeTime(value, schema);
  if (schema.type === 'integer') return decodeInteger(value, schema, place);
  const fits = schema.type === undefined || typeof value === schema.type;
  if (!fits) throw wrongType(value, schema, place);
  if (schema.format === 'byte') checkBase64(String(value));
  return value;
}

/** The API server keeps thousandths only in lists of resources, `cpu` and others by name. */
export function decodeResource(value: unknown): string {
  return formatQuantity(roundUpToMilli(readQuantity(value)));
}

function readQuantity(value: unknown): Quantity {
  const text = typeof value === 'number' ? String(value) : value;
  const quantity = typeof text === 'string' ? parseQuantity(text) : undefined;
  if (quantity === undefined) {
    throw new DecodeError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  return quantity;
}

function decodeIntOrString(value: unknown): unknown {
  if (typeof value === 'string' || Number.isInteger(value)) return value;
  throw new DecodeError(`json: cannot unmarshal ${typeof value} into Go value of type int32`);
}

function decodeTime(value: unknown, { definition }: Schema): string {
  const micro = definition?.endsWith('.MicroTime') === true;
  if (typeof value !== 'string') {
    throw new DecodeError(`json: cannot unmarshal ${typeof value} into Go value of type string`);
  }
  const match = RFC_3339.exec(value);
  if (match !== null && !Number.isNaN(parseTime(value))) {
    const seconds = formatSeconds(parseTime(value));
    return micro ? `${seconds.slice(0, -1)}.${(match[1] ?? '').slice(1, 7).padEnd(6, '0')}Z` : seconds;
  }
  const layout = micro ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00';
  throw new DecodeError(`parsing time ${JSON.stringify(value)} as "${layout}": cannot parse it`);
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

const LIMITS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

function decodeInteger(value: unknown, schema: Schema, place: Place): number {
  if (typeof value !== 'number') throw wrongType(value, schema, place);
  const [least, most] = LIMITS[schema.format ?? 'int64'] ?? [undefined, undefined];
  const fits = Number.isInteger(value) && (least === undefined || (BigInt(value) >= least && BigInt(value) <= most));
  if (fits) return value;
  const shown = `json: cannot unmarshal number ${String(value)} into Go struct field ${place.struct}.${place.path}`;
  throw new DecodeError(`${shown} of type ${describeType(schema)}`);
}

function checkBase64(value: string): void {
  const compact = value.replace(/[\r\n]/g, '');
  const wrong = compact.search(/[^A-Za-z0-9+/=]/);
  if (wrong >= 0) throw new DecodeError(`illegal base64 data at input byte ${String(wrong)}`);
  const match = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(compact);
  const read = match?.[0].length ?? 0;
  if (read !== compact.length) throw new DecodeError(`illegal base64 data at input byte ${String(read)}`);
}
