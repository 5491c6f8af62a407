import { describe, expect, it } from 'vitest';
import { CapturedOutput } from '../../../test/fakes/cli-world.ts';
import { fitLines, redraw, rowsOf, Screen } from './screen.ts';

/** What a terminal shows after text with the few sequences that are used; lines wrap at its edge. */
function terminal(text: string, columns: number): readonly string[] {
  const rows: string[] = [''];
  let row = 0;
  let column = 0;
  const sequence = /\u001b\[(\?\d+[hl]|\d*[AKJ])|[^]/gu;
  for (const [whole, code] of text.matchAll(sequence)) {
    if (code?.endsWith('A')) row -= Number(code.slice(0, -1));
    else if (code === 'K') rows[row] = (rows[row] ?? '').slice(0, column);
    else if (code === 'J') rows.splice(row + (column === 0 ? 0 : 1));
    else if (whole === '\r') column = 0;
    else if (whole === '\n') [row, column] = [row + 1, 0];
    else if (code === undefined) {
      if (column === columns) [row, column] = [row + 1, 0];
      rows[row] = (rows[row] ?? '').slice(0, column) + whole + (rows[row] ?? '').slice(column + 1);
      column += 1;
    }
  }
  return rows;
}

describe('a screen', () => {
  it.each([
    ['fewer lines', ['one', 'two', 'three'], ['1']],
    ['more lines', ['one'], ['1', '2', '3']],
    ['shorter lines', ['a long line'], ['short']],
    ['no lines', ['one', 'two'], []],
  ])('replaces what it drew by %s', (_what, before, after) => {
    const output = new CapturedOutput();
    output.write('above\n');
    const screen = new Screen(output);
    screen.draw(before);
    screen.draw(after);
    screen.close();
    expect(terminal(output.text, 100).filter((line) => line !== '')).toEqual(['above', ...after]);
  });

  it('goes up over lines that wrapped when the terminal became narrower', () => {
    expect(rowsOf(['x'.repeat(25), '', 'abc'], 10)).toBe(5);
    expect(redraw(['x'.repeat(25)], ['y'], 10)).toContain('\u001b[3A');
  });

  it('cuts what does not fit, and says how much is missing', () => {
    expect(fitLines(['a', 'b', 'c', 'd'], { columns: 20, rows: 4 })).toEqual(['a', 'b', '… 2 more lines']);
    expect(fitLines(['a'.repeat(30)], { columns: 10, rows: 4 })).toEqual(['aaaaaaaa…']);
  });

  it('hides the cursor once and shows it at the end', () => {
    const output = new CapturedOutput();
    const screen = new Screen(output);
    screen.draw(['a']);
    screen.draw(['b']);
    screen.close();
    screen.close();
    expect(output.text.split('\u001b[?25l')).toHaveLength(2);
    expect(output.text.split('\u001b[?25h')).toHaveLength(2);
  });
});
