import { describe, expect, it } from 'vitest';
import { CapturedOutput } from '../../../test/fakes/cli-world.ts';
import { fitLines, redraw, rowsOf, Screen } from './screen.ts';

/** What a terminal shows after text with the few sequences that are used. */
class Terminal {
  readonly rows: string[] = [];
  #row = 0;
  #column = 0;

  constructor(text: string) {
    for (const [whole, code] of text.matchAll(/\u001b\[(\?\d+[hl]|\d*[AKJ])|[^]/gu)) {
      if (code === undefined) this.#type(whole);
      else this.#control(code);
    }
  }

  #control(code: string): void {
    if (code.endsWith('A')) this.#row -= Number(code.slice(0, -1));
    else if (code === 'K') this.rows[this.#row] = this.#current().slice(0, this.#column);
    else if (code === 'J') this.rows.splice(this.#row);
  }

  #type(character: string): void {
    if (character === '\n') this.#row += 1;
    if (character === '\n' || character === '\r') {
      this.#column = 0;
      return;
    }
    const row = this.#current();
    this.rows[this.#row] = row.slice(0, this.#column) + character + row.slice(this.#column + 1);
    this.#column += 1;
  }

  #current(): string {
    return this.rows[this.#row] ?? '';
  }
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
    expect(new Terminal(output.text).rows).toEqual(['above', ...after]);
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
