/**
 * What the YAML library of Go would read in a plain scalar: it quotes a text that would be read as something else. The
 * rules are those of version 2 of that library, with which Flux writes values before it takes their digest.
 */

const WORDS: ReadonlySet<string> = new Set([
  ...['', '~', 'null', 'Null', 'NULL'],
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'],
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'],
  ...['.nan', '.NaN', '.NAN', '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF', '-.inf', '-.Inf', '-.INF'],
]);

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const DOT_FLOAT = /^\.[0-9]+(?:_[0-9]+)*([eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})/;
const TIMES: readonly RegExp[] = [
  /^[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})([.,]\d+)?(Z|[-+](\d\d):(\d\d))$/,
  /^ (\d{1,2}):(\d{1,2}):(\d{1,2})([.,]\d+)?$/,
];
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

export function isReadAsText(text: string): boolean {
  if (WORDS.has(text) || BASE_60.test(text)) return false;
  const first = text.charAt(0);
  if (first === '.') return !isFinite(text, DOT_FLOAT);
  if (!/[-+0-9]/.test(first)) return true;
  const plain = text.replaceAll('_', '');
  return !isTimestamp(text) && !isInteger(plain) && !isFinite(plain, FLOAT);
}

function isFinite(text: string, form: RegExp): boolean {
  return form.test(text) && Number.isFinite(Number(text.replaceAll('_', '')));
}

function isInteger(text: string): boolean {
  const [, sign = '', digits = ''] = INTEGER.exec(text) ?? [];
  if (digits === '') return false;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  if (sign === '-') return magnitude <= MAX_INT64 + 1n;
  return magnitude <= (sign === '' ? MAX_UINT64 : MAX_INT64);
}

function isTimestamp(text: string): boolean {
  const date = DATE.exec(text);
  if (date === null || !isDay(Number(date[1]), Number(date[2]), Number(date[3]))) return false;
  const rest = text.slice(date[0].length);
  if (rest === '') return true;
  return TIMES.some((form) => {
    const time = form.exec(rest);
    if (time === null) return false;
    const [hour, minute, second, , , zoneHour, zoneMinute] = time.slice(1).map(Number);
    return (hour ?? 0) < 24 && (minute ?? 0) < 60 && (second ?? 0) < 60 && isZone(zoneHour, zoneMinute);
  });
}

function isZone(hour = 0, minute = 0): boolean {
  return !(hour > 24 || minute >= 60);
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}
