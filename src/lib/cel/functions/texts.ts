import { fault, isFault, OUT_OF_BUDGET, type Meter, type Result } from '../faults.ts';
import { func, method, type Overload } from '../overload.ts';
import { BOOL, BYTES, DYN, INT, list, map, STRING } from '../types.ts';
import { type CelList, itemsOf, listOf } from '../values.ts';
import { formatText } from './format.ts';
import { matchText } from './regex.ts';

/** Characters are code points. */
function sizeOf(text: string): bigint {
  return BigInt(Array.from(text).length);
}

function outOfRange(index: bigint): Result {
  return fault(`index out of range: ${String(index)}`);
}

function charAt(text: string, index: bigint): Result {
  const characters = Array.from(text);
  if (index < 0n || index > characters.length) return outOfRange(index);
  return characters[Number(index)] ?? '';
}

function substring(text: string, start: bigint, end?: bigint): Result {
  const characters = Array.from(text);
  const last = end ?? BigInt(characters.length);
  if (start < 0n || start > characters.length) return outOfRange(start);
  if (last < 0n || last > characters.length) return outOfRange(last);
  if (start > last) return fault(`invalid substring range. start: ${String(start)}, end: ${String(last)}`);
  return characters.slice(Number(start), Number(last)).join('');
}

/** The index of the first place, at or after `from`, where the other text is. */
function indexOf(text: string, other: string, from: bigint): Result {
  const characters = Array.from(text);
  if (from < 0n) return outOfRange(from);
  if (from >= characters.length) return other === '' && from === BigInt(characters.length) ? from : -1n;
  const units = characters.slice(0, Number(from)).join('').length;
  return codePointIndex(text, text.indexOf(other, units));
}

/** The index of the last place, at or before `from`, where the other text is. */
function lastIndexOf(text: string, other: string, from: bigint): Result {
  const characters = Array.from(text);
  if (from < 0n) return outOfRange(from);
  if (from >= characters.length) return -1n;
  const units = characters.slice(0, Number(from)).join('').length;
  return codePointIndex(text, text.lastIndexOf(other, units));
}

function codePointIndex(text: string, units: number): bigint {
  return units < 0 ? -1n : sizeOf(text.slice(0, units));
}

function replaceSome(text: string, [from, to]: readonly [string, string], most: bigint): string {
  if (most === 0n) return text;
  const pieces = from === '' ? ['', ...Array.from(text), ''] : text.split(from);
  const times = most < 0n ? pieces.length - 1 : Math.min(Number(most), pieces.length - 1);
  const replaced = pieces.slice(0, times + 1).join(to);
  return [replaced, ...pieces.slice(times + 1)].join(from);
}

function replace(text: string, pair: readonly [string, string], rest: readonly [bigint, Meter]): Result {
  const [most, meter] = rest;
  meter.spend((text.length * pair[1].length) / 64);
  return meter.isEmpty() ? OUT_OF_BUDGET : replaceSome(text, pair, most);
}

function split(text: string, separator: string, most: bigint): Result {
  if (most === 0n) return listOf([]);
  const pieces = separator === '' ? Array.from(text) : text.split(separator);
  if (most < 0n || pieces.length <= most) return listOf(pieces);
  const head = pieces.slice(0, Number(most) - 1);
  return listOf([...head, pieces.slice(head.length).join(separator)]);
}

function join(parts: CelList, separator: string, meter: Meter): Result {
  meter.spend((parts.length * separator.length) / 64);
  const texts: string[] = [];
  for (const part of itemsOf(parts)) {
    if (typeof part !== 'string') return fault('join() wants a list of strings');
    meter.spend(part.length / 64);
    if (meter.isEmpty()) return OUT_OF_BUDGET;
    texts.push(part);
  }
  return texts.join(separator);
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function upperAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

const SPACE = /^\p{White_Space}$/u;

/** Unicode's white space, as Go knows it; every one of it is a single unit. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text.charAt(start))) start += 1;
  while (start < end && SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

function quoteText(text: string): string {
  return `"${Array.from(text)
    .map((character) => ESCAPES.get(character) ?? character)
    .join('')}"`;
}

function contains(text: string, other: string): boolean {
  return text.includes(other);
}

const STRINGS = list(STRING);

export const TEXT_FUNCTIONS: readonly Overload[] = [
  func('size', [[STRING], INT], ([text]) => sizeOf(text)),
  method('size', [[STRING], INT], ([text]) => sizeOf(text)),
  func('size', [[BYTES], INT], ([content]) => BigInt(content.bytes.length)),
  method('size', [[BYTES], INT], ([content]) => BigInt(content.bytes.length)),
  func('size', [[list(DYN)], INT], ([items]) => BigInt(items.length)),
  method('size', [[list(DYN)], INT], ([items]) => BigInt(items.length)),
  func('size', [[map(DYN, DYN)], INT], ([fields]) => BigInt(fields.size)),
  method('size', [[map(DYN, DYN)], INT], ([fields]) => BigInt(fields.size)),
  method('contains', [[STRING, STRING], BOOL], ([text, other]) => contains(text, other)),
  method('startsWith', [[STRING, STRING], BOOL], ([text, other]) => text.startsWith(other)),
  method('endsWith', [[STRING, STRING], BOOL], ([text, other]) => text.endsWith(other)),
  func('matches', [[STRING, STRING], BOOL], ([text, pattern], meter) => matchText(text, pattern, meter)),
  method('matches', [[STRING, STRING], BOOL], ([text, pattern], meter) => matchText(text, pattern, meter)),
  method('charAt', [[STRING, INT], STRING], ([text, index]) => charAt(text, index)),
  method('substring', [[STRING, INT], STRING], ([text, start]) => substring(text, start)),
  method('substring', [[STRING, INT, INT], STRING], ([text, start, end]) => substring(text, start, end)),
  method('indexOf', [[STRING, STRING], INT], ([text, other]) => indexOf(text, other, 0n)),
  method('indexOf', [[STRING, STRING, INT], INT], ([text, other, from]) => indexOf(text, other, from)),
  method('lastIndexOf', [[STRING, STRING], INT], ([text, other]) => codePointIndex(text, text.lastIndexOf(other))),
  method('lastIndexOf', [[STRING, STRING, INT], INT], ([text, other, from]) => lastIndexOf(text, other, from)),
  method('lowerAscii', [[STRING], STRING], ([text]) => lowerAscii(text)),
  method('upperAscii', [[STRING], STRING], ([text]) => upperAscii(text)),
  method('replace', [[STRING, STRING, STRING], STRING], ([text, from, to], meter) =>
    replace(text, [from, to], [-1n, meter]),
  ),
  method('replace', [[STRING, STRING, STRING, INT], STRING], ([text, from, to, most], meter) =>
    replace(text, [from, to], [most, meter]),
  ),
  method('split', [[STRING, STRING], STRINGS], ([text, separator]) => split(text, separator, -1n)),
  method('split', [[STRING, STRING, INT], STRINGS], ([text, separator, most]) => split(text, separator, most)),
  method('join', [[STRINGS], STRING], ([parts], meter) => join(parts, '', meter)),
  method('join', [[STRINGS, STRING], STRING], ([parts, separator], meter) => join(parts, separator, meter)),
  method('trim', [[STRING], STRING], ([text]) => trim(text)),
  method('reverse', [[STRING], STRING], ([text]) => Array.from(text).reverse().join('')),
  func('strings.quote', [[STRING], STRING], ([text]) => quoteText(text)),
  method('format', [[STRING, list(DYN)], STRING], ([text, values], meter) => formatText(text, values, meter)),
];

/** Whether a constant pattern can be used at all. */
export function checkPattern(pattern: string, meter: Meter): Result {
  const result = matchText('', pattern, meter);
  return isFault(result) ? result : true;
}
