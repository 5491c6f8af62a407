import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { aRelease, aWorld, NOW, present, PROGRESSING, releases } from '../../../test/build/world.ts';
import { FINALIZER } from '../../api/names.ts';
import { attemptToken } from '../release/token.ts';
import { decide } from './decide.ts';
import type { Decision } from './decision.ts';

const DB = aRevisionComponent('db');
const POD = { namespace: 'shop', name: 'db-0', uid: 'uid-db-0' };

describe('P10 a pod that its StatefulSet would keep for ever', () => {
  function decided(restoredFrom: number | undefined, keptPod: typeof POD | undefined): Decision {
    const startedAt = new Date(NOW - 1000).toISOString();
    const deadline = new Date(NOW + 60_000).toISOString();
    const progress = { name: 'db', state: 'Submitted' as const, attempt: 1, startedAt, deadline, backendRevision: 1 };
    const base = aRevision({
      number: 3,
      components: [DB],
      status: { phase: 'Applying', components: [{ ...progress, awaitedSince: startedAt }] },
    });
    const current = { ...base, spec: { ...base.spec, ...(restoredFrom === undefined ? {} : { restoredFrom }) } };
    const token = attemptToken({
      packageUid: 'uid-shop',
      revisionUid: current.metadata.uid ?? '',
      component: 'db',
      attempt: 1,
    });
    const db = aRelease(current, DB, { observation: present({ token }), health: { ...PROGRESSING, keptPod } });
    const pkg = aPackage({}, { uid: 'uid-shop', finalizers: [FINALIZER] });
    return decide(aWorld({ package: pkg, revisions: [current], releases: releases(db) }));
  }

  it('is replaced in a rollback', () => {
    expect(decided(1, POD)).toMatchObject({ kind: 'act', action: { kind: 'replace-pod', pod: POD } });
  });

  it.each([
    ['a rollback awaits any other pod', 1, undefined],
    ['a revision that goes forward leaves it to people', undefined, POD],
  ])('%s', (_what, restoredFrom, pod) => {
    expect(decided(restoredFrom, pod)).toMatchObject({ kind: 'wait', reason: 'Progressing' });
  });
});
