import { isRecord } from '../../lib/json.ts';

const HIDDEN = '(hidden)';
/** Shorter values are words of everyday (`true`, `nginx`): hiding them would hide the message. */
const MIN_LENGTH = 6;
const MAX_QUOTED = 80;

/**
 * Hides every value of the user in a text of helm, as it is and as a Secret's data has it: which of them are secret
 * is not known here. `names` stay readable.
 */
export function redact(text: string, values: unknown, names: readonly string[] = []): string {
  const hidden = [...new Set(leaves(values).flatMap((leaf) => spellings(leaf)))]
    .filter((spelling) => spelling.length >= MIN_LENGTH && !names.includes(spelling))
    .sort((a, b) => b.length - a.length);
  return hidden.reduce((rest, spelling) => rest.replaceAll(spelling, HIDDEN), text);
}

/** The API server and schema validators quote what they refuse, sometimes whole objects. */
export function dropQuotedValues(text: string): string {
  return text
    .replaceAll(/Invalid value: [\w.*&]*\{.*\}(?=: )/g, 'Invalid value')
    .replaceAll(new RegExp(`"(?:[^"\\\\]|\\\\.){${String(MAX_QUOTED)},}"`, 'g'), '"…"')
    .replaceAll(/^(- at '[^']*': )'.*' (does not match|is not valid)/gm, '$1the value $2');
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item));
  return isRecord(value) ? Object.values(value).flatMap((item) => leaves(item)) : [];
}

function spellings(leaf: string): readonly string[] {
  const lines = leaf.split('\n').map((line) => line.trim());
  const escaped = JSON.stringify(leaf).slice(1, -1);
  return [leaf, escaped, ...lines, Buffer.from(leaf).toString('base64')];
}
