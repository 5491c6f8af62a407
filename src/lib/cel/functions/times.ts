import { fault, type Meter, OUT_OF_BUDGET, type Result } from '../faults.ts';
import { method, type Overload } from '../overload.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types.ts';
import { INT_MAX, INT_MIN } from '../values.ts';

const SECOND = 1_000_000_000n;
const MILLISECOND = 1_000_000n;

/** The years 1 to 9999. */
const FIRST_TIME = -62_135_596_800n * SECOND;
const LAST_TIME = 253_402_300_800n * SECOND - 1n;

export function timestampOf(nanos: bigint): Result {
  return nanos < FIRST_TIME || nanos > LAST_TIME ? fault('timestamp overflow') : { kind: 'timestamp', nanos };
}

export function durationOf(nanos: bigint): Result {
  return nanos < INT_MIN || nanos > INT_MAX ? fault('duration overflow') : { kind: 'duration', nanos };
}

export function addTime(time: bigint, duration: bigint): Result {
  return timestampOf(time + duration);
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(\d{1,9})\d*)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Nanoseconds since the epoch, or undefined where the text is no time. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const local = `${text.slice(0, 19)}Z`;
  const ms = Date.parse(local);
  // A day or hour beyond the last of its month or day is carried over, or refused.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== local.replace('Z', '.000Z')) return undefined;
  const nanos = BigInt((match[1] ?? '').padEnd(9, '0'));
  return BigInt(ms - (offsetOf(match[2] ?? '') ?? 0)) * MILLISECOND + nanos;
}

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: MILLISECOND,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};

/** Longer ones are no durations that anybody means. */
const MOST_DIGITS = 200;

const DURATION_TEXT = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const TERM = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g;

/** Nanoseconds of a Go duration, or undefined where the text is none. */
export function parseNanos(text: string): bigint | undefined {
  if (text.length > MOST_DIGITS || !DURATION_TEXT.test(text)) return undefined;
  const total = [...text.matchAll(TERM)].reduce((sum, [, whole = '', fraction = '', unit = '']) => {
    const nanos = UNIT_NANOS[unit] ?? 0n;
    return sum + BigInt(whole || '0') * nanos + (BigInt(fraction || '0') * nanos) / 10n ** BigInt(fraction.length);
  }, 0n);
  return text.startsWith('-') ? -total : total;
}

export function formatTimestamp(nanos: bigint): string {
  const text = new Date(Number(floorDivide(nanos, MILLISECOND))).toISOString();
  return `${text.slice(0, 19)}${fractionOf(nanos - floorDivide(nanos, SECOND) * SECOND)}Z`;
}

export function formatNanos(nanos: bigint): string {
  const positive = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? '-' : ''}${String(positive / SECOND)}${fractionOf(positive % SECOND)}s`;
}

function fractionOf(nanos: bigint): string {
  return nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}

export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

const OFFSET = /^([+-]?)(\d{1,2}):(\d{2})$/;

/** Milliseconds of `+02:00`. */
function offsetOf(zone: string): number | undefined {
  const match = OFFSET.exec(zone);
  if (match === null) return undefined;
  const ms = (Number(match[2]) * 60 + Number(match[3])) * 60_000;
  return match[1] === '-' ? -ms : ms;
}

/** What a clock on the wall shows there, as if it were UTC; undefined where the zone is unknown. */
function wallTime(nanos: bigint, zone: string): Date | undefined {
  const ms = Number(floorDivide(nanos, MILLISECOND));
  const offset = offsetOf(zone);
  if (offset !== undefined) return new Date(ms + offset);
  return zone === '' || zone === 'UTC' ? new Date(ms) : namedWallTime(ms, zone);
}

function namedWallTime(ms: number, zone: string): Date | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
    const date = new Date(0);
    date.setUTCFullYear(part('year'), part('month') - 1, part('day'));
    date.setUTCHours(part('hour'), part('minute'), part('second'), ((ms % 1000) + 1000) % 1000);
    return date;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function dayOfYear(date: Date): number {
  const day = new Date(date);
  day.setUTCMonth(0, 1);
  return Math.round((date.getTime() - day.getTime()) / 86_400_000);
}

const FIELDS: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: dayOfYear,
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const SPANS: Readonly<Record<string, bigint>> = {
  getHours: 3600n * SECOND,
  getMinutes: 60n * SECOND,
  getSeconds: SECOND,
  getMilliseconds: MILLISECOND,
};

/** What looking up a zone by its name costs. */
const ZONE_COST = 500;

function readZoned(nanos: bigint, zone: string, [read, meter]: readonly [(date: Date) => number, Meter]): Result {
  meter.spend(ZONE_COST);
  return meter.isEmpty() ? OUT_OF_BUDGET : readField(nanos, zone, read);
}

function readField(nanos: bigint, zone: string, read: (date: Date) => number): Result {
  const wall = wallTime(nanos, zone);
  return wall === undefined ? fault(`unknown time zone ${zone}`) : BigInt(read(wall));
}

export const TIME_FUNCTIONS: readonly Overload[] = [
  ...Object.entries(FIELDS).flatMap(([name, read]) => [
    method(name, [[TIMESTAMP], INT], ([time]) => readField(time.nanos, '', read)),
    method(name, [[TIMESTAMP, STRING], INT], ([time, zone], meter) => readZoned(time.nanos, zone, [read, meter])),
  ]),
  ...Object.entries(SPANS).map(([name, unit]) =>
    method(name, [[DURATION], INT], ([duration]) => duration.nanos / unit),
  ),
];
