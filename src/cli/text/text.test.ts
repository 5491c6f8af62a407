import { describe, expect, it } from 'vitest';
import { formatSeconds } from '../../lib/time.ts';
import { formatAge, parseTime } from './age.ts';
import { colourPaint } from './paint.ts';
import { oneLine, sanitize } from './sanitize.ts';
import { formatTable, formatWrappedTable } from './table.ts';
import { textWidth, truncate } from './width.ts';
import { wrap } from './wrap.ts';

describe('an age', () => {
  it.each([
    [-5, '0s'],
    [999, '0s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [192_000, '3m12s'],
    [3_600_000, '1h'],
    [7_500_000, '2h5m'],
    [86_400_000, '1d'],
    [273_600_000, '3d4h'],
  ])('of %i ms is %s', (ms, text) => {
    expect(formatAge(ms)).toBe(text);
  });

  it('is counted from a time that may be missing or malformed', () => {
    expect([undefined, '', 'soon', '2030-01-01T00:00:00Z'].map(parseTime)).toEqual([
      undefined,
      undefined,
      undefined,
      1893456000000,
    ]);
    expect(formatSeconds(1893456000999)).toBe('2030-01-01T00:00:00Z');
  });
});

describe('text from the cluster', () => {
  it.each([
    ['moves no cursor', 'a\u001b[2Jb\u009bc', 'a[2Jbc'],
    ['deletes nothing', 'a\b\u007fb', 'ab'],
    ['reverses no line', 'a\u202eb\u2066c', 'abc'],
    ['keeps what is no control', 'Zeit: über 5 €\n\tx', 'Zeit: über 5 €\n\tx'],
  ])('%s', (_what, text, clean) => {
    expect(sanitize(text)).toBe(clean);
  });

  it('is put on one line', () => {
    expect(oneLine('  first \r\n\n second\tthird\u001b\n')).toBe('first second third');
  });
});

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['über', 4],
    ['日本', 4],
    ['e\u0301', 1],
    ['🚀', 2],
    [colourPaint('red', 'abc'), 3],
  ])('of %j is %i cells', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 4, '日…'],
    ['日本語', 5, '日本…'],
    ['abcd', 1, '…'],
  ])('of %j is cut at %i cells', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut);
    expect(textWidth(cut)).toBeLessThanOrEqual(width);
  });

  it('is cut without leaving a style open', () => {
    expect(truncate(colourPaint('red', 'abcdef'), 4)).toBe('\u001b[31mabc…\u001b[0m');
  });
});

describe('wrapped text', () => {
  it.each([
    ['', 10, ['']],
    ['one two three', 7, ['one two', 'three']],
    ['one two  three', 8, ['one two ', 'three']],
    ['incomprehensible word', 8, ['incomprehensible', 'word']],
    ['日本 語', 5, ['日本', '語']],
  ])('of %j in %i cells', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });
});

describe('a table', () => {
  it('wraps its last column, or puts it below where there is hardly room', () => {
    const rows = [
      ['a', 'some words that are long'],
      ['b', ''],
    ];
    expect(formatWrappedTable(['A', 'B'], rows, 100)).toEqual(formatTable(['A', 'B'], rows));
    expect(formatWrappedTable(['A', 'B'], rows, Infinity)).toEqual(formatTable(['A', 'B'], rows));
    expect(formatWrappedTable(['A', 'B'], rows, 25)).toEqual(['A   B', 'a   some words that are', '    long', 'b']);
    expect(formatWrappedTable(['A', 'B'], rows, 20)).toEqual(['A', 'a', '    some words that', '    are long', 'b']);
  });

  it('has columns of one width and no blanks at the end of a line', () => {
    expect(formatTable(['A', 'LONG', 'C'], [['aaaa', '日', ''], ['b', colourPaint('red', 'x'), 'c'], ['d']])).toEqual([
      'A      LONG   C',
      'aaaa   日',
      `b      ${colourPaint('red', 'x')}      c`,
      'd',
    ]);
  });
});
