import { describe, expect, it } from 'vitest';
import { OWN_LABELS, type RecordShape, releaseSecret, TARGET } from '../../test/build/helm-release.ts';
import { interpretAnyones, interpretHeads, inventoryHead, recordHeads, recordOwner } from './interpret.ts';

function interpret(...records: readonly RecordShape[]): ReturnType<typeof interpretHeads> {
  return interpretHeads(TARGET, recordHeads(records.map((shape) => releaseSecret(shape))));
}

describe('a release', () => {
  it('without records is absent', () => {
    expect(interpret()).toEqual({ state: 'absent' });
  });

  it('is what its newest record says, whatever the order of the list', () => {
    const labels = { ...OWN_LABELS, 'kubepkg.dev/attempt': 'token-10' };
    expect(interpret({ revision: 9, status: 'superseded' }, { revision: 10, labels }, { revision: 2 })).toEqual({
      state: 'present',
      revision: 10,
      token: 'token-10',
      digest: 'digest-1',
      delivery: 'delivered',
      everDelivered: true,
      message: 'release revision 10 is deployed',
    });
  });

  it.each([
    ['deployed', 'delivered'],
    ['failed', 'failed'],
    ['superseded', 'failed'],
    ['uninstalled', 'removing'],
    ['uninstalling', 'removing'],
    ['pending-install', 'pending'],
    ['pending-upgrade', 'pending'],
    ['pending-rollback', 'pending'],
  ])('whose newest record is %s counts as %s', (status, delivery) => {
    expect(interpret({ status })).toMatchObject({ state: 'present', delivery });
  });

  it('P21 that was never ours and whose history somebody kept is foreign, and can be adopted', () => {
    const records = [{ status: 'uninstalled', labels: {} }] as const;
    expect(interpret(...records).state).toBe('foreign');
    const heads = recordHeads(records.map((shape) => releaseSecret(shape)));
    expect(interpretAnyones(heads)).toMatchObject({ delivery: 'failed', everDelivered: false });
  });

  it('with a status from another age of helm cannot be judged', () => {
    expect(interpret({ status: 'dreaming' }).state).toBe('unknown');
  });

  it.each<[string, readonly RecordShape[], boolean]>([
    ['deployed before it failed', [{ status: 'deployed' }, { revision: 2, status: 'failed' }], true],
    [
      'superseded before it was interrupted',
      [{ status: 'superseded' }, { revision: 2, status: 'pending-upgrade' }],
      true,
    ],
    ['that only ever failed', [{ status: 'failed' }, { revision: 2, status: 'failed' }], false],
    ['whose first install is pending', [{ status: 'pending-install' }], false],
    ['uninstalled with its history kept', [{ status: 'superseded' }, { revision: 2, status: 'uninstalled' }], false],
  ])('%s: is known to have been delivered or not', (_, records, everDelivered) => {
    expect(interpret(...records)).toMatchObject({ everDelivered });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['made by hand', {}],
    ['of another package', { ...OWN_LABELS, 'kubepkg.dev/package': 'other' }],
  ])('P21 %s is foreign', (_, labels) => {
    expect(interpret({ labels }).state).toBe('foreign');
  });

  it('P21 that passed to somebody else is foreign though an older record was ours', () => {
    expect(interpret({}, { revision: 2, labels: {} }).state).toBe('foreign');
  });

  it('of another component of our package is ours: components are renamed', () => {
    const labels = { ...OWN_LABELS, 'kubepkg.dev/component': 'other' };
    expect(interpret({ labels }).state).toBe('present');
  });

  it('of our package without a component label was made by an earlier version, and is ours', () => {
    expect(interpret({ labels: { 'kubepkg.dev/package': 'shop' } })).toMatchObject({
      state: 'present',
      token: undefined,
      digest: undefined,
    });
  });

  it('is not disturbed by a Secret that is no record', () => {
    const secret = releaseSecret();
    const odd = { ...secret, metadata: { ...secret.metadata, labels: { owner: 'helm', name: 'web' } } };
    expect(interpretHeads(TARGET, recordHeads([odd]))).toEqual({ state: 'absent' });
  });
});

describe('the inventory', () => {
  it.each<[string, readonly RecordShape[], number]>([
    ['the newest that was completed', [{}, { revision: 2, status: 'failed' }], 1],
    ['a superseded one when no other was completed', [{ status: 'superseded' }, { revision: 2, status: 'failed' }], 1],
    ['the newest when none ever was completed', [{ status: 'failed' }, { revision: 2, status: 'failed' }], 2],
  ])('is that of %s', (_, records, revision) => {
    expect(inventoryHead(recordHeads(records.map((shape) => releaseSecret(shape))))?.revision).toBe(revision);
  });
});

describe('the owner of a record', () => {
  it('is its package and release', () => {
    expect(recordOwner(releaseSecret())).toEqual({ package: 'shop', namespace: 'shop-ns', releaseName: 'web' });
  });

  it.each([
    ['a record that is not ours', releaseSecret({ labels: {} })],
    [
      'another Secret of the package',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', labels: OWN_LABELS } },
    ],
  ])('is unknown for %s', (_, secret) => {
    expect(recordOwner(secret)).toBeUndefined();
  });
});
