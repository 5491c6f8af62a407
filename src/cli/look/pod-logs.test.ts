import { describe, expect, it } from 'vitest';
import { linesOf, newLines } from './pod-logs.ts';

describe('what a log has more than before', () => {
  it.each([
    ['nothing', 'a\nb\n', 'a\nb\n', ''],
    ['what was added', 'a\nb\n', 'a\nb\nc\nd\n', 'c\nd\n'],
    ['what was added when the oldest lines have left it', 'a\nb\nc\nd\n', 'c\nd\ne\nf\n', 'e\nf\n'],
    ['all of a log that begins anew', 'a\nb\nc\n', 'x\ny\nz\n', 'x\ny\nz\n'],
    ['all of one that was empty', '', 'a\nb\n', 'a\nb\n'],
    ['nothing of one that was emptied', 'a\nb\n', '', ''],
    ['what was added to lines that repeat', 'a\na\nb\n', 'a\na\nb\na\na\n', 'a\na\n'],
  ])('is %s', (_what, before, now, added) => {
    expect(newLines(linesOf(before), linesOf(now))).toEqual(linesOf(added));
  });

  it('is counted in lines, whether or not the last one has ended', () => {
    expect(linesOf('a\nb\n')).toEqual(['a', 'b']);
    expect(linesOf('a\nb')).toEqual(['a', 'b']);
    expect(linesOf('a\n\n')).toEqual(['a', '']);
  });
});
