import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { aWorld } from '../../../test/build/world.ts';
import type { PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { isFormer, whyLost, withFormerDigest } from './former-revision.ts';
import { closeFormer } from './takeover.ts';

const CREATED = '2026-01-01T10:00:00Z';
const { digest: _none, ...APP } = aRevisionComponent('app');

interface Former {
  readonly status?: PackageRevisionStatus;
  readonly restoredFrom?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

function former(number: number, { status, restoredFrom, annotations = {} }: Former = {}): PackageRevision {
  const { metadata, spec, ...rest } = aRevision({
    number,
    components: [APP],
    ...(status === undefined ? {} : { status }),
  });
  const { finalizers: _finalizers, ...others } = metadata;
  return {
    ...rest,
    metadata: { ...others, creationTimestamp: CREATED, annotations: { ...others.annotations, ...annotations } },
    spec: { ...spec, ...(restoredFrom === undefined ? {} : { restoredFrom }) },
  };
}

const marked = (mark: string): Former => ({ annotations: { 'kubepkg.dev/taken-over': mark } });
const APPLIED: PackageRevisionStatus = { phase: 'Applied', components: [{ name: 'app', backendRevision: 4 }] };
const FAILED: PackageRevisionStatus = { phase: 'Failed', message: 'it broke' };

function stepFor(number: number, ...revisions: readonly PackageRevision[]): unknown {
  const marks = revisions.map((each) =>
    each.spec.revision < number
      ? { ...each, metadata: { ...each.metadata, ...former(0, marked('settled')).metadata, name: each.metadata.name } }
      : each,
  );
  const status = {
    conditions: [
      {
        type: 'Ready',
        status: 'False' as const,
        reason: 'r',
        message: 'm',
        lastTransitionTime: CREATED,
        observedGeneration: 7,
      },
    ],
  };
  const decision = closeFormer(aWorld({ package: { ...aPackage(), status }, revisions: marks }));
  return decision?.kind === 'act' ? decision.action : undefined;
}

describe('a revision of the Go implementation', () => {
  it.each([
    ['as it was made', former(1), true],
    ['once it is taken over', former(1, marked('settled')), true],
    ['is not one with our finalizer', aRevision({ components: [APP] }), false],
    ['is not one that names its backend', { ...former(1), spec: { ...former(1).spec, backend: 'helm' } }, false],
    [
      'is not one with digests',
      { ...former(1), spec: { ...former(1).spec, components: [aRevisionComponent('app')] } },
      false,
    ],
  ])('is known: %s', (_what, revision, expected) => {
    expect(isFormer(revision)).toBe(expected);
  });

  it.each<[string, number, readonly PackageRevision[], Readonly<Record<string, unknown>>, string]>([
    ['the last applied one', 1, [former(1, { status: APPLIED })], { phase: 'Applied', appliedAt: CREATED }, 'settled'],
    [
      'the last good one below a failed one',
      1,
      [former(1, { status: { phase: 'Superseded' } }), former(2, { status: FAILED })],
      { phase: 'Applied', appliedAt: CREATED },
      'settled',
    ],
    [
      'an older one',
      1,
      [former(1, { status: APPLIED }), former(2, { status: APPLIED })],
      { phase: 'Superseded', appliedAt: CREATED },
      'settled',
    ],
    ['one without a phase', 1, [former(1)], { phase: 'Failed', failure: { code: 'Interrupted' } }, 'settled'],
    [
      'one that was being applied',
      1,
      [former(1, { status: { phase: 'Applying' } }), former(2, { status: APPLIED })],
      { phase: 'Failed', failure: { code: 'Interrupted' } },
      'settled',
    ],
    ['a failed one that is held', 1, [former(1, { status: FAILED })], { phase: 'Failed', message: 'it broke' }, '7'],
    [
      'a failed one that was undone',
      2,
      [former(1, { status: APPLIED }), former(2, { status: FAILED }), former(3, { status: APPLIED, restoredFrom: 1 })],
      { phase: 'RolledBack', rollback: { to: 1, state: 'Done', revision: 3 } },
      'settled',
    ],
    [
      'a failed one before a rollback that was asked for',
      2,
      [
        former(1, { status: APPLIED }),
        former(2, { status: FAILED }),
        former(3, { status: APPLIED, restoredFrom: 1, annotations: { 'kubepkg.dev/rollback-requested': 'true' } }),
      ],
      { phase: 'Failed' },
      'settled',
    ],
    [
      'one that restores, and is held',
      3,
      [former(1), former(2), former(3, { status: APPLIED, restoredFrom: 1 })],
      { phase: 'Applied' },
      '7',
    ],
  ])('is closed: %s', (_what, number, revisions, status, mark) => {
    expect(stepFor(number, ...revisions)).toMatchObject({
      kind: 'take-over',
      revision: `shop-${String(number)}`,
      annotations: { 'kubepkg.dev/taken-over': mark },
      status,
    });
  });

  it('counts every component as submitted, and the delivered ones as ready', () => {
    expect(stepFor(1, former(1, { status: APPLIED }))).toMatchObject({
      status: { components: [{ name: 'app', attempt: 1, state: 'Ready', backendRevision: 4 }] },
    });
    expect(stepFor(1, former(1, { status: FAILED }))).toMatchObject({
      status: { components: [{ name: 'app', attempt: 1, state: 'Pending' }] },
    });
  });

  it('is closed once', () => {
    expect(stepFor(1, former(1, { status: APPLIED, ...marked('settled') }))).toBeUndefined();
  });
});

describe('what is known of its releases', () => {
  const completed = aRevisionComponent('app', { chart: { kind: 'chart', name: 'app' } });
  const revision = { ...former(1, { status: APPLIED, ...marked('settled') }) };
  const known: PackageRevision = { ...revision, spec: { ...revision.spec, components: [completed] } };
  const world = aWorld({ revisions: [known] });
  const present = {
    state: 'present',
    revision: 4,
    token: undefined,
    digest: undefined,
    delivery: 'delivered',
    everDelivered: true,
    message: '',
  } as const;

  it.each([
    ['its record', present, 'digest-app'],
    ['a later record', { ...present, revision: 5 }, undefined],
    ['a record of ours', { ...present, digest: 'ours', token: 'token' }, 'ours'],
  ])('the digest of %s', (_what, release, digest) => {
    expect(withFormerDigest(world, completed, release)).toMatchObject({ state: 'present', digest });
  });

  it.each([
    ['before anybody looked', former(1, marked('settled')), false],
    [
      'with its chart',
      {
        ...known,
        metadata: { ...known.metadata, annotations: { ...known.metadata.annotations, 'kubepkg.dev/additions': '{}' } },
      },
      false,
    ],
    [
      'without its chart',
      former(1, { annotations: { 'kubepkg.dev/taken-over': 'settled', 'kubepkg.dev/additions': '{}' } }),
      true,
    ],
    ['of ours', aRevision({ components: [APP] }), false],
  ])('whether it is lost: %s', (_what, each, lost) => {
    expect(whyLost(each) !== undefined).toBe(lost);
  });
});
