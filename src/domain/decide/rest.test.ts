import { describe, expect, it } from 'vitest';
import type { Decision } from './decision.ts';
import { restMs } from './rest.ts';

const waiting = (reason: Decision['reason'], until?: number): Exclude<Decision, { kind: 'act' }> => ({
  kind: 'wait',
  reason,
  message: '',
  until,
});

describe('when a package is looked at again', () => {
  it.each([
    { say: 'in progress: soon, as its cause may come to light', decision: waiting('Progressing'), count: 0, ms: 1000 },
    {
      say: 'in progress and unchanged for long: each minute, so that no lost event blocks',
      decision: waiting('Progressing'),
      count: 9,
      ms: 60_000,
    },
    { say: 'before its deadline', decision: waiting('Progressing', 2500), count: 9, ms: 1500 },
    { say: 'at once when its deadline has passed', decision: waiting('Progressing', 500), count: 9, ms: 0 },
    { say: 'degraded: for a while', decision: waiting('Degraded'), count: 1, ms: 2000 },
    { say: 'degraded for long: on an event', decision: waiting('Degraded'), count: 5, ms: undefined },
    {
      say: 'I13 degraded, while something is still being put away: each minute, so that no lost event blocks',
      decision: { kind: 'wait', reason: 'Degraded', message: '', besides: true } as const,
      count: 9,
      ms: 60_000,
    },
    {
      say: 'P3 waiting for a requirement: on an event',
      decision: waiting('RequirementsNotMet'),
      count: 0,
      ms: undefined,
    },
    ...(['Deleting', 'ReconciliationSucceeded', 'RolledBack', 'UpgradeRolledBack'] as const).map((reason) => ({
      say: `${reason} while something is still going: soon, as its end may make no event`,
      decision: waiting(reason),
      count: 0,
      ms: 1000,
    })),
    { say: 'waiting for a retry: then', decision: waiting('FetchFailed', 4000), count: 0, ms: 3000 },
    {
      say: 'P21 in the way of something that tells nobody when it goes: each minute',
      decision: { kind: 'invalid', reason: 'InvalidConfiguration', message: '', unwatched: true } as const,
      count: 0,
      ms: 60_000,
    },
    {
      say: 'P22 converged: on an event',
      decision: { kind: 'converged', reason: 'ReconciliationSucceeded', message: '' } as const,
      count: 0,
      ms: undefined,
    },
    {
      say: 'not read yet: soon',
      decision: { kind: 'observe', reason: 'Progressing', message: '' } as const,
      count: 4,
      ms: 1000,
    },
  ])('$say', ({ decision, count, ms }) => {
    expect(restMs(decision, { now: 1000, count, unread: false })).toBe(ms);
  });

  it('P22 suspended: when what is said of something installed comes to count, and then not again', () => {
    const rest = { now: 1000, count: 0, unread: false };
    expect(restMs(waiting('Suspended'), { ...rest, nextWordAt: 3000 })).toBe(2000);
    expect(restMs(waiting('Suspended'), rest)).toBeUndefined();
  });

  it.each(['stalled', 'invalid', 'converged'] as const)(
    'I9 %s is looked at again when something installed could not be read, ever more rarely',
    (kind) => {
      const decision = { kind, reason: 'UpgradeFailed', message: '' } as const;
      const looks = [0, 1, 9].map((count) => restMs(decision, { now: 1000, count, unread: true }));
      expect(looks).toEqual([1000, 2000, 60_000]);
    },
  );
});
