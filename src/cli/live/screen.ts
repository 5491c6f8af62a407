import type { Output, TerminalSize } from '../host.ts';
import { textWidth, truncate } from '../text/width.ts';

const ESC = '\u001b[';
/** Terminals that know it show the frame at once; others ignore it. */
const BEGIN_FRAME = `${ESC}?2026h`;
const END_FRAME = `${ESC}?2026l`;
const HIDE_CURSOR = `${ESC}?25l`;
const SHOW_CURSOR = `${ESC}?25h`;
const ERASE_TO_LINE_END = `${ESC}K`;
const ERASE_BELOW = `${ESC}J`;

/** What of the lines fits on a terminal: cut at its right edge, and at its bottom with the number of those left out. */
export function fitLines(lines: readonly string[], size: TerminalSize): readonly string[] {
  const room = Math.max(1, size.rows - 1);
  const shown =
    lines.length <= room ? lines : [...lines.slice(0, room - 1), `… ${String(lines.length - room + 1)} more lines`];
  return shown.map((line) => truncate(line, Math.max(1, size.columns - 1)));
}

/** Terminal rows that lines occupy, those included that wrap because the terminal became narrower. */
export function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
}

/** The sequence that replaces what is drawn by other lines, without clearing first, so that nothing flickers. */
export function redraw(before: readonly string[], after: readonly string[], columns: number): string {
  const up = rowsOf(before, columns);
  const back = up === 0 ? '' : `${ESC}${String(up)}A\r`;
  const body = after.map((line) => `${line}${ERASE_TO_LINE_END}\n`).join('');
  return `${BEGIN_FRAME}${back}${body}${ERASE_BELOW}${END_FRAME}`;
}

/** A block of lines at the bottom of a terminal that is redrawn in place. */
export class Screen {
  readonly #output: Output;
  #drawn: readonly string[] = [];
  #started = false;

  constructor(output: Output) {
    this.#output = output;
  }

  draw(lines: readonly string[]): void {
    const size = this.#output.size();
    const fitting = fitLines(lines, size);
    this.#output.write((this.#started ? '' : HIDE_CURSOR) + redraw(this.#drawn, fitting, size.columns));
    this.#drawn = fitting;
    this.#started = true;
  }

  /** Leaves the last frame where it is. */
  close(): void {
    if (this.#started) this.#output.write(SHOW_CURSOR);
    this.#started = false;
    this.#drawn = [];
  }
}
