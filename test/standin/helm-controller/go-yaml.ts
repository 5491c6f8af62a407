import type { JsonValue } from '../../../src/lib/json.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import { chooseStyle, isPrintable } from './go-yaml-style.ts';

const WIDTH = 80;
const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x00, '0'],
  [0x07, 'a'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0b, 'v'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x1b, 'e'],
  [0x22, '"'],
  [0x5c, '\\'],
  [0x85, 'N'],
  [0xa0, '_'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);

/** YAML as version 2 of Go's yaml library writes it, keys sorted by their bytes. The digest of values is taken of this text. */
export function goYaml(value: JsonValue): string {
  return isCollection(value) ? block(value, 0) : `${scalar(value, 0, 0)}\n`;
}

function block(value: JsonValue, indent: number): string {
  return Array.isArray(value) ? sequence(value as readonly JsonValue[], indent) : mapping(value, indent);
}

function mapping(value: JsonValue, indent: number): string {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const sorted = entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return sorted.map(([key, item], index) => entry({ key, item, indent, isFirst: index === 0 })).join('');
}

function entry(options: {
  readonly key: string;
  readonly item: JsonValue;
  readonly indent: number;
  readonly isFirst: boolean;
}): string {
  const { key, item, indent, isFirst } = options;
  // The first key stands behind the dash of a sequence, if there is one.
  const head = `${isFirst ? '' : ' '.repeat(indent)}${writeKey(key)}:`;
  if (isJsonObject(item) && isCollection(item)) return `${head}\n${' '.repeat(indent + 2)}${block(item, indent + 2)}`;
  // A sequence in a mapping is not indented.
  if (isCollection(item)) return `${head}\n${' '.repeat(indent)}${block(item, indent)}`;
  const column = indent + head.trimStart().length + 1;
  return `${head} ${scalar(item, indent + 2, column)}\n`;
}

function sequence(items: readonly JsonValue[], indent: number): string {
  return items
    .map((item, index) => {
      const head = `${index === 0 ? '' : ' '.repeat(indent)}- `;
      return isCollection(item)
        ? `${head}${block(item, indent + 2)}`
        : `${head}${scalar(item, indent + 2, indent + 2)}\n`;
    })
    .join('');
}

function isCollection(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0;
}

function writeKey(key: string): string {
  const style = chooseStyle(key, { isKey: true });
  if (style === 'plain') return key;
  return style === 'single' ? `'${key.replaceAll("'", "''")}'` : doubleQuoted(key, { breakAt: undefined, column: 0 });
}

function scalar(value: JsonValue, indent: number, column: number): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return goNumber(value);
  if (typeof value !== 'string') return Array.isArray(value) ? '[]' : '{}';
  const style = chooseStyle(value, { isKey: false });
  if (style === 'plain') return folded(value, { indent, column, isQuoted: false });
  if (style === 'single') return `'${folded(value, { indent, column: column + 1, isQuoted: true })}'`;
  if (style === 'literal') return literal(value, indent);
  return doubleQuoted(value, { breakAt: indent, column });
}

/** Whole numbers of 64 bits as such; others as Go's %g, which takes an exponent from a million on. */
function goNumber(value: number): string {
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64) return BigInt(value).toString();
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  const size = String(Math.abs(power)).padStart(2, '0');
  return `${digits}e${power < 0 ? '-' : '+'}${size}`;
}

interface Folding {
  readonly indent: number;
  readonly column: number;
  readonly isQuoted: boolean;
}

/** A line that has become too long is broken at its next single space. */
function folded(value: string, { indent, column, isQuoted }: Folding): string {
  const characters = Array.from(value);
  let [text, at] = ['', column];
  for (const [index, character] of characters.entries()) {
    const isEdge = isQuoted && isAtEdge(index, characters);
    const breaks = at > WIDTH && !isEdge && isSingleSpace(index, characters);
    const written = breaks ? newLine(indent) : isQuoted && character === "'" ? "''" : character;
    text += written;
    at = breaks ? indent : at + written.length;
  }
  return text;
}

function isSingleSpace(index: number, characters: readonly string[]): boolean {
  return characters[index] === ' ' && characters[index - 1] !== ' ' && characters[index + 1] !== ' ';
}

function isAtEdge(index: number, characters: readonly string[]): boolean {
  return index === 0 || index === characters.length - 1;
}

function newLine(indent: number): string {
  return `\n${' '.repeat(indent)}`;
}

function literal(value: string, indent: number): string {
  const hint = /^[ \n]/.test(value) ? '2' : '';
  const chomp = value.endsWith('\n') ? (value === '\n' || value.endsWith('\n\n') ? '+' : '') : '-';
  const lines = value.replace(/\n$/, '').split('\n');
  return `|${hint}${chomp}\n${lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`)).join('\n')}`;
}

function doubleQuoted(
  value: string,
  { breakAt, column }: { readonly breakAt: number | undefined; readonly column: number },
): string {
  const characters = Array.from(value);
  let [text, at] = ['"', column + 1];
  for (const [index, character] of characters.entries()) {
    const isBreak = at > WIDTH && character === ' ' && characters[index - 1] !== ' ' && !isAtEdge(index, characters);
    if (breakAt !== undefined && isBreak) {
      // What follows must not be taken for indentation.
      const escape = characters[index + 1] === ' ' ? '\\' : '';
      text += `${newLine(breakAt)}${escape}`;
      at = breakAt + escape.length;
    } else {
      const written = isWrittenAsIs(character) ? character : escaped(character);
      text += written;
      at += Array.from(written).length;
    }
  }
  return `${text}"`;
}

function isWrittenAsIs(character: string): boolean {
  return isPrintable(character) && !/["\\\n\u0085\u2028\u2029]/.test(character);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const short = ESCAPES.get(code);
  if (short !== undefined) return `\\${short}`;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
