import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { aWorld } from '../../../test/build/world.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { Decision } from './decision.ts';
import { oweRollback } from './owed-rollback.ts';
import { decideRequest } from './rollback-request.ts';

const valuesRef = { namespace: 'kubepkg-system', name: 'kubepkg-values-shop-1', key: 'app' };
const GOOD: PackageRevision = {
  ...aRevision({
    components: [aRevisionComponent('app', { valuesRef })],
    status: { phase: 'Applied', appliedAt: '2026-01-01T10:00:00Z' },
  }),
};
const OWING = aRevision({
  number: 2,
  version: '2.0.0',
  status: { phase: 'Failed', rollback: { to: 1, state: 'Owed' } },
});

const actionOf = (decision: Decision | undefined): unknown => (decision?.kind === 'act' ? decision.action : undefined);

describe('P10 a rollback that is owed', () => {
  it('P19 is carried out with values of its own, since the good revision may be pruned', () => {
    expect(actionOf(oweRollback(aWorld({ revisions: [GOOD, OWING] })))).toMatchObject({
      kind: 'create-revision',
      spec: {
        revision: 3,
        restoredFrom: 1,
        components: [{ valuesRef: { ...valuesRef, name: 'kubepkg-values-shop-3' } }],
      },
    });
  });

  it('is given up when something newer has come', () => {
    const newer = aRevision({ number: 3, version: '2.1.0', status: { phase: 'Failed' } });
    expect(actionOf(oweRollback(aWorld({ revisions: [GOOD, OWING, newer] })))).toMatchObject({
      kind: 'record',
      revision: 'shop-2',
      status: { rollback: { to: 1, state: 'Failed' } },
    });
  });
});

describe('P19 a rollback that is asked for', () => {
  it('to a revision that was only tried is refused', () => {
    const pkg = aPackage({}, { annotations: { 'kubepkg.dev/rollback-to': '2' } });
    const tried = aRevision({ number: 2, version: '2.0.0', status: { phase: 'Failed' } });
    const newest = aRevision({ number: 3, version: '2.1.0', status: { phase: 'Failed' } });
    const decision = decideRequest(aWorld({ package: pkg, revisions: [GOOD, tried, newest] }), undefined);
    expect(decision).toMatchObject({ reason: 'RollbackFailed', action: { kind: 'drop-annotations' } });
  });
});
