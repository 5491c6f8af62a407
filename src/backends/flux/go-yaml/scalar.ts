import { isReadAsText } from './resolve.ts';

/** Where a scalar is written: the column of its first character, and the one where a folded line goes on. */
export interface Place {
  readonly column: number;
  readonly indent: number;
  readonly isKey: boolean;
}

type Style = 'plain' | 'single' | 'double' | 'literal';

/** What a text allows. */
interface Allowed {
  readonly plain: boolean;
  readonly single: boolean;
  readonly literal: boolean;
}

const WIDTH = 80;
const INDENT = 2;
/** Bytes of a key that is still written in one line with its value. */
const LONGEST_KEY = 128;
const INDICATORS = '#,[]{}&*!|>\'"%@`';
const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\x85': 'N',
  '\xa0': '_',
};

/** A text as Go writes it; undefined for the few whose form is not known here. */
export function goText(text: string, place: Place): string | undefined {
  if (/[\u2028\u2029\ufeff\ud800-\udfff]/u.test(text)) return undefined;
  if (place.isKey && (/[\n\r\x85]/.test(text) || Buffer.byteLength(text) > LONGEST_KEY)) return undefined;
  switch (styleOf(text)) {
    case 'plain':
      return folded(text, place, (character) => character);
    case 'single':
      return `'${folded(text, { ...place, column: place.column + 1 }, (each) => (each === "'" ? "''" : each))}'`;
    case 'double':
      return `"${doubleQuoted(text, { ...place, column: place.column + 1 })}"`;
    case 'literal':
      return literal(text, place);
  }
}

function styleOf(text: string): Style {
  const allowed = analyze(text);
  if (text.includes('\n')) return allowed.literal ? 'literal' : 'double';
  if (!isReadAsText(text)) return 'double';
  if (allowed.plain) return 'plain';
  return allowed.single ? 'single' : 'double';
}

function analyze(text: string): Allowed {
  const hasSpecial = Array.from(text).some((character) => !isPrintable(character)) || / [\n\r\x85]/.test(text);
  return {
    plain: !hasSpecial && !hasIndicators(text) && !/^[ \n]|[ \n]$|\n/.test(text),
    single: !hasSpecial && !/\n /.test(text),
    literal: !hasSpecial && !text.endsWith(' '),
  };
}

/** Characters that mean something in a plain scalar. */
function hasIndicators(text: string): boolean {
  if (text.startsWith('---') || text.startsWith('...')) return true;
  if (INDICATORS.includes(text.charAt(0)) || /^[-?:](?:[ \t]|$)/.test(text)) return true;
  return /:(?:[ \t]|$)/.test(text.slice(1)) || /[ \t\n\r\x85\0]#/.test(text);
}

function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0a || (code >= 0x20 && code <= 0x7e)) return true;
  return code >= 0xa0 && code <= 0xfffd && !(code >= 0xd800 && code <= 0xdfff);
}

/** Broken at a single space once the line is too long. */
function folded(text: string, { column, indent, isKey }: Place, write: (character: string) => string): string {
  const characters = Array.from(text);
  let written = '';
  let at = column;
  let wasSpace = false;
  for (const [index, character] of characters.entries()) {
    const isSpace = character === ' ';
    const isInside = index > 0 && index < characters.length - 1 && characters[index + 1] !== ' ';
    if (isSpace && !isKey && !wasSpace && at > WIDTH && isInside) {
      written += `\n${' '.repeat(indent)}`;
      at = indent;
    } else {
      const piece = write(character);
      written += piece;
      at += piece.length;
    }
    wasSpace = isSpace;
  }
  return written;
}

function doubleQuoted(text: string, { column, indent, isKey }: Place): string {
  const characters = Array.from(text);
  let written = '';
  let at = column;
  let wasSpace = false;
  for (const [index, character] of characters.entries()) {
    const isSpace = character === ' ';
    if (isSpace && !isKey && !wasSpace && at > WIDTH && index > 0 && index < characters.length - 1) {
      const guard = characters[index + 1] === ' ' ? '\\' : '';
      written += `\n${' '.repeat(indent)}${guard}`;
      at = indent + guard.length;
    } else {
      const piece = escaped(character);
      written += piece;
      at += piece.length;
    }
    wasSpace = isSpace;
  }
  return written;
}

function escaped(character: string): string {
  const short = ESCAPES[character];
  if (short !== undefined && (character === '"' || character === '\\' || isEscaped(character))) return `\\${short}`;
  if (!isEscaped(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function isEscaped(character: string): boolean {
  return character === '\n' || !isPrintable(character);
}

function literal(text: string, { indent }: Place): string {
  const hint = /^[ \n]/.test(text) ? String(INDENT) : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const lines = text.split('\n').map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`));
  return `|${hint}${chomp}\n${lines.join('\n')}`;
}
