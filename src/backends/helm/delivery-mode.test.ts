import { describe, expect, it } from 'vitest';
import {
  desiredRelease,
  OWN_LABELS,
  type RecordShape,
  releaseSecret,
  TARGET,
} from '../../../test/build/helm-release.ts';
import { type CrdPolicy, crdPolicy } from '../../helm/crd-policy.ts';
import type { DeliveryMode } from '../../helm/helm-call.ts';
import { interpretHeads, recordHeads } from '../../helm/interpret.ts';
import { chooseDelivery } from './delivery-mode.ts';

type Records = readonly RecordShape[];

const THEIRS = { labels: {} };

/** Delivers over `live` what was decided on when there was `before`. */
function choose(live: Records, { before = live, adopt = false }: { before?: Records; adopt?: boolean } = {}): unknown {
  const [heads, earlier] = [live, before].map((records) => recordHeads(records.map((shape) => releaseSecret(shape))));
  const step = chooseDelivery(desiredRelease({ adopt }), interpretHeads(TARGET, earlier ?? []), heads ?? []);
  if (step.kind === 'run') return step.mode;
  return step.kind === 'done' ? 'done' : [step.kind, step.error.code];
}

describe('a release is delivered', () => {
  it.each<[string, Records, string]>([
    ['by install where nothing is', [], 'install'],
    ['by upgrade where ours runs', [{}], 'upgrade'],
    ['by upgrade where ours failed after one that ran', [{}, { revision: 2, status: 'failed' }], 'upgrade'],
    ['by replace where nothing was ever delivered', [{ status: 'failed' }], 'replace'],
  ])('%s', (_, live, mode) => {
    expect(choose(live)).toBe(mode);
  });

  it.each<[string, Records, string]>([
    ['runs', [THEIRS], 'upgrade'],
    ['never ran', [{ ...THEIRS, status: 'failed' }], 'replace'],
  ])('P21 over a foreign one that %s when it is to be adopted', (_, live, mode) => {
    expect(choose(live, { adopt: true })).toBe(mode);
  });

  it('P22 not again when this attempt was delivered', () => {
    const labels = { ...OWN_LABELS, 'kubepkg.dev/attempt': 'token-2' };
    expect(choose([{ labels }], { before: [] })).toBe('done');
  });
});

describe('a release is not delivered', () => {
  it.each<[string, Records, [string, string]]>([
    ['P21 over a foreign one', [THEIRS], ['refused', 'OwnershipConflict']],
    ['over one that cannot be judged', [{ status: 'dreaming' }], ['failed', 'ApiConflict']],
    ['over a pending one', [{ status: 'pending-upgrade' }], ['failed', 'ReleaseLocked']],
    ['over one that is being removed', [{ status: 'uninstalling' }], ['failed', 'ReleaseLocked']],
    ['over one whose objects may still go', [{ status: 'uninstalled' }], ['failed', 'ReleaseLocked']],
  ])('%s', (_, live, outcome) => {
    expect(choose(live)).toEqual(outcome);
  });

  it('P21 over a foreign one of which only the history is left, unless it is to be adopted', () => {
    const live = [{ ...THEIRS, status: 'uninstalled' }];
    expect(choose(live)).toEqual(['refused', 'OwnershipConflict']);
    expect(choose(live, { adopt: true })).toBe('replace');
  });

  it('P21 over a foreign one that is at work, though it is to be adopted', () => {
    expect(choose([{ ...THEIRS, status: 'pending-upgrade' }], { adopt: true })).toEqual(['failed', 'ReleaseLocked']);
  });

  it.each<[string, Records, Records]>([
    ['P21 that appeared a moment ago', [], [{}]],
    ['that is gone', [{}], []],
    ['that has a newer record', [{}], [{}, { revision: 2 }]],
    ['whose newest record went on', [{ status: 'pending-upgrade' }], [{ status: 'failed' }]],
  ])('on old knowledge, over one %s', (_, before, live) => {
    expect(choose(live, { before })).toEqual(['failed', 'ApiConflict']);
  });
});

describe('the CRDs of a chart', () => {
  it.each<[CrdPolicy, DeliveryMode, CrdPolicy, CrdPolicy]>([
    ['Skip', 'install', 'Create', 'Create'],
    ['Skip', 'upgrade', 'Skip', 'Skip'],
    ['Create', 'replace', 'Create', 'Create'],
    ['Create', 'upgrade', 'Create', 'Create'],
    ['CreateReplace', 'install', 'CreateReplace', 'Create'],
    ['CreateReplace', 'replace', 'CreateReplace', 'Create'],
    ['CreateReplace', 'upgrade', 'CreateReplace', 'Create'],
  ])('with %s, by %s: %s; in a rollback: %s', (upgradeCRDs, mode, forward, back) => {
    expect(crdPolicy(desiredRelease({ upgradeCRDs }), mode)).toBe(forward);
    expect(crdPolicy(desiredRelease({ upgradeCRDs, rollback: true }), mode)).toBe(back);
  });

  it('are left alone by an upgrade that says nothing of them', () => {
    expect(crdPolicy(desiredRelease(), 'upgrade')).toBe('Skip');
  });
});
