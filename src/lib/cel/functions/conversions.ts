import { fault, type Result } from '../faults.ts';
import { func, type Overload } from '../overload.ts';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, type Kind, STRING, TIMESTAMP, TYPE, UINT } from '../types.ts';
import { bytes, type CelValue, INT_MAX, INT_MIN, typeName, typeNameOf, uint, UINT_MAX } from '../values.ts';
import { unsigned } from './arithmetic.ts';
import { floorDivide, formatNanos, formatTimestamp, parseNanos, parseTimestamp, timestampOf } from './times.ts';

const SECOND = 1_000_000_000n;

function inRange(value: bigint): Result {
  return value < INT_MIN || value > INT_MAX ? fault('integer overflow') : value;
}

function doubleToInt(value: number): Result {
  return Number.isFinite(value) && Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : fault('integer overflow');
}

function doubleToUint(value: number): Result {
  return value > -1 && value < 2 ** 64 ? uint(BigInt(Math.trunc(value))) : fault('unsigned integer overflow');
}

function textToInt(text: string): Result {
  return /^[+-]?\d{1,25}$/.test(text) ? inRange(BigInt(text.replace('+', ''))) : fault(`${quote(text)} is no int`);
}

function textToUint(text: string): Result {
  if (!/^\d{1,25}$/.test(text)) return fault(`${quote(text)} is no uint`);
  const value = BigInt(text);
  return value > UINT_MAX ? fault('unsigned integer overflow') : uint(value);
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const SPECIAL = /^([+-]?)(nan|inf|infinity)$/i;

function textToDouble(text: string): Result {
  const special = SPECIAL.exec(text);
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return NaN;
    return special[1] === '-' ? -Infinity : Infinity;
  }
  return DECIMAL.test(text) && Number.isFinite(Number(text)) ? Number(text) : fault(`${quote(text)} is no double`);
}

const TRUE_TEXTS = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE_TEXTS = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function textToBool(text: string): Result {
  if (TRUE_TEXTS.has(text)) return true;
  return FALSE_TEXTS.has(text) ? false : fault(`${quote(text)} is no bool`);
}

/** The shortest that gives the number back, in Go's `%g`: an exponent of two digits from 1e21 on and below 1e-4. */
export function doubleToText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const magnitude = Math.abs(value);
  const isPlain = value === 0 || (magnitude >= 1e-4 && magnitude < 1e21);
  return isPlain ? String(value) : value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function bytesToText(content: Uint8Array): Result {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (error) {
    if (error instanceof TypeError) return fault('invalid UTF-8 in bytes, which cannot be converted to string');
    throw error;
  }
}

function textToTimestamp(text: string): Result {
  const nanos = parseTimestamp(text);
  return nanos === undefined ? fault(`${quote(text)} is no timestamp`) : timestampOf(nanos);
}

function textToDuration(text: string): Result {
  const nanos = parseNanos(text);
  if (nanos === undefined || nanos < INT_MIN || nanos > INT_MAX) return fault(`${quote(text)} is no duration`);
  return { kind: 'duration', nanos };
}

/** A text from the object, cut so that no message grows with it. */
function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

function same<T extends CelValue>(name: string, kind: Kind<T>): Overload {
  return func(name, [[kind], kind], ([value]) => value);
}

export const CONVERSIONS: readonly Overload[] = [
  func('dyn', [[DYN], DYN], ([value]) => value),
  func('type', [[DYN], TYPE], ([value]) => typeName(typeNameOf(value))),
  same('int', INT),
  func('int', [[UINT], INT], ([{ value }]) => inRange(value)),
  func('int', [[DOUBLE], INT], ([value]) => doubleToInt(value)),
  func('int', [[STRING], INT], ([text]) => textToInt(text)),
  func('int', [[TIMESTAMP], INT], ([{ nanos }]) => floorDivide(nanos, SECOND)),
  func('int', [[DURATION], INT], ([{ nanos }]) => nanos),
  same('uint', UINT),
  func('uint', [[INT], UINT], ([value]) => unsigned(value)),
  func('uint', [[DOUBLE], UINT], ([value]) => doubleToUint(value)),
  func('uint', [[STRING], UINT], ([text]) => textToUint(text)),
  same('double', DOUBLE),
  func('double', [[INT], DOUBLE], ([value]) => Number(value)),
  func('double', [[UINT], DOUBLE], ([{ value }]) => Number(value)),
  func('double', [[STRING], DOUBLE], ([text]) => textToDouble(text)),
  same('string', STRING),
  func('string', [[BOOL], STRING], ([value]) => String(value)),
  func('string', [[INT], STRING], ([value]) => String(value)),
  func('string', [[UINT], STRING], ([{ value }]) => String(value)),
  func('string', [[DOUBLE], STRING], ([value]) => doubleToText(value)),
  func('string', [[BYTES], STRING], ([content]) => bytesToText(content.bytes)),
  func('string', [[TIMESTAMP], STRING], ([{ nanos }]) => formatTimestamp(nanos)),
  func('string', [[DURATION], STRING], ([{ nanos }]) => formatNanos(nanos)),
  same('bytes', BYTES),
  func('bytes', [[STRING], BYTES], ([text]) => bytes(new TextEncoder().encode(text))),
  same('bool', BOOL),
  func('bool', [[STRING], BOOL], ([text]) => textToBool(text)),
  same('timestamp', TIMESTAMP),
  func('timestamp', [[STRING], TIMESTAMP], ([text]) => textToTimestamp(text)),
  func('timestamp', [[INT], TIMESTAMP], ([seconds]) => timestampOf(seconds * SECOND)),
  same('duration', DURATION),
  func('duration', [[STRING], DURATION], ([text]) => textToDuration(text)),
];
