export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

/** Words that would not be read back as text. */
const WORDS: ReadonlySet<string> = new Set(
  [
    'y Y yes Yes YES on On ON true True TRUE n N no No NO off Off OFF false False FALSE',
    '~ null Null NULL .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF',
  ]
    .join(' ')
    .split(' '),
);
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INTEGER = /^[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const TIME = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?$/;
const FIRST_INDICATORS = /^[#,[\]{}&*!|>'"%@`]/;

/** How Go's yaml library would write a text. */
export function chooseStyle(text: string, { isKey }: { readonly isKey: boolean }): ScalarStyle {
  if (text.includes('\n')) return literalOr(text, isKey);
  if (!isText(text)) return 'double';
  if (isPlain(text)) return 'plain';
  return isSpecial(text) ? 'double' : 'single';
}

function literalOr(text: string, isKey: boolean): ScalarStyle {
  const isAllowed = !isKey && !isSpecial(text) && !text.endsWith(' ') && !/ [\n\u0085\u2028\u2029]/.test(text);
  return isAllowed ? 'literal' : 'double';
}

/** Whether it would be read back as text when it stands alone. */
function isText(text: string): boolean {
  if (text === '' || WORDS.has(text) || isTime(text)) return false;
  if (!/^[-+.0-9]/.test(text)) return true;
  const digits = text.replaceAll('_', '');
  const isFloat = FLOAT.test(digits) && Number.isFinite(Number(digits));
  return !isFloat && (text.startsWith('.') || (!INTEGER.test(digits) && !BASE_60.test(text)));
}

/** Of a day that there is. */
function isTime(text: string): boolean {
  const [year, month, day] = (TIME.exec(text)?.[0] ?? '').split(/\D/).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isPlain(text: string): boolean {
  if (isSpecial(text) || /^[ \u0085\u2028\u2029]|[ \u0085\u2028\u2029]$/.test(text)) return false;
  if (/[\u0085\u2028\u2029]/.test(text) || text.startsWith('---') || text.startsWith('...')) return false;
  if (FIRST_INDICATORS.test(text) || /^[-?:](?:[ \t]|$)/.test(text)) return false;
  return !/:(?:[ \t]|$)/.test(text.slice(1)) && !/[ \t\u0085\u2028\u2029]#/.test(text);
}

function isSpecial(text: string): boolean {
  return Array.from(text).some((character) => !isPrintable(character));
}

/** What the library takes for printable: no tab, nothing beyond the basic plane. */
export function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0a || (code >= 0x20 && code <= 0x7e)) return true;
  return code >= 0xa0 && code <= 0xfffd && code !== 0xfeff && !(code >= 0xd800 && code <= 0xdfff);
}
