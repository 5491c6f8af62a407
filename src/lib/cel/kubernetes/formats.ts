import { type Result } from '../faults.ts';
import { func, method, type Overload } from '../overload.ts';
import { list, opaque, optional, STRING } from '../types.ts';
import { type CelOpaque, listOf, NONE, some } from '../values.ts';
import { asPrefix, label, label1035, labelValue, type Problems, qualifiedName, subdomain } from './names.ts';
import { requestMistake } from './parse-url.ts';

interface CelFormat extends CelOpaque {
  readonly type: 'kubernetes.NamedFormat';
  readonly judge: (text: string) => Problems;
}

const FORMAT = opaque<CelFormat>('kubernetes.NamedFormat');

function check(isValid: (text: string) => boolean, problem: string): (text: string) => Problems {
  return (text) => (isValid(text) ? [] : [problem]);
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE_64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
/** The last second of a minute is never 60. */
const TIME = /^(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  const count = daysOf(Number(year), Number(month));
  return Number(day) >= 1 && Number(day) <= count;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  return isDate(date) && TIME.test(time);
}

function uri(text: string): Problems {
  const mistake = requestMistake(text);
  return mistake === undefined ? [] : [mistake];
}

const JUDGES: Readonly<Record<string, (text: string) => Problems>> = {
  dns1123Label: label,
  dns1123Subdomain: subdomain,
  dns1035Label: label1035,
  qualifiedName,
  dns1123LabelPrefix: asPrefix(label),
  dns1123SubdomainPrefix: asPrefix(subdomain),
  dns1035LabelPrefix: asPrefix(label1035),
  labelValue,
  uri,
  uuid: check((text) => UUID.test(text), 'does not match the UUID format'),
  byte: check((text) => text !== '' && BASE_64.test(text), 'invalid base64'),
  date: check(isDate, 'invalid date'),
  datetime: check(isDateTime, 'invalid datetime'),
};

const FORMATS: ReadonlyMap<string, CelFormat> = new Map(
  Object.entries(JUDGES).map(([key, judge]) => [key, { kind: 'opaque', type: 'kubernetes.NamedFormat', key, judge }]),
);

function named(name: string): Result {
  const format = FORMATS.get(name);
  return format === undefined ? NONE : some(format);
}

function validate({ judge }: CelFormat, text: string): Result {
  const problems = judge(text);
  return problems.length === 0 ? NONE : some(listOf(problems));
}

export const FORMAT_FUNCTIONS: readonly Overload[] = [
  ...[...FORMATS].map(([name, format]) => func(`format.${name}`, [[], FORMAT], () => format)),
  func('format.named', [[STRING], optional(FORMAT)], ([name]) => named(name)),
  method('validate', [[FORMAT, STRING], optional(list(STRING))], ([format, text]) => validate(format, text)),
];
