import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { countsAt, credibleAt, type Happenings, type Held, stableAt, type Statement } from './newer-than-change.ts';

const T = Date.parse('2026-01-01T12:00:00Z');
const at = (seconds: number): string => new Date(T + seconds * 1000).toISOString().replace('.000Z', 'Z');
const CHANGE = { startedAt: T, since: T + 1000 };

function site(created: number, written?: number): KubeObject {
  const managedFields = written === undefined ? [] : [{ subresource: 'status', time: at(written) }];
  return {
    apiVersion: 'example.org/v1',
    kind: 'Site',
    metadata: { name: 'main', generation: 2, creationTimestamp: at(created), managedFields },
  };
}

/** Seconds after T; undefined where it is. */
function inSeconds(moment: number | undefined): number | undefined {
  return moment === undefined ? undefined : (moment - T) / 1000;
}

describe('F18 R6 a status that names no generation counts', () => {
  it.each([
    { say: 'at once when the object was made by this delivery', object: site(0), seconds: 1 },
    { say: 'at once when its condition has changed since', object: site(-60), transition: at(2), seconds: 1 },
    {
      say: 'after 5 s of quiet when its status was written since',
      object: site(-60, 3),
      transition: at(-50),
      seconds: 8,
    },
    { say: 'after 30 s when nobody has written it', object: site(-60), transition: at(-50), seconds: 31 },
    { say: 'after 30 s when it was written before', object: site(-60, -1), transition: at(-50), seconds: 31 },
    { say: 'after 30 s when its condition changed before', object: site(-60), transition: at(0), seconds: 31 },
  ])('$say', ({ object, transition, seconds }) => {
    expect(credibleAt(object, transition, CHANGE)).toBe(T + seconds * 1000);
  });
});

describe('rule 4.1 what an object says counts', () => {
  const NOTHING: Happenings = {};
  const DELIVERED: Happenings = { change: CHANGE };
  const CONTROLLER: Happenings = { controllerReadyAt: T - 5000 };
  const BOTH: Happenings = { ...DELIVERED, ...CONTROLLER };
  /** As in a rollback, which delivers before anything is judged. */
  const LATE: Happenings = { ...DELIVERED, controllerReadyAt: T + 20_000 };

  type Row = readonly [Happenings, Partial<Statement>, seconds: number | undefined];
  const current = { generation: 'current' } as const;
  const none = { generation: 'none' } as const;
  const altered = { inRelease: true, generationBefore: 1 };
  const same = { inRelease: true, generationBefore: 2 };
  const unknown = { inRelease: true };
  const outside = { inRelease: false, generationBefore: 1 };

  const rows: Readonly<Record<string, Row>> = {
    'altered by the delivery, current: at once': [DELIVERED, { ...altered, ...current }, undefined],
    'altered by the delivery, no generation: by the times of the change': [DELIVERED, { ...altered, ...none }, 31],
    'altered by the delivery, current, controller anew: at once': [BOTH, { ...altered, ...current }, undefined],
    'altered by the delivery, no generation, controller anew': [BOTH, { ...altered, ...none }, 31],
    'altered before its controller was ready: by the controller': [LATE, { ...altered, ...current }, 80],
    'made by the delivery, controller anew: at once': [BOTH, { ...unknown, ...current, object: site(0) }, undefined],
    'same spec, current: at once': [DELIVERED, { ...same, ...current }, undefined],
    'same spec, no generation: by the times of the change': [DELIVERED, { ...same, ...none }, 31],
    'same spec, current, controller anew: by the controller': [BOTH, { ...same, ...current }, 55],
    'same spec, no generation, controller anew: by both': [BOTH, { ...same, ...none }, 55],
    'not known whether altered, current, controller anew': [BOTH, { ...unknown, ...current }, 55],
    'component not delivered: at once': [NOTHING, { ...same, ...none }, undefined],
    'component not delivered, controller anew, current': [CONTROLLER, { ...same, ...current }, 55],
    'component not delivered, controller anew, no generation': [CONTROLLER, { ...same, ...none }, 55],
    'outside, component delivered, current: at once': [DELIVERED, { ...outside, ...current }, undefined],
    'outside, component delivered, no generation': [DELIVERED, { ...outside, ...none }, 31],
    'outside, controller anew, current': [CONTROLLER, { ...outside, ...current }, 55],
    'outside, controller anew, no generation': [CONTROLLER, { ...outside, ...none }, 55],
    'outside, both, current': [BOTH, { ...outside, ...current }, 55],
    'outside, both, no generation': [BOTH, { ...outside, ...none }, 55],
    'outside, nothing happened: at once': [NOTHING, { ...outside, ...none }, undefined],
  };

  it.each(Object.entries(rows))('%s', (_say, [happenings, parts, seconds]) => {
    const statement: Statement = { object: site(-600), transition: at(-500), inRelease: true, ...current, ...parts };
    expect(inSeconds(countsAt(statement, happenings, { now: T, since: T - 1000 }))).toBe(seconds);
  });

  it.each([
    ['CustomResource', 'example.org/v1', true, 55],
    ['of Kubernetes, in the release', 'apps/v1', true, undefined],
    ['of Kubernetes, outside', 'apps/v1', false, 55],
  ])('an object %s waits for a new controller only if it may be its own', (_say, apiVersion, inRelease, seconds) => {
    const object = { ...site(-600), apiVersion };
    const moment = countsAt({ object, ...current, inRelease }, CONTROLLER, { now: T, since: T });
    expect(inSeconds(moment)).toBe(seconds);
  });

  describe('after its controller was delivered anew', () => {
    const held = (parts: Partial<Held>): Held => ({ now: T + 60_000, since: T - 1000, ...parts });

    it.each<[string, Held, string | undefined, number]>([
      ['10 s after the first write since', held({ writtenAt: T + 3000 }), at(-500), 13],
      ['10 s after its last transition', held({ writtenAt: T + 3000 }), at(20), 31],
      [
        '10 s after it was last seen not to hold',
        held({ writtenAt: T, since: T + 9000, brokenAt: T + 8000 }),
        at(1),
        19,
      ],
      ['60 s without a write', held({}), at(20), 60],
    ])('%s', (_say, seen, transition, seconds) => {
      const statement = { object: site(-600), ...current, transition, inRelease: false };
      expect(inSeconds(countsAt(statement, { controllerReadyAt: T }, seen))).toBe(seconds);
    });

    it('at once when it was made since', () => {
      const statement = { object: site(1), ...current, inRelease: false };
      expect(inSeconds(countsAt(statement, { controllerReadyAt: T }, held({})))).toBe(0);
    });
  });
});

describe('stableFor', () => {
  const NOW = T + 100_000;

  it.each<[string, Partial<Held>, string | undefined, Happenings, number]>([
    ['from its transition', { since: T + 90_000 }, at(50), {}, 81],
    ['from when it was seen, where that is earlier in the same second', { since: T + 50_200 }, at(50), {}, 80.2],
    ['from when it was seen, where it has no transition', { since: T + 90_000 }, undefined, {}, 120],
    ['from when it was seen, where its transition is no time', { since: T + 90_000 }, 'yesterday', {}, 120],
    ['from when it was seen, where its transition lies ahead', { since: T + 90_000 }, at(500), {}, 120],
    [
      'from when it was seen, where its transition ignores a break',
      { since: T + 90_000, brokenAt: T + 89_000 },
      at(50),
      {},
      120,
    ],
    ['from a transition that nobody saw', { since: T + 40_000 }, at(70), {}, 101],
    [
      'from the delivery, however long it held before',
      { since: T },
      at(-500),
      { change: { startedAt: T, since: T + 95_000 } },
      125,
    ],
    ['from when its controller was ready', { since: T }, at(-500), { controllerReadyAt: T + 97_000 }, 127],
  ])('counts %s', (_say, held, transition, happenings, seconds) => {
    const seen = { now: NOW, since: NOW, ...held };
    expect(inSeconds(stableAt(30_000, { transition, held: seen }, happenings))).toBe(seconds);
  });
});
