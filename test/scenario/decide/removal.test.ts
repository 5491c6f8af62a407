import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/domain/decide/decide.ts';
import { FINALIZER } from '../../../src/api/names.ts';
import { aComponent, aPackage, aRevision, aSource } from '../../build/objects.ts';
import { aWorld, present, PROGRESSING, RUNNING, UNOBSERVED } from '../../build/world.ts';
import { Model } from './model.ts';

const TWO = [aComponent('store'), aComponent('app', { dependsOn: ['store'] })];

function removed(): Model {
  const model = new Model(aPackage(), aSource(TWO));
  model.settle();
  model.actions.length = 0;
  model.pkg = { ...model.pkg, metadata: { ...model.pkg.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  return model;
}

/** Removed while an upgrade delivers one of its members. */
function upgrading(components: Parameters<typeof aSource>[0], member: string): Model {
  const model = new Model(aPackage(), aSource(components));
  model.settle();
  model.source = aSource(components, { version: '1.1.0' });
  model.outcomes.set(member, 'running');
  model.settle();
  model.actions.length = 0;
  model.pkg = { ...model.pkg, metadata: { ...model.pkg.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  return model;
}

/** Removed while the Job of a hook runs, whose release nobody in this process is at work on. */
function migrating(parts: Parameters<typeof present>[0]): Model {
  const model = upgrading([...TWO, aComponent('migrate', { phase: 'PreUpgrade' })], 'migrate');
  model.finish();
  model.healths.set('migrate', PROGRESSING);
  const migrate = model.releases.get('shop/migrate');
  if (migrate?.observation.state !== 'present') throw new Error('the hook was not begun');
  migrate.observation = { ...migrate.observation, ...parts };
  return model;
}

const uninstalled = (model: Model): readonly string[] =>
  model.actions.flatMap((action) => (action.kind === 'uninstall' ? [action.target.component] : []));

describe('P20 a package that is removed', () => {
  it('keeps its finalizer until the last release is gone, however often a removal fails', () => {
    const model = removed();
    model.stubborn.set('app', 2);
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Deleting' });
    expect(model.pkg.metadata.finalizers).toContain(FINALIZER);
    model.rest();
    expect(uninstalled(model)).toEqual(['app', 'app', 'app', 'store']);
    expect(model.pkg.metadata.finalizers).toEqual([]);
  });

  it('waits for a removal that runs, and does not begin it again', () => {
    const model = removed();
    const app = model.releases.get('shop/app');
    if (app === undefined) throw new Error('app is not installed');
    app.delivery = { ...RUNNING, since: model.now };
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Deleting' });
    expect(model.actions).toEqual([]);
  });

  it('P9 stops a removal that has had the time of a component, and begins it again after its pause', () => {
    const model = removed();
    const app = model.releases.get('shop/app');
    if (app === undefined) throw new Error('app is not installed');
    app.observation = present({ delivery: 'removing', message: 'release revision 1 is uninstalling' });
    app.delivery = { ...RUNNING, since: model.now, grantedUntil: model.now + 60_000 };
    const until = model.now + 600_000;
    const message = 'component app is being removed since 2026-01-01T00:00:00Z: release revision 1 is uninstalling';
    expect(model.settle()).toEqual({ kind: 'wait', reason: 'Deleting', message, until });
    model.now = until;
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Deleting' });
    expect(model.actions.map(({ kind }) => kind)).toEqual(['stop']);
    model.rest();
    expect(uninstalled(model)).toEqual(['app', 'store']);
    expect(model.pkg.metadata.finalizers).toEqual([]);
  });

  it('P9 gives a removal the time that it had when it was begun, should that be lowered', () => {
    const model = removed();
    const app = model.releases.get('shop/app');
    if (app === undefined) throw new Error('app is not installed');
    app.delivery = { ...RUNNING, since: model.now, grantedUntil: model.now + 3_600_000 };
    expect(model.settle()).toMatchObject({ kind: 'wait', until: model.now + 3_600_000 });
  });

  it('stops what is still being delivered at once, before anything is removed', () => {
    const model = upgrading([aComponent('store'), aComponent('app', { dependsOn: ['store'] })], 'store');
    model.settle();
    model.rest();
    expect(model.actions.map(({ kind }) => kind).slice(0, 2)).toEqual(['stop', 'uninstall']);
    expect(model.pkg.metadata.finalizers).toEqual([]);
  });

  it('takes no removal for a delivery that is to be stopped, of what the upgrade found as it wanted it', () => {
    const model = upgrading([aComponent('store'), aComponent('app', { dependsOn: ['store'] })], 'app');
    const store = model.releases.get('shop/store');
    const app = model.releases.get('shop/app');
    if (store === undefined || app === undefined) throw new Error('the upgrade was not begun');
    const revision = model.revisions.at(-1);
    const found = revision?.status?.components?.map((each) => (each.name === 'store' ? { ...each, attempt: 0 } : each));
    model.revisions = model.revisions.map((each) =>
      each === revision ? { ...each, status: { ...each.status, phase: 'Applying', components: found ?? [] } } : each,
    );
    model.releases.delete('shop/app');
    store.delivery = { ...RUNNING, token: undefined, since: model.now, grantedUntil: model.now };
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Deleting' });
    expect(model.actions).toEqual([]);
  });

  it('P16 lets a hook that is being delivered end first, until its deadline', () => {
    const hook = aComponent('migrate', { phase: 'PreUpgrade' });
    const model = upgrading([...TWO, hook], 'migrate');
    const until = model.now + 600_000;
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Deleting', until });
    expect(model.actions).toEqual([]);
    model.now = until;
    model.rest();
    expect(model.actions.map(({ kind }) => kind).slice(0, 2)).toEqual(['stop', 'uninstall']);
    expect(model.pkg.metadata.finalizers).toEqual([]);
  });

  it('P16 lets the Job of a hook end first, until its deadline', () => {
    const hook = aComponent('migrate', { phase: 'PreUpgrade' });
    const model = upgrading([...TWO, hook], 'migrate');
    model.finish();
    model.healths.set('migrate', PROGRESSING);
    const until = model.now + 600_000;
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Deleting', until });
    expect(model.actions).toEqual([]);
    model.healths.delete('migrate');
    model.rest();
    expect(uninstalled(model)).toEqual(['app', 'store', 'migrate']);
    expect(model.pkg.metadata.finalizers).toEqual([]);
  });

  it('P16 lets the Job of a hook end whose delivery was cut off', () => {
    const model = migrating({ delivery: 'pending' });
    model.jobs.set('migrate', 'some');
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Deleting', until: model.now + 600_000 });
    expect(model.actions).toEqual([]);
  });

  it('P9 P16 lets a hook end for as long as it had left when the package was suspended', () => {
    const model = migrating({});
    const { deletionTimestamp: _, ...metadata } = model.pkg.metadata;
    const removedLater = model.pkg;
    model.pkg = { ...model.pkg, metadata, spec: { ...model.pkg.spec, suspend: true } };
    model.now += 60_000;
    model.settle();
    model.now += 3_600_000;
    model.pkg = { ...removedLater, spec: model.pkg.spec };
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Deleting', until: model.now + 540_000 });
    expect(uninstalled(model)).toEqual([]);
  });

  it('P16 stops a hook that its controller tries in vain, before it begins after all', () => {
    expect(migrating({ delivery: 'failed', goesOn: true }).step()).toMatchObject({ action: { kind: 'stop' } });
  });

  it('P16 waits while it cannot see whether a hook goes on', () => {
    const model = migrating({});
    const migrate = model.releases.get('shop/migrate');
    if (migrate === undefined) throw new Error('the hook was not begun');
    migrate.observation = { state: 'unknown', message: 'the API server does not answer' };
    expect(model.settle()).toMatchObject({ kind: 'wait', message: 'the API server does not answer' });
    expect(model.actions).toEqual([]);
  });

  it.each<[string, Parameters<typeof present>[0], readonly string[], object]>([
    ['is at work on a component', { delivery: 'underway' }, ['stop'], {}],
    ['would try a component again', { delivery: 'failed', goesOn: true }, ['stop'], {}],
    ['was told to stop, and has not said that it has', { delivery: 'underway' }, [], { stopping: true }],
  ])('P20 waits for a controller that %s', (_, parts, kinds, { stopping = false }: { stopping?: boolean }) => {
    const model = upgrading(TWO, 'store');
    const store = model.releases.get('shop/store');
    if (store?.observation.state !== 'present') throw new Error('the upgrade was not begun');
    store.delivery = { kind: 'none' };
    store.observation = { ...store.observation, ...parts };
    const stoppingUntil = model.now + 30_000;
    if (stopping) store.stop = { token: store.observation.token ?? '', until: stoppingUntil };
    const decision = model.step();
    expect(model.actions.map(({ kind }) => kind)).toEqual(kinds);
    expect(decision).toMatchObject({ reason: 'Deleting', ...(stopping ? { kind: 'wait', until: stoppingUntil } : {}) });
  });

  it('waits while it cannot see whether a release is there', () => {
    const model = removed();
    const app = model.releases.get('shop/app');
    if (app === undefined) throw new Error('app is not installed');
    app.observation = { state: 'unknown', message: 'the API server does not answer' };
    expect(model.settle()).toMatchObject({ kind: 'wait', message: 'the API server does not answer' });
    expect(model.actions).toEqual([]);
  });

  it('I6 leaves alone what somebody else has put under that name', () => {
    const model = removed();
    const observation = { state: 'foreign', message: 'it was not made by kubepkg' } as const;
    model.releases.set('shop/app', { observation, delivery: { kind: 'none' }, health: UNOBSERVED });
    model.settle();
    expect(uninstalled(model)).toEqual(['store']);
    expect(model.releases.has('shop/app')).toBe(true);
  });

  it('lets the revisions go after the releases and before the Package', () => {
    const model = removed();
    model.settle();
    expect(model.actions.map(({ kind }) => kind)).toEqual([
      'uninstall',
      'uninstall',
      'release-revision',
      'release-finalizer',
    ]);
  });

  it('suspended goes all the same', () => {
    const model = removed();
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, suspend: true } };
    model.settle();
    expect(model.pkg.metadata.finalizers).toEqual([]);
  });

  it('whose source is gone goes all the same', () => {
    const model = removed();
    model.source = undefined;
    model.settle();
    expect(uninstalled(model)).toEqual(['app', 'store']);
  });
});

describe('the history', () => {
  it('never loses the revision that is applied, nor a newer one, whatever the limit', () => {
    const applied = aRevision({
      number: 1,
      digest: 'a',
      components: [],
      status: { phase: 'Applied', appliedAt: '2026-01-01T00:00:00Z' },
    });
    const failed = aRevision({ number: 2, digest: 'b', components: [], status: { phase: 'Failed', components: [] } });
    const desired = { ...emptyDesired(), digest: 'a' };
    const world = aWorld({
      package: aPackage({ revisionHistoryLimit: 1 }),
      resolution: { kind: 'resolved', desired },
      revisions: [applied, failed],
    });
    expect(decide(world).kind).toBe('converged');
  });
});

function emptyDesired(): Extract<
  NonNullable<ReturnType<Model['world']>['resolution']>,
  { kind: 'resolved' }
>['desired'] {
  const resolution = new Model(aPackage(), aSource([])).world().resolution;
  if (resolution?.kind !== 'resolved') throw new Error('nothing is wanted');
  return resolution.desired;
}
