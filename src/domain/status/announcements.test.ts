import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { aRelease, aWorld, NOW, present, releases } from '../../../test/build/world.ts';
import type { PackageStatus } from '../../api/package.ts';
import { READY_REASONS, type ReadyReason } from '../../api/reasons.ts';
import type { Decision } from '../decide/decision.ts';
import type { ReleaseView, World } from '../decide/world.ts';
import { blockedRemoval, statusAnnouncements } from './announcements.ts';
import { nextStatus } from './next-status.ts';

const CONVERGED: Decision = { kind: 'converged', reason: 'ReconciliationSucceeded', message: 'revision 1 is applied' };
const wait = (reason: ReadyReason, message = 'm'): Decision => ({ kind: 'wait', reason, message });
const stalled = (message = 'm'): Decision => ({ kind: 'stalled', reason: 'UpgradeFailed', message });
const uninstall = (message: string): Decision => ({
  kind: 'act',
  action: {
    kind: 'uninstall',
    keepData: true,
    target: { package: 'shop', component: 'a', releaseName: 'a', namespace: 'shop' },
  },
  reason: 'Deleting',
  message,
});

function statusOf(decision: Decision): PackageStatus {
  return nextStatus(aWorld(), decision);
}

function told(before: Decision | undefined, after: Decision): readonly string[] {
  const former = before === undefined ? undefined : statusOf(before);
  return statusAnnouncements(former, statusOf(after), after).map(({ type, reason }) => `${type} ${reason}`);
}

describe('a status tells of', () => {
  it.each<[string, Decision | undefined, Decision, readonly string[]]>([
    ['the first word on a package', undefined, wait('Progressing'), ['Normal Progressing']],
    ['success', wait('Progressing'), CONVERGED, ['Normal ReconciliationSucceeded']],
    [
      'another applied revision',
      CONVERGED,
      { ...CONVERGED, message: 'revision 2 is applied' },
      ['Normal ReconciliationSucceeded'],
    ],
    ['nothing when nothing changed', CONVERGED, CONVERGED, []],
    ['failure, as a warning', wait('Progressing'), stalled(), ['Warning UpgradeFailed']],
    ['another failure', stalled('a'), stalled('b'), ['Warning UpgradeFailed']],
    ['a missing source', wait('Progressing'), wait('PackageSourceNotFound'), ['Warning PackageSourceNotFound']],
    ['a registry outage', wait('Progressing'), wait('FetchFailed'), ['Warning FetchFailed']],
    ['a rollback that is refused', CONVERGED, wait('RollbackFailed'), ['Warning RollbackFailed']],
    ['health that is lost', CONVERGED, wait('Degraded'), ['Warning Degraded']],
    ['health that is back', wait('Degraded'), CONVERGED, ['Normal Recovered', 'Normal ReconciliationSucceeded']],
    ['a degraded package that is changed', wait('Degraded'), wait('Progressing'), ['Normal Progressing']],
    ['being suspended', CONVERGED, wait('Suspended'), ['Normal Suspended']],
    ['being resumed', wait('Suspended'), CONVERGED, ['Normal Resumed', 'Normal ReconciliationSucceeded']],
    ['requirements that are not met', CONVERGED, wait('RequirementsNotMet'), ['Normal RequirementsNotMet']],
    [
      'requirements that are met',
      wait('RequirementsNotMet'),
      wait('Progressing'),
      ['Normal RequirementsMet', 'Normal Progressing'],
    ],
    [
      'requirements that are no longer asked about',
      wait('RequirementsNotMet'),
      wait('Suspended'),
      ['Normal Suspended'],
    ],
    ['nothing while the same wait says something else', wait('Progressing', 'a'), wait('Progressing', 'b'), []],
    [
      'a removal beside success, and nothing when it is done',
      wait('Progressing'),
      { ...uninstall('revision 1 is applied; a is being removed'), reason: 'ReconciliationSucceeded' },
      ['Normal ReconciliationSucceeded', 'Normal ReleaseRemoving'],
    ],
    [
      'nothing when what went beside success is gone',
      { ...CONVERGED, message: 'revision 1 is applied; a is being removed' },
      CONVERGED,
      [],
    ],
    ['a removal', uninstall('a is being removed'), uninstall('b is being removed'), ['Normal ReleaseRemoving']],
  ])('%s', (_say, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });

  it('I9 nothing twice, for any reason', () => {
    for (const reason of Object.keys(READY_REASONS) as readonly ReadyReason[]) {
      expect(told(wait(reason), wait(reason))).toEqual([]);
    }
  });

  it('what is said without a decision: a package that cannot be read', () => {
    const [before, after] = [statusOf(stalled('a')), statusOf(stalled('b'))];
    expect(statusAnnouncements(before, after)).toEqual([{ type: 'Warning', reason: 'UpgradeFailed', message: 'b' }]);
    expect(statusAnnouncements(before, before)).toEqual([]);
    expect(statusAnnouncements(undefined, {})).toEqual([]);
  });
});

describe('P20 a removal that is held up', () => {
  const STORE = aRevisionComponent('store');
  const waiting = wait('Deleting', 'Deployment shop/store is held by example.dev/hold');

  function leaving(seconds: number, view: Partial<ReleaseView>): World {
    const deletionTimestamp = new Date(NOW - seconds * 1000).toISOString();
    const revision = aRevision({ components: [STORE] });
    return aWorld({
      package: aPackage({}, { deletionTimestamp }),
      revisions: [revision],
      releases: releases(aRelease(revision, STORE, view)),
    });
  }

  const draining = { observation: present({ delivery: 'draining' }) };
  const failing: Partial<ReleaseView> = {
    observation: present(),
    delivery: { kind: 'failed', token: undefined, code: 'HelmFailed', message: 'x', retryAt: 0, transient: true },
  };

  it.each<[string, World, Decision, boolean]>([
    ['by an object that does not go', leaving(60, draining), waiting, true],
    ['by an uninstall that fails', leaving(60, failing), waiting, true],
    ['not yet', leaving(59, draining), waiting, false],
    ['not when a step is being taken', leaving(60, draining), uninstall('m'), false],
    ['not while it only takes its time', leaving(60, { observation: present() }), waiting, false],
    ['not when nothing is removed', aWorld(), waiting, false],
  ])('%s', (_say, world, decision, blocked) => {
    const expected = { type: 'Warning', reason: 'DeletionBlocked', message: waiting.message };
    expect(blockedRemoval(world, decision)).toEqual(blocked ? expected : undefined);
  });
});
