import { describe, expect, it } from 'vitest';
import { aPackage } from '../../../test/build/objects.ts';
import { NOW } from '../../../test/build/world.ts';
import type { ComponentProgress } from '../../api/package-revision.ts';
import { formatTime } from '../../lib/time.ts';
import { deadlineOf, FRESH_OBSERVATION_MS, timeoutOf } from './deadline.ts';

const MINUTE = 60_000;

function progress(startedAt?: number, deadline?: number): ComponentProgress {
  return {
    name: 'app',
    ...(startedAt === undefined ? {} : { startedAt: formatTime(startedAt) }),
    ...(deadline === undefined ? {} : { deadline: formatTime(deadline) }),
  };
}

describe('P9 the time that a component has', () => {
  it.each([
    ['nothing is said: ten minutes', aPackage(), 10 * MINUTE],
    ['an upgrade without a timeout', aPackage({ upgrade: { atomic: false, timeout: '10m' } }), 10 * MINUTE],
    ['what spec.upgrade.timeout says', aPackage({ upgrade: { atomic: true, timeout: '1h30m' } }), 90 * MINUTE],
  ])('%s', (_say, pkg, ms) => {
    expect(timeoutOf(pkg)).toBe(ms);
  });
});

describe('P9 the deadline of a component', () => {
  const watchingSince = NOW - 60 * MINUTE;

  it.each<[string, ComponentProgress, number, number | undefined]>([
    ['before it was begun there is none', progress(), MINUTE, undefined],
    ['counts from its own start', progress(NOW, NOW + MINUTE), MINUTE, NOW + MINUTE],
    ['a raised timeout extends it', progress(NOW, NOW + MINUTE), 5 * MINUTE, NOW + 5 * MINUTE],
    ['a lowered timeout does not shorten it', progress(NOW, NOW + 5 * MINUTE), MINUTE, NOW + 5 * MINUTE],
    ['a start without a recorded deadline', progress(NOW), MINUTE, NOW + MINUTE],
  ])('%s', (_say, recorded, timeoutMs, deadline) => {
    expect(deadlineOf(recorded, { timeoutMs, watchingSince })).toBe(deadline);
  });

  it('after an outage there is at least a minute of fresh observation, however late it is', () => {
    const begun = progress(NOW - 20 * MINUTE, NOW - 10 * MINUTE);
    expect(deadlineOf(begun, { timeoutMs: 10 * MINUTE, watchingSince: NOW })).toBe(NOW + FRESH_OBSERVATION_MS);
    expect(FRESH_OBSERVATION_MS).toBe(MINUTE);
  });

  it('an outage takes nothing off a deadline that is further away', () => {
    const begun = progress(NOW - MINUTE, NOW + 9 * MINUTE);
    expect(deadlineOf(begun, { timeoutMs: 10 * MINUTE, watchingSince: NOW })).toBe(NOW + 9 * MINUTE);
  });

  it('a short timeout is not stretched for what was begun while we watched', () => {
    expect(deadlineOf(progress(NOW, NOW + 5000), { timeoutMs: 5000, watchingSince: NOW })).toBe(NOW + 5000);
  });
});
