import { textWidth } from './width.ts';

/** Lines of at most so many cells, parted between words; a word that is longer stands by itself. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const fits = last !== undefined && textWidth(last) + 1 + textWidth(word) <= width;
    if (fits) lines[lines.length - 1] = `${last} ${word}`;
    // Of several blanks none begins a line.
    else if (word !== '') lines.push(word);
  }
  return lines.length === 0 ? [''] : lines;
}
