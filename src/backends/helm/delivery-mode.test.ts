import { describe, expect, it } from 'vitest';
import { desiredRelease, presentRelease } from '../../../test/build/helm-release.ts';
import type { ReleaseObservation } from '../../ports/backend.ts';
import { chooseDelivery } from './delivery-mode.ts';

const ABSENT: ReleaseObservation = { state: 'absent' };
const FOREIGN: ReleaseObservation = { state: 'foreign', message: 'theirs' };
const UNKNOWN: ReleaseObservation = { state: 'unknown', message: 'odd' };

function choose(live: ReleaseObservation, decidedOn = live, adopt = false): unknown {
  const step = chooseDelivery(desiredRelease({ adopt }), decidedOn, live);
  if (step.kind === 'run') return step.mode;
  return step.kind === 'done' ? 'done' : [step.kind, step.error.code];
}

describe('a release is delivered', () => {
  it.each<[string, ReleaseObservation, string]>([
    ['by install where nothing is', ABSENT, 'install'],
    ['by upgrade where ours runs', presentRelease(), 'upgrade'],
    ['by upgrade where ours failed after one that ran', presentRelease({ delivery: 'failed' }), 'upgrade'],
    [
      'by replace where nothing was ever delivered',
      presentRelease({ delivery: 'failed', everDelivered: false }),
      'replace',
    ],
  ])('%s', (_, live, mode) => {
    expect(choose(live)).toBe(mode);
  });

  it('P21 by upgrade where a foreign one is to be adopted', () => {
    expect(choose(FOREIGN, FOREIGN, true)).toBe('upgrade');
  });

  it('P22 not again when this attempt was delivered', () => {
    expect(choose(presentRelease({ token: 'token-2' }), ABSENT)).toBe('done');
  });
});

describe('a release is not delivered', () => {
  it.each<[string, ReleaseObservation, [string, string]]>([
    ['P21 over a foreign one', FOREIGN, ['refused', 'OwnershipConflict']],
    ['over one that cannot be judged', UNKNOWN, ['failed', 'ApiConflict']],
    ['over a pending one', presentRelease({ delivery: 'pending' }), ['failed', 'ReleaseLocked']],
    ['over one that is being removed', presentRelease({ delivery: 'removing' }), ['failed', 'ReleaseLocked']],
  ])('%s', (_, live, outcome) => {
    expect(choose(live)).toEqual(outcome);
  });

  it.each<[string, ReleaseObservation, ReleaseObservation]>([
    ['P21 that appeared a moment ago', ABSENT, presentRelease()],
    ['that is gone', presentRelease(), ABSENT],
    ['that has a newer record', presentRelease(), presentRelease({ revision: 2 })],
    ['whose newest record went on', presentRelease({ delivery: 'pending' }), presentRelease({ delivery: 'failed' })],
  ])('on old knowledge, over one %s', (_, before, live) => {
    expect(choose(live, before)).toEqual(['failed', 'ApiConflict']);
  });
});
