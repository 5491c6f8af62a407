const STYLE = /\u001b\[[0-9;]*m/g;
/** East Asian wide characters and emoji take two cells, marks that combine none. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const COMBINING = /[\u0300-\u036f\u200b-\u200f\ufe00-\ufe0f]/u;

function cells(character: string): number {
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Cells that a text takes on a terminal, styles aside. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(STYLE, '')) width += cells(character);
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** At most so many cells, the end replaced by `…`; styles are kept whole and closed. */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let result = '';
  let left = width - 1;
  for (const part of text.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith('\u001b')) {
      result += part;
      continue;
    }
    for (const character of part) {
      if (left < cells(character)) return `${result}…${result.includes('\u001b') ? '\u001b[0m' : ''}`;
      left -= cells(character);
      result += character;
    }
  }
  return result;
}
