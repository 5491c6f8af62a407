import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatSeconds, formatTime, parseTime } from './time.ts';

const NOON = Date.UTC(2026, 0, 1, 12, 0, 0, 45);

describe('times', () => {
  it('are written in UTC, with milliseconds in the journal and without for people', () => {
    expect([formatTime(NOON), formatSeconds(NOON)]).toEqual(['2026-01-01T12:00:00.045Z', '2026-01-01T12:00:00Z']);
  });

  it.each([
    ['2026-01-01T12:00:00Z', NOON - 45],
    ['2026-01-01T12:00:00.045Z', NOON],
    ['2026-01-01T12:00:00.045678Z', NOON],
    ['2026-01-01T14:00:00+02:00', NOON - 45],
  ])('%s is read', (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  it('what is no time is no number', () => {
    expect(parseTime('soon')).toBeNaN();
  });

  it('the journal loses no millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (ms) => {
        expect(parseTime(formatTime(ms))).toBe(ms);
      }),
    );
  });
});
