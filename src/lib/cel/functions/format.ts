import { fault, isFault, type Meter, OUT_OF_BUDGET, type Result } from '../faults.ts';
import { type CelList, type CelMap, type CelValue, itemsOf, typeNameOf } from '../values.ts';
import { doubleToText } from './conversions.ts';
import { formatNanos, formatTimestamp } from './times.ts';

const CLAUSE = /%(?:%|(?:\.(\d{1,3}))?([a-zA-Z])|)/g;

/** Go-like formatting, as the Strings library has it. */
export function formatText(format: string, values: CelList, meter: Meter): Result {
  const pieces: string[] = [];
  let [from, used] = [0, 0];
  for (const match of format.matchAll(CLAUSE)) {
    pieces.push(format.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[0] === '%%') {
      pieces.push('%');
      continue;
    }
    const piece =
      used < values.length ? formatClause(match, values.at(used), meter) : fault(`index ${String(used)} out of range`);
    if (typeof piece !== 'string') return piece;
    used += 1;
    pieces.push(piece);
  }
  return [...pieces, format.slice(from)].join('');
}

type Write = (value: CelValue, digits: number) => string | undefined;

const VERBS: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['d', (value) => integerOf(value, 10) ?? special(value)],
  ['f', (value, digits) => numeric(value, (number) => number.toFixed(digits))],
  ['e', (value, digits) => numeric(value, (number) => twoDigitExponent(number.toExponential(digits)))],
  ['b', (value) => (typeof value === 'boolean' ? String(Number(value)) : integerOf(value, 2))],
  ['o', (value) => integerOf(value, 8)],
  ['x', hexOf],
  ['X', (value) => hexOf(value)?.toUpperCase()],
]);

const MOST_DIGITS = 100;

function formatClause([clause, precision, verb = '']: RegExpExecArray, value: CelValue, meter: Meter): Result {
  if (verb === 's' && precision === undefined) return textOf(value, meter);
  const write = VERBS.get(verb);
  const isRounded = verb === 'f' || verb === 'e';
  if (write === undefined || (precision !== undefined && !isRounded)) return unknownClause(clause);
  return write(value, Math.min(Number(precision ?? 6), MOST_DIGITS)) ?? mismatch(verb, value);
}

function unknownClause(clause: string): Result {
  return fault(`unrecognized formatting clause "${clause}"`);
}

function mismatch(verb: string, value: CelValue): Result {
  return fault(`%${verb} cannot format a ${typeNameOf(value)}`);
}

function integerOf(value: CelValue, radix: number): string | undefined {
  if (typeof value === 'bigint') return value.toString(radix);
  return isUint(value) ? value.value.toString(radix) : undefined;
}

function isUint(value: CelValue): value is Extract<CelValue, { readonly kind: 'uint' }> {
  return typeof value === 'object' && value !== null && value.kind === 'uint';
}

function special(value: CelValue): string | undefined {
  if (typeof value !== 'number' || Number.isFinite(value)) return undefined;
  return nonFinite(value);
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

function numeric(value: CelValue, write: (number: number) => string): string | undefined {
  const number = isUint(value) ? Number(value.value) : value;
  if (typeof number !== 'number' && typeof number !== 'bigint') return undefined;
  return Number.isFinite(Number(number)) ? write(Number(number)) : nonFinite(Number(number));
}

function twoDigitExponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function hexOf(value: CelValue): string | undefined {
  const number = integerOf(value, 16);
  if (number !== undefined) return number;
  const content = typeof value === 'string' ? new TextEncoder().encode(value) : bytesOf(value);
  return content && [...content].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytesOf(value: CelValue): Uint8Array | undefined {
  return typeof value === 'object' && value !== null && value.kind === 'bytes' ? value.bytes : undefined;
}

function textOf(value: CelValue, meter: Meter): Result {
  meter.spend(2 + (typeof value === 'string' ? value.length / 64 : 0));
  if (meter.isEmpty()) return OUT_OF_BUDGET;
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isFinite(value) ? doubleToText(value) : nonFinite(value);
  return typeof value === 'object' ? structureText(value, meter) : String(value);
}

type Structure = Exclude<CelValue, null | boolean | string | bigint | number>;

function structureText(value: Structure, meter: Meter): Result {
  switch (value.kind) {
    case 'uint':
      return String(value.value);
    case 'bytes':
      return new TextDecoder().decode(value.bytes);
    case 'type':
      return value.name;
    case 'timestamp':
      return formatTimestamp(value.nanos);
    case 'duration':
      return formatNanos(value.nanos);
    case 'list':
      return joined(
        '[]',
        itemsOf(value).map((item) => () => textOf(item, meter)),
      );
    case 'map':
      return mapText(value, meter);
    case 'optional':
    case 'opaque':
      return mismatch('s', value);
  }
}

function mapText(fields: CelMap, meter: Meter): Result {
  const entries = fields.keys().map((key) => () => {
    const [name, value] = [textOf(key, meter), textOf(fields.get(key) ?? null, meter)];
    if (isFault(name)) return name;
    return typeof name === 'string' && typeof value === 'string' ? `${name}: ${value}` : value;
  });
  return joined('{}', entries);
}

/** Every part in turn, until one cannot be written. */
function joined(brackets: '[]' | '{}', parts: readonly (() => Result)[]): Result {
  const texts: string[] = [];
  for (const part of parts) {
    const text = part();
    if (typeof text !== 'string') return text;
    texts.push(text);
  }
  return `${brackets.slice(0, 1)}${(brackets === '{}' ? texts.sort() : texts).join(', ')}${brackets.slice(1)}`;
}
