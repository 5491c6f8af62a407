import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { aRelease, aWorld, NOW, present, PROGRESSING, READY, releases, UNOBSERVED } from '../../../test/build/world.ts';
import type { Condition } from '../../api/kube.ts';
import type { PackageStatus } from '../../api/package.ts';
import type { PackageRevision, PackageRevisionStatus, RevisionComponent } from '../../api/package-revision.ts';
import type { ReadyReason } from '../../api/reasons.ts';
import type { Decision } from '../decide/decision.ts';
import type { ReleaseView, World } from '../decide/world.ts';
import { nextStatus } from './next-status.ts';

const STORE = aRevisionComponent('store');
const APP = aRevisionComponent('app');
const APPLIED: PackageRevisionStatus = { phase: 'Applied', appliedAt: '2026-01-01T00:00:00Z' };
const FAILED: PackageRevisionStatus = { phase: 'Failed' };
const CONVERGED: Decision = { kind: 'converged', reason: 'ReconciliationSucceeded', message: 'applied and healthy' };
const UNREAD: Decision = { kind: 'observe', reason: 'Progressing', message: 'component app is being read' };

const waiting = (reason: ReadyReason): Decision => ({ kind: 'wait', reason, message: `because of ${reason}` });
const healthy = { observation: present(), health: READY };

function aRevisionOf(number: number, status: PackageRevisionStatus, components = [STORE, APP]): PackageRevision {
  return aRevision({ number, version: `1.${String(number)}.0`, components, status });
}

/** An applied package of two components, both healthy, but for what is said otherwise. */
function installed(parts: Partial<World> = {}, app: Partial<ReleaseView> = {}): World {
  const revision = aRevisionOf(1, APPLIED);
  const views = [aRelease(revision, STORE, healthy), aRelease(revision, APP, { ...healthy, ...app })];
  return aWorld({ revisions: [revision], releases: releases(...views), ...parts });
}

function withStatus(conditions: readonly Condition[], generation = 1): World['package'] {
  return { ...aPackage({}, { generation }), status: { conditions: [...conditions] } };
}

function conditions(world: World, decision: Decision): Readonly<Record<string, string>> {
  const found = nextStatus(world, decision).conditions ?? [];
  return Object.fromEntries(found.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

function available(world: World): string | undefined {
  return conditions(world, waiting('Progressing'))['Available'];
}

describe('Ready, Reconciling and Stalled', () => {
  const action = { kind: 'add-finalizer' } as const;
  it.each<[string, Decision, Readonly<Record<string, string>>]>([
    ['converged', CONVERGED, { Ready: 'True ReconciliationSucceeded' }],
    [
      'an action',
      { kind: 'act', action, reason: 'Progressing', message: '' },
      { Ready: 'False Progressing', Reconciling: 'True Progressing' },
    ],
    [
      'a step that puts away what the former version left',
      { kind: 'act', action, reason: 'ReconciliationSucceeded', message: '' },
      { Ready: 'True ReconciliationSucceeded', Reconciling: 'True ReconciliationSucceeded' },
    ],
    [
      'the action that fails a revision',
      { kind: 'act', action, reason: 'UpgradeFailed', message: '' },
      { Ready: 'False UpgradeFailed', Reconciling: 'True UpgradeFailed' },
    ],
    [
      'waiting for a component',
      waiting('Progressing'),
      { Ready: 'False Progressing', Reconciling: 'True Progressing' },
    ],
    [
      'P3 waiting for a requirement',
      waiting('RequirementsNotMet'),
      { Ready: 'False RequirementsNotMet', Reconciling: 'True RequirementsNotMet' },
    ],
    [
      'waiting for the registry',
      waiting('FetchFailed'),
      { Ready: 'False FetchFailed', Reconciling: 'True FetchFailed' },
    ],
    ['being removed', waiting('Deleting'), { Ready: 'False Deleting', Reconciling: 'True Deleting' }],
    ['suspended: at rest', waiting('Suspended'), { Ready: 'False Suspended' }],
    ['degraded: at rest', waiting('Degraded'), { Ready: 'False Degraded' }],
    [
      'without a source: somebody has to make one',
      waiting('PackageSourceNotFound'),
      { Ready: 'False PackageSourceNotFound', Stalled: 'True PackageSourceNotFound' },
    ],
    [
      'stalled',
      { kind: 'stalled', reason: 'UpgradeFailed', message: '' },
      { Ready: 'False UpgradeFailed', Stalled: 'True UpgradeFailed' },
    ],
    [
      'invalid',
      { kind: 'invalid', reason: 'InvalidConfiguration', message: '' },
      { Ready: 'False InvalidConfiguration', Stalled: 'True InvalidConfiguration' },
    ],
  ])('%s', (_say, decision, expected) => {
    const { Available: _works, ...rest } = conditions(installed(), decision);
    expect(rest).toEqual(expected);
  });

  it('say what the decision says, for the generation that it was taken on', () => {
    const world = installed({ package: aPackage({}, { generation: 7 }) });
    const status = nextStatus(world, waiting('Progressing'));
    expect(status.observedGeneration).toBe(7);
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ observedGeneration: 7, message: 'because of Progressing' });
  });

  const STANDING: readonly Condition[] = ['Ready', 'Stalled', 'Reconciling'].map((type) => ({
    type,
    status: 'True',
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason: 'Before',
    message: 'as it was',
  }));

  it('stand as they are until the world has been read, so that a restart flips nothing', () => {
    const status = nextStatus(installed({ package: withStatus(STANDING) }, { health: UNOBSERVED }), UNREAD);
    expect(status.conditions).toEqual(STANDING);
  });

  it('R9 a verdict on a former generation does not stand', () => {
    const world = installed({ package: withStatus(STANDING, 2) }, { health: UNOBSERVED });
    expect(conditions(world, UNREAD)['Ready']).toBe('False Progressing');
  });

  it('a package that was never judged is not Ready before it has been read', () => {
    expect(conditions(installed({}, { health: UNOBSERVED }), UNREAD)).toEqual({ Ready: 'False Progressing' });
  });
});

describe('P3 Available', () => {
  const revision = (number: number, status: PackageRevisionStatus, components?: RevisionComponent[]): PackageRevision =>
    aRevisionOf(number, status, components);

  it.each<[string, World, string]>([
    ['nothing was ever installed', aWorld(), 'False NotInstalled'],
    ['every component is healthy', installed(), 'True ComponentsHealthy'],
    ['one is not ready', installed({}, { health: PROGRESSING }), 'False ComponentNotHealthy'],
    [
      'one has failed to be delivered',
      installed({}, { observation: present({ delivery: 'failed' }) }),
      'False ComponentNotHealthy',
    ],
    [
      'one was removed by somebody',
      installed({}, { observation: { state: 'absent' }, health: UNOBSERVED }),
      'False ComponentNotHealthy',
    ],
    [
      'one was taken over by somebody',
      installed({}, { observation: { state: 'foreign', message: 'it belongs to someone else' } }),
      'False ComponentNotHealthy',
    ],
  ])('%s', (_say, world, expected) => {
    expect(available(world)).toBe(expected);
  });

  it('a component that an upgrade would add, and has not yet, does not count', () => {
    const next = revision(2, { phase: 'Applying' }, [STORE, APP, aRevisionComponent('extra')]);
    const extra = aRelease(next, aRevisionComponent('extra'));
    const world = installed();
    const revisions = [...world.revisions, next];
    expect(available({ ...world, revisions, releases: { ...world.releases, ...releases(extra) } })).toBe(
      'True ComponentsHealthy',
    );
  });

  it('a failed upgrade takes nobody down while what runs works', () => {
    const world = installed();
    const revisions = [...world.revisions, revision(2, FAILED)];
    const stalled: Decision = { kind: 'stalled', reason: 'UpgradeFailed', message: '' };
    expect(conditions({ ...world, revisions }, stalled)).toMatchObject({
      Ready: 'False UpgradeFailed',
      Available: 'True ComponentsHealthy',
    });
  });

  it('a first installation that failed half-way is judged by what it installed', () => {
    const failed = revision(1, FAILED);
    const views = [aRelease(failed, STORE, healthy), aRelease(failed, APP)];
    expect(available(aWorld({ revisions: [failed], releases: releases(...views) }))).toBe('True ComponentsHealthy');
  });

  it.each<[string, Partial<ReleaseView> | undefined]>([
    ['its health is not read', { health: UNOBSERVED }],
    ['its release is not read', { observation: { state: 'unknown', message: 'not read yet' } }],
    ['nobody has looked at it', undefined],
  ])('is left as it was while of one component %s', (_say, app) => {
    const former: Condition = {
      type: 'Available',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'ComponentsHealthy',
      message: 'every installed component is healthy',
    };
    const world = installed({ package: withStatus([former]) }, app);
    const seen = app === undefined ? { ...world, releases: releases(aRelease(aRevisionOf(1, APPLIED), STORE)) } : world;
    expect(nextStatus(seen, waiting('Progressing')).conditions).toContainEqual(former);
    expect(available({ ...seen, package: aPackage() })).toBeUndefined();
  });
});

describe('the rest of the status', () => {
  it('names the version that is applied and the revision that was started last', () => {
    const world = installed();
    const revisions = [...world.revisions, aRevisionOf(2, { phase: 'Applying' })];
    const status = nextStatus({ ...world, revisions }, waiting('Progressing'));
    expect([status.version, status.currentRevision]).toEqual(['1.1.0', 2]);
  });

  it('P12 a failed upgrade leaves the applied version in place', () => {
    const world = installed();
    const status = nextStatus(
      { ...world, revisions: [...world.revisions, aRevisionOf(2, FAILED)] },
      waiting('Progressing'),
    );
    expect([status.version, status.currentRevision]).toEqual(['1.1.0', 2]);
  });

  it('says which generation of the source it is about, as long as there is one', () => {
    const status = nextStatus(installed({ sourceGeneration: 4 }), CONVERGED);
    expect(status.observedSourceGeneration).toBe(4);
    const without = installed({ package: { ...aPackage(), status }, sourceGeneration: undefined });
    expect(nextStatus(without, CONVERGED)).not.toHaveProperty('observedSourceGeneration');
  });

  it('names neither before there is a revision', () => {
    const status = nextStatus(aWorld(), waiting('Progressing'));
    expect(status).not.toHaveProperty('version');
    expect(status).not.toHaveProperty('currentRevision');
  });

  it('lists the newest ten revisions, newest first; one without a phase is pending', () => {
    const revisions = Array.from({ length: 12 }, (_each, index) => aRevisionOf(index + 1, APPLIED));
    const newest = { ...aRevisionOf(13, {}), status: undefined };
    const { history } = nextStatus(aWorld({ revisions: [...revisions, newest] }), waiting('Progressing'));
    expect(history).toHaveLength(10);
    expect(history?.slice(0, 2)).toEqual([
      { revision: 13, version: '1.13.0', phase: 'Pending' },
      { revision: 12, version: '1.12.0', phase: 'Applied' },
    ]);
  });

  it('tells which requirements are met', () => {
    const dependencies = { db: { ready: false } };
    expect(nextStatus(aWorld({ dependencies }), waiting('RequirementsNotMet')).dependencies).toEqual(dependencies);
  });
});

describe('P22 a status write causes no other', () => {
  it.each<[string, World, Decision]>([
    ['applied', installed(), CONVERGED],
    ['degraded', installed({}, { health: PROGRESSING }), waiting('Degraded')],
    ['not read yet', installed({}, { health: UNOBSERVED }), UNREAD],
    ['waiting', aWorld(), waiting('RequirementsNotMet')],
    ['stalled', installed(), { kind: 'stalled', reason: 'UpgradeFailed', message: '' }],
  ])('%s: the same decision later gives the same status', (_say, world, decision) => {
    const first = nextStatus(world, decision);
    const later: World = { ...world, now: NOW + 3_600_000, package: { ...world.package, status: first } };
    expect(nextStatus(later, decision)).toEqual<PackageStatus>(first);
  });
});
