import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/build/world.ts';
import type { Condition } from '../../api/kube.ts';
import { type Aspect, conditionOf } from './conditions.ts';

const ASPECT: Aspect = { type: 'Ready', status: 'False', reason: 'Progressing', message: 'on its way' };
const FORMER: Condition = {
  type: 'Ready',
  status: 'False',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'FetchFailed',
  message: 'the registry is unreachable',
};

function next(previous: readonly Condition[], aspect = ASPECT, generation: number | undefined = 2): Condition {
  return conditionOf(aspect, { previous, generation, now: NOW });
}

describe('a condition', () => {
  it('that is new begins now, in whole seconds', () => {
    expect(conditionOf(ASPECT, { previous: [], generation: 2, now: NOW + 999 })).toEqual({
      ...ASPECT,
      observedGeneration: 2,
      lastTransitionTime: '2026-01-01T12:00:00Z',
    });
  });

  it('with another reason, message and generation has its former transition time: only the status moves it', () => {
    expect(next([FORMER])).toEqual({ ...FORMER, ...ASPECT, observedGeneration: 2 });
  });

  it('with another status has a new transition time', () => {
    expect(next([{ ...FORMER, status: 'True' }]).lastTransitionTime).toBe('2026-01-01T12:00:00Z');
  });

  it('is compared with the former one of its own type', () => {
    expect(next([{ ...FORMER, type: 'Available' }]).lastTransitionTime).toBe('2026-01-01T12:00:00Z');
  });

  it('of an object without a generation names none', () => {
    const condition = conditionOf(ASPECT, { previous: [FORMER], generation: undefined, now: NOW });
    expect(condition).not.toHaveProperty('observedGeneration');
  });
});
