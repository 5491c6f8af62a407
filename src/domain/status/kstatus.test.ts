import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { judge } from '../../../test/build/readiness-objects.ts';
import { aRelease, aWorld, NOW, present, READY, releases } from '../../../test/build/world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import type { PackageStatus } from '../../api/package.ts';
import { READY_REASONS, type ReadyReason } from '../../api/reasons.ts';
import type { Decision } from '../decide/decision.ts';
import { nextStatus } from './next-status.ts';
import { refusalConditions, troubleConditions } from './refusal.ts';

const APP = aRevisionComponent('app');
const REVISION = aRevision({ components: [APP], status: { phase: 'Applied', appliedAt: '2026-01-01T00:00:00Z' } });
const ACTION = { kind: 'add-finalizer' } as const;
const GENERATION = 4;

/** What kstatus makes of a Package with that status, by the rule that kubepkg shares with it for kinds that nobody knows. */
const VERDICTS = {
  ready: 'Current',
  progressing: 'InProgress',
  failed: 'Failed',
  terminating: 'Terminating',
  unknown: 'Unknown',
} as const;

function verdictOn(status: PackageStatus, generation = GENERATION): string {
  const { apiVersion, kind, metadata, spec } = aPackage({}, { generation });
  const object: KubeObject = { apiVersion, kind, metadata, spec, status };
  return VERDICTS[judge(object).status];
}

/** `kubectl wait --for=condition=Ready` takes a condition of an older generation for nothing. */
function isReadyToKubectl({ conditions = [] }: PackageStatus, generation = GENERATION): boolean {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && (ready.observedGeneration ?? 0) >= generation;
}

function statusAfter(decision: Decision, previous: PackageStatus = {}, generation = GENERATION): PackageStatus {
  const pkg = { ...aPackage({}, { generation }), status: previous };
  const release = aRelease(REVISION, APP, { observation: present(), health: READY });
  return nextStatus(aWorld({ package: pkg, revisions: [REVISION], releases: releases(release) }), decision);
}

const wait = (reason: ReadyReason): Decision => ({ kind: 'wait', reason, message: 'm' });
const CONVERGED: Decision = { kind: 'converged', reason: 'ReconciliationSucceeded', message: 'm' };
const UNREAD: Decision = { kind: 'observe', reason: 'Progressing', message: 'm' };

describe('kstatus agrees', () => {
  it.each<[string, Decision, string]>([
    ['applied and healthy', CONVERGED, 'Current'],
    ['a requested rollback runs and is held', { ...CONVERGED, reason: 'RolledBack' }, 'Current'],
    ['a step is taken', { kind: 'act', action: ACTION, reason: 'Progressing', message: 'm' }, 'InProgress'],
    ['a rollback is on its way', { kind: 'act', action: ACTION, reason: 'UpgradeFailed', message: 'm' }, 'InProgress'],
    ['a component is awaited', wait('Progressing'), 'InProgress'],
    ['a requirement is awaited', wait('RequirementsNotMet'), 'InProgress'],
    ['the registry is awaited', wait('FetchFailed'), 'InProgress'],
    ['a removal is awaited', wait('Deleting'), 'InProgress'],
    ['nothing has been read yet', UNREAD, 'InProgress'],
    ['it is suspended', wait('Suspended'), 'InProgress'],
    ['it is degraded', wait('Degraded'), 'InProgress'],
    ['there is no source', wait('PackageSourceNotFound'), 'Failed'],
    ['an upgrade failed', { kind: 'stalled', reason: 'UpgradeFailed', message: 'm' }, 'Failed'],
    ['an upgrade was rolled back', { kind: 'stalled', reason: 'UpgradeRolledBack', message: 'm' }, 'Failed'],
    ['a rollback failed', { kind: 'stalled', reason: 'RollbackFailed', message: 'm' }, 'Failed'],
    ['it cannot be carried out', { kind: 'invalid', reason: 'InvalidConfiguration', message: 'm' }, 'Failed'],
  ])('%s', (_say, decision, expected) => {
    const status = statusAfter(decision);
    expect(verdictOn(status)).toBe(expected);
    expect(isReadyToKubectl(status)).toBe(expected === 'Current');
  });

  it('no reason of any wait, stall or refusal makes it Current, and at most one abnormal condition is there', () => {
    for (const reason of Object.keys(READY_REASONS) as readonly ReadyReason[]) {
      for (const kind of ['wait', 'stalled', 'invalid'] as const) {
        const status = statusAfter({ kind, reason, message: 'm' }, statusAfter(CONVERGED));
        expect(verdictOn(status)).not.toBe('Current');
        const abnormal = (status.conditions ?? []).filter(({ type }) => type === 'Reconciling' || type === 'Stalled');
        expect(abnormal.length).toBeLessThanOrEqual(1);
      }
    }
  });

  it('F24 an edit makes it InProgress at once, before anybody has looked, and as long as nothing is read', () => {
    const applied = statusAfter(CONVERGED);
    expect([verdictOn(applied, GENERATION + 1), isReadyToKubectl(applied, GENERATION + 1)]).toEqual([
      'InProgress',
      false,
    ]);
    const unread = statusAfter(UNREAD, applied, GENERATION + 1);
    expect([verdictOn(unread, GENERATION + 1), isReadyToKubectl(unread, GENERATION + 1)]).toEqual([
      'InProgress',
      false,
    ]);
  });

  it('a restart that has read nothing yet leaves it Current', () => {
    const applied = statusAfter(CONVERGED);
    expect(statusAfter(UNREAD, applied)).toEqual(applied);
  });

  it('a Package that cannot be read is Failed, one whose next step meets trouble InProgress', () => {
    const error = new KubepkgError('InvalidInput', 'm');
    const context = { previous: statusAfter(CONVERGED).conditions ?? [], generation: GENERATION, now: NOW };
    expect(verdictOn({ conditions: refusalConditions(error, context) })).toBe('Failed');
    expect(verdictOn({ conditions: troubleConditions(error, context) })).toBe('InProgress');
  });
});
