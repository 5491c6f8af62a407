import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from './system-clock.ts';

const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_900_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the system clock', () => {
  it('tells the time, and numbers from 0 up to 1', () => {
    const clock = new SystemClock();
    expect(clock.now()).toBe(1_900_000_000_000);
    const numbers = Array.from({ length: 100 }, () => clock.random());
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBeGreaterThan(1);
  });

  it.each([0, 1, 1000, 24 * DAY_MS, 25 * DAY_MS, 400 * DAY_MS])('calls back once, after %d ms and no sooner', (ms) => {
    const called = vi.fn();
    new SystemClock().after(ms, called);
    if (ms > 0) vi.advanceTimersByTime(ms - 1);
    expect(called).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(called).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(DAY_MS);
    expect(called).toHaveBeenCalledTimes(1);
  });

  it('takes a time in the past for now', () => {
    const called = vi.fn();
    new SystemClock().after(-5, called);
    vi.advanceTimersByTime(0);
    expect(called).toHaveBeenCalledTimes(1);
  });

  it.each([10, 400 * DAY_MS])('does not call back after it was cancelled (%d ms)', (ms) => {
    const called = vi.fn();
    const timer = new SystemClock().after(ms, called);
    vi.advanceTimersByTime(ms - 1);
    timer.cancel();
    vi.advanceTimersByTime(500 * DAY_MS);
    expect(called).not.toHaveBeenCalled();
  });
});
