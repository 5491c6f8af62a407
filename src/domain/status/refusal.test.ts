import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/build/world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { Condition } from '../../api/kube.ts';
import { refusalConditions } from './refusal.ts';

const ERROR = new KubepkgError('InvalidInput', 'spec.upgrade.timeout is no duration', { hint: 'write 10m' });
const AVAILABLE: Condition = {
  type: 'Available',
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'ComponentsHealthy',
  message: 'every installed component is healthy',
};

function refuse(previous: readonly Condition[] = [], now = NOW): readonly Condition[] {
  return refusalConditions(ERROR, { previous, generation: 3, now });
}

describe('a Package that cannot be read', () => {
  it('is not Ready and Stalled, with what is wrong and what to do', () => {
    const message = 'spec.upgrade.timeout is no duration; write 10m';
    expect(refuse()).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'InvalidConfiguration', message, observedGeneration: 3 },
      { type: 'Stalled', status: 'True', reason: 'InvalidConfiguration', message, observedGeneration: 3 },
    ]);
  });

  it('P3 takes nobody down: what runs is as available as it was', () => {
    const reconciling: Condition = { ...AVAILABLE, type: 'Reconciling' };
    expect(refuse([AVAILABLE, reconciling])).toContainEqual(AVAILABLE);
    expect(refuse([AVAILABLE, reconciling])).toHaveLength(3);
  });

  it('P22 says the same later', () => {
    const first = refuse([AVAILABLE]);
    expect(refuse(first, NOW + 60_000)).toEqual(first);
  });
});
