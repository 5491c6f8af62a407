import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../../test/build/deep-freeze.ts';
import { aComponent, aPackage, aRevision, aRevisionComponent, aSource } from '../../../test/build/objects.ts';
import { aRelease, aWorld, NOW, present, PROGRESSING, READY, releases, RUNNING } from '../../../test/build/world.ts';
import type { PackageSource } from '../../api/package-source.ts';
import type { PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import type { ReleaseView, World } from '../decide/world.ts';
import { attemptToken } from '../release/token.ts';
import { resolvePackage } from '../resolve/resolve-package.ts';
import { foresee } from './foresee.ts';
import type { Forecast } from './forecast.ts';

const READY_WHEN = [
  { apiVersion: 'v1', kind: 'Pod', name: 'p', condition: 'Ready', status: 'False', stableFor: '30s' },
];

function wanting(source: PackageSource, parts: Partial<World> = {}): World {
  const pkg = parts.package ?? aPackage();
  const resolution = resolvePackage(pkg, source, { defaultBackend: 'helm' });
  return deepFreeze(aWorld({ package: pkg, resolution, ...parts }));
}

function kindsOf({ steps }: Forecast): readonly string[] {
  return steps.map(({ kind }) => kind);
}

describe('what is foreseen', () => {
  it('of a first install: what is fetched, begun, installed and awaited, and that there is no way back', () => {
    const source = aSource([aComponent('app', { readyWhen: READY_WHEN }), aComponent('hook', { phase: 'PreUpgrade' })]);
    const forecast = foresee(wanting(source, { package: aPackage({ upgrade: { atomic: true, timeout: '5m' } }) }));
    expect(forecast.steps).toEqual([
      { kind: 'fetch', version: '1.0.0', charts: ['app'] },
      { kind: 'begin', revision: 1, version: '1.0.0' },
      {
        kind: 'install',
        component: 'app',
        release: 'shop/app',
        namespace: 'shop',
        attempt: 1,
        awaits: {
          until: [
            'every object of its release to be ready',
            'condition Ready=False of Pod shop/p, for 30s without a break',
          ],
          timeoutMs: 300_000,
        },
      },
      { kind: 'commit', revision: 1, version: '1.0.0' },
    ]);
    expect(forecast).toMatchObject({
      end: { kind: 'converged' },
      rollback: { possible: false, why: 'there is no applied revision to go back to' },
    });
  });

  it('up to an action that more has to be known for', () => {
    const forecast = foresee(wanting(aSource([aComponent('app')])), { until: 'prepare' });
    expect(forecast.actions.map(({ kind }) => kind)).toEqual(['prepare']);
    expect(forecast.end.kind).toBe('blocked');
  });

  it('of CRDs that the revision brings: they are claimed once it is applied', () => {
    const source = aSource([aComponent('app')], { crds: ['things.example.org'] });
    const forecast = foresee(wanting(source, { crds: { kind: 'read', crds: [] } }));
    expect(kindsOf(forecast)).toEqual(['fetch', 'begin', 'install', 'commit', 'claim-crds']);
  });

  it('of CRDs that another package has given up: they pass on before anything is delivered', () => {
    const source = aSource([aComponent('app')], { crds: ['things'] });
    const things = { name: 'things', uid: 'u', owner: 'other', isDeclaredByOwner: false, isKept: false };
    const forecast = foresee(wanting(source, { crds: { kind: 'read', crds: [things] } }));
    expect(forecast.steps.slice(1, 4)).toMatchObject([
      { kind: 'begin' },
      { kind: 'claim-crds', crds: ['things'], from: ['other'] },
      { kind: 'install' },
    ]);
  });

  it.each<[string, Partial<World>, object]>([
    [
      'a requirement',
      { unmetRequirements: ['package db is missing'] },
      { kind: 'blocked', reason: 'RequirementsNotMet' },
    ],
    ['a conflict', { conflicts: ['it conflicts with b'] }, { kind: 'blocked', reason: 'Conflict' }],
    ['a suspension', { package: aPackage({ suspend: true }) }, { kind: 'blocked', reason: 'Suspended' }],
    ['no source', { resolution: undefined }, { kind: 'blocked', reason: 'PackageSourceNotFound' }],
    [
      'what is wrong',
      { resolution: { kind: 'unresolvable', reason: 'VersionMismatch', message: 'm' } },
      { kind: 'invalid', reason: 'VersionMismatch', message: 'm' },
    ],
    ['a missing Secret', { platformTrouble: 'it is not there' }, { kind: 'blocked', message: 'it is not there' }],
  ])('where %s stands against a start: nothing but that', (_what, parts, end) => {
    const forecast = foresee(wanting(aSource([aComponent('app')]), parts));
    expect(forecast).toMatchObject({ steps: [], end });
    expect(forecast.rollback).toBeUndefined();
  });

  it('of a package of the Go implementation: only that the operator takes it over', () => {
    const status = { phase: 'Applied', appliedAt: '2026-01-01T00:00:00Z' } as const;
    const { metadata, ...made } = aRevision({ components: [aRevisionComponent('app')], status });
    const { finalizers: _none, ...rest } = metadata;
    const components = [{ ...aRevisionComponent('app'), digest: undefined }].map(({ digest: _no, ...each }) => each);
    const former = { ...made, metadata: rest, spec: { ...made.spec, components } };
    const forecast = foresee(wanting(aSource([aComponent('app')], { version: '2.0.0' }), { revisions: [former] }));
    expect(new Set(kindsOf(forecast))).toEqual(new Set(['take-over']));
    expect(forecast.end).toMatchObject({ kind: 'blocked', reason: 'Progressing' });
  });
});

/** A revision in progress with one component that was begun. */
function midway(release: Partial<ReleaseView>): World {
  const progress = { name: 'app', state: 'Submitted', attempt: 1 } as const;
  const times = { startedAt: new Date(NOW - 1000).toISOString(), deadline: new Date(NOW + 60_000).toISOString() };
  const component = aRevisionComponent('app');
  const source = aSource([aComponent('app')]);
  const resolution = resolvePackage(aPackage(), source, { defaultBackend: 'helm' });
  const digest = resolution.kind === 'resolved' ? resolution.desired.digest : '';
  const status: PackageRevisionStatus = { phase: 'Applying', components: [{ ...progress, ...times }] };
  const revision = aRevision({ components: [component], digest, status });
  return wanting(source, { revisions: [revision], releases: releases(aRelease(revision, component, release)) });
}

function tokenOf(revision: PackageRevision | undefined): string {
  const revisionUid = revision?.metadata.uid ?? '';
  return attemptToken({ packageUid: 'uid-shop', revisionUid, component: 'app', attempt: 1 });
}

describe('what goes on by itself', () => {
  const token = tokenOf(midway({}).revisions[0]);

  it.each<[string, Partial<ReleaseView>, readonly string[]]>([
    ['a delivery that runs', { delivery: RUNNING }, ['commit']],
    ['a record that is about to be seen', { delivery: { kind: 'accepted', token } }, ['commit']],
    ['a controller at work', { observation: present({ token, delivery: 'underway' }) }, ['commit']],
    ['objects that are not ready', { observation: present({ token }), health: PROGRESSING }, ['commit']],
    [
      'a controller that was told to stop',
      { observation: present({ token, delivery: 'underway' }), stop: { token, until: NOW + 5000 } },
      ['upgrade', 'commit'],
    ],
    [
      'a pause after a failure',
      {
        observation: present({ token, delivery: 'failed' }),
        delivery: { kind: 'failed', token, code: 'ApiConflict', message: '', retryAt: NOW + 5000, transient: true },
      },
      ['upgrade', 'commit'],
    ],
    [
      'objects that are going',
      { observation: present({ token, delivery: 'draining' }), health: READY },
      ['install', 'commit'],
    ],
  ])('is let end: %s', (_what, release, kinds) => {
    const forecast = foresee(midway(release));
    expect(forecast.end.kind).toBe('converged');
    expect(kindsOf(forecast).filter((kind) => kind !== 'keep')).toEqual(kinds);
  });

  it.each<[string, Partial<ReleaseView>]>([
    ['changed', { observation: present({ token: 'of somebody', revision: 9 }), health: READY }],
    ['removed', { observation: { state: 'absent' }, delivery: { kind: 'accepted', token } }],
  ])('is not a release that somebody has %s: that is waited for until it fails', (_what, release) => {
    const world = midway(release);
    const noted = world.revisions.map((revision) => {
      const components = revision.status?.components?.map((each) => ({ ...each, backendRevision: 1 })) ?? [];
      return { ...revision, status: { ...revision.status, components } };
    });
    const forecast = foresee({ ...world, revisions: noted });
    expect(forecast).toMatchObject({ steps: [], end: { kind: 'blocked', reason: 'Progressing' } });
    expect(forecast.end.message).toContain('was changed or removed by someone else');
  });
});
