import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('a Go duration', () => {
  it.each([
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['2.s', 2000],
    ['150ms', 150],
    ['1500us', 1.5],
    ['1500µs', 1.5],
    ['1500μs', 1.5],
    ['2000000ns', 2],
    ['1m1ms', 60_001],
    ['0', 0],
    ['0s', 0],
    ['-0', 0],
    ['-5s', -5000],
    ['+5s', 5000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '-', '+', '10', '5 s', 's', '.', '.s', '1d', '5s ', '5s5', '--5s', '1e3s', 'm5', '1h-5m'])(
    '"%s" is none',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('a number of milliseconds as a Go duration', () => {
  it.each([
    [0, '0s'],
    [150, '150ms'],
    [999, '999ms'],
    [1000, '1s'],
    [2500, '2.5s'],
    [60_000, '1m0s'],
    [600_000, '10m0s'],
    [3_600_000, '1h0m0s'],
    [5_400_000, '1h30m0s'],
    [90_061_001, '25h1m1.001s'],
    [-2500, '-2.5s'],
  ])('%d is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('is read back as the same number', () => {
    fc.assert(
      fc.property(fc.integer({ min: -400_000_000, max: 400_000_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBeCloseTo(ms, 6);
      }),
    );
  });
});
