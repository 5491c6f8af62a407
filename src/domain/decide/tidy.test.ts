import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { aRelease, aWorld, NOW, present, PROGRESSING, READY, releases, RUNNING } from '../../../test/build/world.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { ReleaseView, World } from './world.ts';
import type { Decision } from './decision.ts';
import { holdRollback } from './hold.ts';
import { removeRelease, tidy } from './tidy.ts';
import { teardown } from './teardown.ts';

const APP = aRevisionComponent('app');
const REVISION = aRevision({ components: [APP], status: { phase: 'Applied', appliedAt: '2026-01-01T10:00:00Z' } });
const view = (parts: Partial<ReleaseView>): ReleaseView => aRelease(REVISION, APP, parts);

function step(release: ReleaseView): string | undefined {
  const world = aWorld({ revisions: [REVISION], releases: releases(release) });
  const decision = removeRelease(world, release, release.target);
  return decision?.kind === 'act' ? decision.action.kind : decision?.kind;
}

function failedUntil(retryAt: number): ReleaseView['delivery'] {
  return { kind: 'failed', token: undefined, code: 'ApiTimeout', message: 'no answer', retryAt, transient: true };
}

describe('P20 a release that has to go', () => {
  it.each<[string, Partial<ReleaseView>, string | undefined]>([
    ['is uninstalled', { observation: present() }, 'uninstall'],
    [
      'is uninstalled on where a dead process began it',
      { observation: present({ delivery: 'removing' }) },
      'uninstall',
    ],
    ['is waited for while its objects go', { observation: present({ delivery: 'draining' }) }, 'wait'],
    ['is waited for while it is uninstalled', { observation: present(), delivery: RUNNING }, 'wait'],
    ['is waited for while nobody can tell', { observation: { state: 'unknown', message: 'no answer' } }, 'wait'],
    ['is tried again, but not at once', { observation: present(), delivery: failedUntil(NOW + 1000) }, 'wait'],
    ['is tried again after its pause', { observation: present(), delivery: failedUntil(NOW) }, 'uninstall'],
    ['is gone', { observation: { state: 'absent' } }, undefined],
    ['I6 is left alone when it is not ours', { observation: { state: 'foreign', message: 'of helm' } }, undefined],
  ])('%s', (_say, parts, expected) => {
    expect(step(view(parts))).toBe(expected);
  });

  it('holds the Package until the last of its objects is gone, and says which', () => {
    const observation = present({ delivery: 'draining', message: 'ConfigMap shop/web has finalizers a.org/x' });
    const base = aWorld({ revisions: [REVISION], releases: releases(view({ observation })) });
    const metadata = { ...base.package.metadata, deletionTimestamp: '2026-01-01T11:00:00Z' };
    const world: World = { ...base, package: { ...base.package, metadata } };
    const decision = teardown(world);
    expect(decision).toMatchObject({ kind: 'wait', reason: 'Deleting' });
    expect(decision.message).toContain('ConfigMap shop/web has finalizers a.org/x');
  });
});

const UNREAD: ReleaseView['health'] = { status: 'unobserved', message: 'it has not been read yet', notes: [] };

describe('an applied revision', () => {
  const OLD = aRevisionComponent('old');
  const former = (number: number): PackageRevision =>
    aRevision({ number, components: [OLD], status: { phase: 'Superseded', appliedAt: '2026-01-01T09:00:00Z' } });
  const applied = aRevision({
    number: 3,
    components: [APP],
    status: { phase: 'Applied', appliedAt: '2026-01-01T10:00:00Z' },
  });
  const healthy = view({ observation: present(), health: READY });

  function next(...views: readonly ReleaseView[]): string {
    const pkg = aPackage({ revisionHistoryLimit: 2 });
    const revisions = [former(1), former(2), applied];
    const decision = tidy(aWorld({ package: pkg, revisions, releases: releases(healthy, ...views) }), applied);
    if (decision.kind !== 'act') return decision.kind;
    return 'revision' in decision.action
      ? `${decision.action.kind} ${decision.action.revision ?? ''}`
      : decision.action.kind;
  }

  it('P22 that somebody has changed outside, without effect so far, is healthy, and it is said', () => {
    const observation = present({ note: 'Application a/web was changed outside kubepkg' });
    const world = aWorld({ revisions: [applied], releases: releases(view({ observation, health: READY })) });
    const decision = tidy(world, applied);
    expect(decision).toMatchObject({ kind: 'converged', reason: 'ReconciliationSucceeded' });
    expect(decision.message).toContain('Application a/web was changed outside kubepkg');
  });

  it('P19 lets the oldest of its history go first', () => {
    expect(next()).toBe('prune shop-1');
  });

  it('P20 forgets no revision while something of it is still there', () => {
    expect(next(aRelease(former(1), OLD, { observation: present({ delivery: 'draining' }) }))).toBe('wait');
  });

  it('P20 tries a removal again after its pause, also while something of it does not work', () => {
    const old = aRelease(former(1), OLD, { observation: present(), delivery: failedUntil(NOW + 1000) });
    const broken = view({ observation: present(), health: PROGRESSING });
    const world = aWorld({ revisions: [former(1), applied], releases: releases(broken, old) });
    expect(tidy(world, applied)).toMatchObject({ kind: 'wait', reason: 'Degraded', until: NOW + 1000 });
  });

  it('P9 P20 stops a removal that has had its time, and stays what it is', () => {
    const since = NOW - 600_000;
    const old = aRelease(former(1), OLD, {
      observation: present(),
      delivery: { ...RUNNING, since, grantedUntil: since },
    });
    const world = aWorld({ revisions: [former(1), applied], releases: releases(healthy, old) });
    const decision = tidy(world, applied);
    expect(decision).toMatchObject({ kind: 'act', action: { kind: 'stop' }, reason: 'ReconciliationSucceeded' });
    expect(decision.message).toContain('component old: what runs has not ended in time (2026-01-01T12:00:00Z)');
    expect(tidy({ ...world, now: NOW - 1 }, applied)).toMatchObject({ kind: 'wait', until: NOW });
  });

  it('puts back what was chosen for a release, also while the removal of another one is held', () => {
    const held = aRelease(former(1), OLD, { observation: present({ delivery: 'draining' }) });
    const chosen = view({ observation: present({ handBack: true }), health: READY });
    const world = aWorld({ revisions: [former(1), applied], releases: releases(chosen, held) });
    expect(tidy(world, applied)).toMatchObject({ kind: 'act', action: { kind: 'hand-back' } });
  });

  it.each<[string, Partial<ReleaseView>, Partial<Decision>]>([
    ['healthy', { health: READY }, { kind: 'act', reason: 'ReconciliationSucceeded' }],
    ['no longer healthy', { health: PROGRESSING }, { kind: 'act', reason: 'Degraded' }],
    ['read first, and the last word on it stands,', { health: UNREAD }, { kind: 'observe' }],
  ])('is %s while it removes what an older one had', (_say, parts, expected) => {
    const old = aRelease(former(1), OLD, { observation: present() });
    const world = aWorld({
      revisions: [former(1), applied],
      releases: releases(view({ ...parts, observation: present() }), old),
    });
    expect(tidy(world, applied)).toMatchObject(expected);
  });

  it('that a failed upgrade was rolled back to says so also while it removes what the failed one had', () => {
    const failed = aRevision({
      number: 2,
      components: [APP, OLD],
      status: { phase: 'RolledBack', rollback: { to: 1, state: 'Done', revision: 3 } },
    });
    const restoring: PackageRevision = { ...applied, spec: { ...applied.spec, restoredFrom: 1 } };
    const old = aRelease(failed, OLD, { observation: present() });
    const world = aWorld({ revisions: [former(1), failed, restoring], releases: releases(healthy, old) });
    const decision = holdRollback(world, restoring);
    expect(decision).toMatchObject({ kind: 'act', action: { kind: 'uninstall' }, reason: 'UpgradeRolledBack' });
    expect(decision.message).toContain('component old is being removed');
  });

  it('P20 removes what only an older one had', () => {
    expect(next(aRelease(former(1), OLD, { observation: present() }))).toContain('uninstall');
  });
});
