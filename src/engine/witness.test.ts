import { beforeEach, describe, expect, it } from 'vitest';
import { widget } from '../../test/build/readiness-objects.ts';
import { Witness } from './witness.ts';

const object = (generation: number, uid = 'uid-1'): ReturnType<typeof widget> =>
  widget({ metadata: { generation, uid } });

describe('what this process has seen of a release', () => {
  let witness: Witness;

  beforeEach(() => {
    witness = new Witness();
  });

  it('knows since when something holds without a break, and when it last did not', () => {
    expect(witness.holds('a', 10)).toEqual({ now: 10, since: 10, brokenAt: undefined });
    expect(witness.holds('a', 20)).toEqual({ now: 20, since: 10, brokenAt: undefined });
    witness.breaks('a', 30);
    expect(witness.holds('a', 40)).toEqual({ now: 40, since: 40, brokenAt: 30 });
    expect(witness.holds('b', 50)).toEqual({ now: 50, since: 50, brokenAt: undefined });
  });

  it('keeps the first write after each time at which a controller became ready', () => {
    expect(witness.firstWrite('a', 10, undefined)).toBeUndefined();
    expect(witness.firstWrite('a', 10, 12)).toBe(12);
    expect(witness.firstWrite('a', 10, 15)).toBe(12);
    expect(witness.firstWrite('a', 20, undefined)).toBeUndefined();
    expect(witness.firstWrite('a', 20, 25)).toBe(25);
  });

  it('knows the generation that an object had while no delivery was awaited', () => {
    expect(witness.generationBefore(object(3))).toBeUndefined();
    witness.sees(object(2), { isChanging: false });
    witness.sees(object(3), { isChanging: true });
    expect(witness.generationBefore(object(3))).toBe(2);
  });

  it('knows an object that it has seen since the newest delivery by its UID', () => {
    witness.sees(object(1), { isChanging: true });
    expect([witness.hasSeen(object(1)), witness.hasSeen(object(1, 'uid-2'))]).toEqual([true, false]);
    witness.startOver();
    expect(witness.hasSeen(object(1))).toBe(false);
  });
});
