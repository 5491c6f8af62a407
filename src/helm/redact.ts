import { isRecord } from '../lib/json.ts';

const HIDDEN = '(hidden)';
/** Shorter values, and the words of YAML, are everywhere: hiding them would hide the message. */
const MIN_LENGTH = 4;
const WORDS: readonly string[] = ['true', 'false', 'null'];
/** From here on a value is hidden inside other words, too. */
const MIN_LENGTH_INSIDE = 6;
/** Shorter numbers are ports, counts and positions in a file. */
const MIN_DIGITS = 6;
const MAX_QUOTED = 80;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/**
 * Hides every value of the user in a text of helm, as it is and as a Secret's data has it: which of them are secret
 * is not known here. `names` stay readable, and so do the keys of the values where they stand as keys.
 */
export function redact(text: string, values: unknown, names: readonly string[] = []): string {
  const hidden = [...new Set(spellingsIn(values))]
    .filter((spelling) => text.includes(spelling) && !names.includes(spelling))
    .sort((a, b) => b.length - a.length);
  if (hidden.length === 0) return text;
  const keys = new Set(keysIn(values));
  const patterns = hidden.map((spelling) => patternOf(spelling, keys.has(spelling)));
  return text.replaceAll(new RegExp(patterns.join('|'), 'gu'), HIDDEN);
}

/** The API server and schema validators quote what they refuse, sometimes whole objects. */
export function dropQuotedValues(text: string): string {
  return text
    .replaceAll(/Invalid value: [\w.*&]*\{.*\}(?=: )/g, 'Invalid value')
    .replaceAll(new RegExp(`"(?:[^"\\\\]|\\\\.){${String(MAX_QUOTED)},}"`, 'g'), '"…"')
    .replaceAll(/^(- at '[^']*': )'.*' (does not match|is not valid)/gm, '$1the value $2');
}

function patternOf(spelling: string, isKey: boolean): string {
  const literal = spelling.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const whole = spelling.length < MIN_LENGTH_INSIDE ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])` : literal;
  return isKey ? `(?<![/.])${whole}(?!['"]?:)` : whole;
}

function spellingsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return stringSpellings(value);
  if (typeof value === 'number') return numberSpellings(Math.abs(value));
  if (Array.isArray(value)) return value.flatMap((item) => spellingsIn(item));
  return isRecord(value) ? Object.values(value).flatMap((item) => spellingsIn(item)) : [];
}

function keysIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keysIn(item));
  return isRecord(value) ? Object.entries(value).flatMap(([key, item]) => [key, ...keysIn(item)]) : [];
}

function stringSpellings(value: string): readonly string[] {
  const lines = value.split('\n').map((line) => line.trim());
  const escaped = JSON.stringify(value).slice(1, -1);
  return [value, escaped, ...lines, Buffer.from(value).toString('base64')].filter(
    (spelling) => spelling.length >= MIN_LENGTH && !WORDS.includes(spelling),
  );
}

/** As JSON has a number, as Go prints it (`9.18273645e+08`), and as schema validators do (`9.18273645×10⁰⁸`, `123,456`). */
function numberSpellings(value: number): readonly string[] {
  const plain = String(value);
  if (digitsIn(plain) < MIN_DIGITS) return [];
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  const power = exponent.slice(1).padStart(2, '0');
  const raised = power.replaceAll(/\d/g, (digit) => SUPERSCRIPTS.charAt(Number(digit)));
  return [
    plain,
    plain.replace(/^\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')),
    `${mantissa}e${sign}${power}`,
    `${mantissa}×10${sign === '-' ? '⁻' : ''}${raised}`,
    ...(digitsIn(mantissa) < MIN_DIGITS ? [] : [mantissa]),
  ];
}

function digitsIn(text: string): number {
  return text.replaceAll(/\D/g, '').length;
}
